#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace orrery {
class SlicedTensor;   // experiments/data/sliced_tensor.h
struct TensorPair;    // experiments/data/tensor_pairs.h
struct PositionPlan;  // experiments/model_files/position_plan.h

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

/// The layers of a model's file that was read.
struct ModelFile {
  std::string name{};  ///< for captions: the file's name, after that of its folder
  std::shared_ptr<const PositionPlan> plan{};
  std::filesystem::path path{};  ///< of the GGUF or the folder, for those who run the model
  bool has_weights{};            ///< whether there are any to run it with
  std::string sha256{};          ///< of what is read of it
};

/// An array of which a run reads one matrix at a time: that of a parameter `by_matrix`.
using Matrices = std::shared_ptr<const SlicedTensor>;

/// Where tensors before and after lie, of which a run reads one pair at a time.
using TensorPairs = std::shared_ptr<const std::vector<TensorPair>>;

using Input = std::variant<Text, Tensor, ModelFile, Matrices, TensorPairs>;
/// The contents of the files that a ParamSet names, by parameter key; without keys left empty.
using Inputs = std::map<std::string, Input, std::less<>>;

}  // namespace orrery
