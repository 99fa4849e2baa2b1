#include "experiments/data/tensor_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/errors.h"
#include "core/params.h"
#include "core/unknown_name.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

constexpr std::size_t most_listed = 8;
// Longer names are not typed by hand, and comparing them takes long.
constexpr std::size_t longest_suggested = 256;

std::string listed(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() == most_listed) break;
    shown.push_back(printable(name));
  }
  const std::size_t left = names.size() - shown.size();
  return fmt::format("it holds {}{}", fmt::join(shown, ", "),
                     left > 0 ? fmt::format(" and {} more", left) : "");
}

std::string nearest_of(const std::vector<std::string>& names, std::string_view wanted) {
  if (wanted.size() > longest_suggested) return {};
  std::vector<std::string> candidates;
  std::copy_if(names.begin(), names.end(), std::back_inserter(candidates),
               [](const std::string& name) { return name.size() <= longest_suggested; });
  return nearest_name(wanted, candidates);
}

UsageError no_such_tensor(const std::vector<std::string>& names, std::string_view wanted,
                          const std::string& file) {
  const std::string near = nearest_of(names, wanted);
  return UsageError(
      tensor_label(file, wanted), "is not a tensor of the file",
      near.empty() ? listed(names) : fmt::format("did you mean #{}?", printable(near)));
}

}  // namespace

std::string tensor_label(std::string_view file, std::string_view tensor) {
  constexpr std::size_t longest = 128;
  return fmt::format("{}#{}", file,
                     tensor.size() <= longest ? in_one_line(tensor) : printable(tensor));
}

const std::string& resolve_tensor_name(const std::vector<std::string>& names,
                                       std::string_view wanted, const std::string& file) {
  if (wanted.empty() && names.size() == 1) return names.front();
  if (wanted.empty())
    throw UsageError(file, fmt::format("has {} tensors, of which one is read", names.size()),
                     fmt::format("add #NAME to the path; {}", listed(names)));
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found == names.end()) throw no_such_tensor(names, wanted, file);
  return *found;
}

TensorMap all_tensors(const TensorArchive& archive, std::string_view file,
                      std::size_t most_elements) {
  TensorMap tensors;
  std::size_t elements = 0;
  for (const std::string& name : archive.names()) {
    Tensor tensor = archive.tensor(name);
    elements += tensor.values.size();
    if (elements > most_elements)
      throw DataError(file,
                      fmt::format("has more elements than the limit of {} per run", most_elements),
                      "name one tensor, as in FILE#NAME");
    tensors.emplace(name, std::move(tensor));
  }
  return tensors;
}

}  // namespace orrery
