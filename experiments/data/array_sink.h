#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "experiments/model/figure.h"

namespace orrery::data {

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

}  // namespace orrery::data
