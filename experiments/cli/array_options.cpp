#include "experiments/cli/array_options.h"

#include <fmt/format.h>

#include <charconv>

#include "core/errors.h"
#include "experiments/batch/words.h"
#include "experiments/data/tensor_files.h"

namespace orrery::cli {
namespace {

constexpr std::int64_t most_positions = std::int64_t{1} << 24;

std::int64_t parse_position(std::string_view text) {
  std::int64_t position{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (status == std::errc() && end == text.data() + text.size()) return position;
  throw UsageError(fmt::format("position {}", text), "must be a whole number",
                   "write positions like 0..9 or 3,1,4");
}

std::vector<std::int64_t> range(std::int64_t first, std::int64_t last) {
  if (last < first || last - first >= most_positions)
    throw UsageError(fmt::format("{}..{}", first, last),
                     fmt::format("must count up, to at most {} positions", most_positions),
                     "write positions like 0..9");
  std::vector<std::int64_t> positions;
  for (std::int64_t p = first; p <= last; ++p) positions.push_back(p);
  return positions;
}

}  // namespace

std::vector<std::int64_t> parse_positions(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots != std::string::npos)
    return range(parse_position(text.substr(0, dots)), parse_position(text.substr(dots + 2)));
  std::vector<std::int64_t> positions;
  std::size_t start = 0;
  for (std::size_t comma; (comma = text.find(',', start)) != std::string::npos; start = comma + 1)
    positions.push_back(parse_position(text.substr(start, comma - start)));
  positions.push_back(parse_position(text.substr(start)));
  return positions;
}

NamedTensors read_tables(const std::vector<std::string>& words) {
  NamedTensors tables;
  const auto add = [&](const std::string& word, const std::string& name, Tensor tensor) {
    tensor.name = name;
    if (tables.emplace(name, std::move(tensor)).second) return;
    throw UsageError(fmt::format("--table {}", word), fmt::format("gives {} a second time", name),
                     "give each table once");
  };
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const TensorPath path = tensor_path(word.substr(equals == std::string::npos ? 0 : equals + 1));
    const TensorMap tensors = read_tensors(path.file);
    if (equals != std::string::npos)
      add(word, word.substr(0, equals), the_tensor(tensors, path.tensor, path.file.string()));
    else
      for (const auto& [name, tensor] : tensors) add(word, name, tensor);
  }
  return tables;
}

std::optional<Tensor> tensor_input(const Inputs& inputs, const char* key) {
  const auto found = inputs.find(key);
  if (found == inputs.end()) return std::nullopt;
  return std::get<Tensor>(found->second);
}

ParamSet params_from(const std::vector<ParamSpec>& specs, const std::vector<std::string>& words) {
  ParamSet params(specs);
  for (const auto& [key, value] : parse_assignments(params, words)) params.set(key, value);
  params.require_all_set_are_used();
  return params;
}

}  // namespace orrery::cli
