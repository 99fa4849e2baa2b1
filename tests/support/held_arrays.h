#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/data/array_codec.h"
#include "experiments/data/array_sink.h"

namespace orrery::test {

/// Arrays with the values that came in parts.
class HeldArrays : public data::ArraySink {
 public:
  void begin(std::span<const model::Array> arrays) override {
    arrays_.assign(arrays.begin(), arrays.end());
    for (model::Array& array : arrays_)
      std::visit([&](auto& values) { values.resize(data::value_bytes(array) / sizeof(values[0])); },
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

  const std::vector<model::Array>& arrays() const { return arrays_; }
  /// Empty when there is no such array.
  std::vector<double> numbers(const std::string& name) const {
    std::vector<double> values;
    for (const model::Array& array : arrays_)
      for (std::size_t i = 0; array.name == name && i < array.size(); ++i)
        values.push_back(array[i]);
    return values;
  }

 private:
  std::vector<model::Array> arrays_{};
  std::vector<std::size_t> filled_{};
};

}  // namespace orrery::test
