#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/data/array_codec.h"
#include "experiments/data/array_sink.h"

namespace orrery {

/// Arrays in memory, with the values that came in parts.
class HeldArrays : public ArraySink {
 public:
  void begin(std::span<const Array> arrays) override {
    arrays_.assign(arrays.begin(), arrays.end());
    for (Array& array : arrays_)
      std::visit([&](auto& values) { values.resize(value_bytes(array) / sizeof(values[0])); },
                 array.values);
    filled_.resize(arrays_.size());
  }
  void append(std::size_t array, std::string_view bytes) override {
    std::visit(
        [&](auto& values) {
          // char may alias any type.
          std::memcpy(reinterpret_cast<char*>(values.data()) + filled_[array], bytes.data(),
                      bytes.size());
        },
        arrays_[array].values);
    filled_[array] += bytes.size();
  }

  const std::vector<Array>& arrays() const { return arrays_; }
  /// The arrays, which this gives away.
  std::vector<std::shared_ptr<const Array>> take() {
    std::vector<std::shared_ptr<const Array>> taken;
    for (Array& array : arrays_) taken.push_back(std::make_shared<const Array>(std::move(array)));
    arrays_.clear();
    return taken;
  }

 private:
  std::vector<Array> arrays_{};
  std::vector<std::size_t> filled_{};
};

}  // namespace orrery
