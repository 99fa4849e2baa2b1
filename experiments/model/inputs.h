#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "experiments/model/layers.h"

namespace orrery::model {

/// A text that was read, valid UTF-8 and not empty.
struct Text {
  std::string name{};  ///< for captions: the file's name without its folder
  std::string utf8{};
};

/// An array that was read: row-major, finite, at least one element.
struct Tensor {
  std::string name{};
  std::vector<std::size_t> shape{};
  std::vector<double> values{};
};

using Input = std::variant<Text, Tensor>;
/// The contents of the files that a ParamSet names, by parameter key; without keys left empty.
using Inputs = std::map<std::string, Input, std::less<>>;

}  // namespace orrery::model
