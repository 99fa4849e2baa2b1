#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "experiments/model/figure.h"

namespace orrery {

/// Where arrays go whose shapes are known before their values are: a map of attention is computed
/// and written some rows at a time, and is never held as a whole.
class ArraySink {
 public:
  virtual ~ArraySink() = default;
  /// What will come, once: names, shapes and types, without values.
  virtual void begin(std::span<const Array> arrays) = 0;
  /// The next values of an array, in row-major order and in the array's own type.
  /// @param array  its number in begin's list
  virtual void append(std::size_t array, std::string_view bytes) = 0;
};

/// Hands whole arrays to a sink, one after another.
inline void write_to(ArraySink& sink, const std::vector<std::shared_ptr<const Array>>& arrays) {
  std::vector<Array> described;
  for (const auto& array : arrays) {
    described.push_back(
        {array->name, array->description, array->shape, array->axes, {}, array->role});
    if (std::holds_alternative<std::vector<float>>(array->values))
      described.back().values = std::vector<float>{};
  }
  sink.begin(described);
  for (std::size_t i = 0; i < arrays.size(); ++i)
    std::visit(
        [&](const auto& values) {
          sink.append(
              i, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])});
        },
        arrays[i]->values);
}

}  // namespace orrery
