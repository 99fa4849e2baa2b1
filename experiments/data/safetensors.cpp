#include "experiments/data/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "core/errors.h"
#include "experiments/data/array_codec.h"
#include "experiments/data/safetensors_header.h"

namespace orrery {
namespace {

/// The numbers of the arrays, first to last in the file.
std::vector<std::size_t> file_order(std::span<const Array* const> arrays) {
  std::vector<std::size_t> order(arrays.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(is_single(*arrays[a]), std::string_view(arrays[a]->name)) <
           std::pair(is_single(*arrays[b]), std::string_view(arrays[b]->name));
  });
  return order;
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

class SafetensorsArchive final : public TensorArchive {
 public:
  SafetensorsArchive(std::string_view bytes, std::string name)
      : file_(std::move(name)), entries_(parse_safetensors_header(bytes, file_)) {}

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, entry] : entries_) names.push_back(name);
    return names;
  }

  Tensor tensor(const std::string& name, Values allowed) const override {
    PlacedArray placed = *place(name);
    std::vector<double> values =
        decode_array(placed.data, placed.layout, tensor_label(file_, name), allowed);
    return Tensor{
        .name = name, .shape = std::move(placed.layout.shape), .values = std::move(values)};
  }

  std::optional<PlacedArray> place(const std::string& name) const override {
    const SafetensorsEntry& entry = entries_.at(name);
    return PlacedArray{
        .layout = {.type = entry.type,
                   .column_major = false,
                   .shape = {entry.shape.begin(), entry.shape.end()},
                   .elements = checked_elements(entry.shape, tensor_label(file_, name))},
        .data = entry.data};
  }

 private:
  std::string file_;
  SafetensorsEntries entries_;
};

}  // namespace

std::unique_ptr<TensorArchive> open_safetensors(std::string_view bytes, std::string name) {
  return std::make_unique<SafetensorsArchive>(bytes, std::move(name));
}

TensorMap parse_safetensors(std::string_view bytes, const std::string& name) {
  return all_tensors(*open_safetensors(bytes, name), name);
}

SafetensorsLayout safetensors_layout(std::span<const Array* const> arrays) {
  check_names(arrays);
  SafetensorsLayout layout{.values_at = std::vector<std::uint64_t>(arrays.size())};
  auto header = nlohmann::ordered_json::object();
  for (const std::size_t i : file_order(arrays)) {
    layout.values_at[i] = layout.bytes;
    layout.bytes += value_bytes(*arrays[i]);
    header[arrays[i]->name] = {{"dtype", is_single(*arrays[i]) ? "F32" : "F64"},
                               {"shape", arrays[i]->shape},
                               {"data_offsets", {layout.values_at[i], layout.bytes}}};
  }
  constexpr std::size_t alignment = 8;
  std::string text = header.dump();
  text.append((alignment - text.size() % alignment) % alignment, ' ');
  layout.header = length_prefix(text.size()) + text;
  for (std::uint64_t& at : layout.values_at) at += layout.header.size();
  layout.bytes += layout.header.size();
  return layout;
}

std::string safetensors_bytes(std::span<const Array* const> arrays) {
  const SafetensorsLayout layout = safetensors_layout(arrays);
  std::string bytes(layout.bytes, '\0');
  layout.header.copy(bytes.data(), layout.header.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::string_view values = array_bytes(*arrays[i]);
    values.copy(bytes.data() + layout.values_at[i], values.size());
  }
  return bytes;
}

}  // namespace orrery
