#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/model/inputs.h"

namespace orrery {

/// A tensor before and after, by where it lies: "dump/q_before.npy" or "dump.npz#q_before".
struct TensorPair {
  std::string name{};  ///< "layer0.q": what both names share
  std::string before{};
  std::string after{};
  std::optional<int> layer{};  ///< the number behind "layer" or "layers" in the name, or the first
};

/// The pairs in a folder of .npy, .npz and .safetensors files, or in one file of several tensors:
/// names that are equal but for the word "before" or "pre" in one and "after" or "post" in the
/// other. In the order of the numbers in their names.
/// Throws UsageError: no pair; IoError and DataError as reading does.
std::vector<TensorPair> tensor_pairs(const std::filesystem::path& path);

/// The files in which tensor_pairs looks: those of tensors in a folder, or the one that it is.
std::vector<std::filesystem::path> files_of_pairs(const std::filesystem::path& path);

/// The tensor of a path such as "dump.npz#q_before". Throws as read_tensors does.
Tensor read_named_tensor(const std::string& path);

}  // namespace orrery
