#include "experiments/data/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/data/array_codec.h"
#include "experiments/data/safetensors_json.h"

namespace orrery::data {
namespace {

bool is_single(const Array& array) {
  return std::holds_alternative<std::vector<float>>(array.values);
}

std::vector<const Array*> in_file_order(std::span<const Array* const> arrays) {
  std::vector<const Array*> sorted(arrays.begin(), arrays.end());
  std::sort(sorted.begin(), sorted.end(), [](const Array* a, const Array* b) {
    return std::pair(is_single(*a), std::string_view(a->name)) <
           std::pair(is_single(*b), std::string_view(b->name));
  });
  return sorted;
}

void check_names(std::span<const Array* const> arrays) {
  std::set<std::string_view> names;
  for (const Array* const array : arrays)
    check_invariant(names.insert(array->name).second && array->name != safetensors_metadata,
                    "arrays that go to one file have names of their own");
}

std::string length_prefix(std::size_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(length >> 8 * i & 0xFF);
  return bytes;
}

}  // namespace

SafetensorsArchive::SafetensorsArchive(std::string_view bytes, std::string name)
    : file_(std::move(name)), entries_(parse_safetensors_header(bytes, file_)) {}

std::vector<std::string> SafetensorsArchive::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

Tensor SafetensorsArchive::tensor(const std::string& name, Values allowed) const {
  const SafetensorsEntry& entry = entries_.at(name);
  const std::string label = tensor_label(file_, name);
  ArrayLayout layout{.type = entry.type,
                     .column_major = false,
                     .shape = {entry.shape.begin(), entry.shape.end()},
                     .elements = checked_elements(entry.shape, label)};
  std::vector<double> values = decode_array(entry.data, layout, label, allowed);
  return Tensor{.name = name, .shape = std::move(layout.shape), .values = std::move(values)};
}

TensorMap parse_safetensors(std::string_view bytes, const std::string& name) {
  return all_tensors(SafetensorsArchive(bytes, name), name);
}

std::string safetensors_bytes(std::span<const Array* const> arrays) {
  check_names(arrays);
  auto header = nlohmann::ordered_json::object();
  std::string data;
  for (const Array* const array : in_file_order(arrays)) {
    const std::size_t begin = data.size();
    data += array_bytes(*array);
    header[array->name] = {{"dtype", is_single(*array) ? "F32" : "F64"},
                           {"shape", array->shape},
                           {"data_offsets", {begin, data.size()}}};
  }
  constexpr std::size_t alignment = 8;
  std::string text = header.dump();
  text.append((alignment - text.size() % alignment) % alignment, ' ');
  return length_prefix(text.size()) + text + data;
}

}  // namespace orrery::data
