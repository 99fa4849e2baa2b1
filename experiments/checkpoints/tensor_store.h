#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/checkpoints/stored_tensors.h"
#include "experiments/files/mapped_file.h"

namespace orrery {

/// The tensors of a checkpoint, where they lie in its files. Nothing is copied: the files are
/// mapped, and of them only the headers are read before a tensor is looked at.
///
/// Replacing a file by another leaves the store with the old one.
class TensorStore {
 public:
  /// Opens a folder with model.safetensors, else with model.safetensors.index.json and its shards,
  /// else with one *.gguf; or such a file itself.
  ///
  /// Throws IoError: nothing there, or it cannot be read. Throws DataError, naming file, tensor and
  /// remedy: all errors of stored_tensors, sharded_tensors and parse_weight_index; a shard that is
  /// missing or leads back to the index; a folder with several GGUFs, or with pickles alone.
  static TensorStore open(const std::filesystem::path& path);

  /// Null where there is none.
  const StoredTensor* find(std::string_view tensor) const;
  /// "model.safetensors#lm_head.weight", for messages.
  std::string label(std::string_view tensor) const;
  const StoredTensors& tensors() const { return tensors_; }
  std::uint64_t bytes() const { return bytes_of(tensors_); }  ///< of all tensors
  const std::string& name() const { return name_; }           ///< path of the file or index
  /// Throws IoError where a file was shortened by another process, and bytes that are gone were read.
  void require_whole() const;
  bool is_gguf() const { return is_gguf_; }
  const std::string& format() const { return format_; }  ///< "GGUF", "safetensors in 2 shards"

 private:
  TensorStore() = default;
  void open_file(const std::filesystem::path& file);
  void open_shards(const std::filesystem::path& index);
  std::string_view map(const std::filesystem::path& file);

  std::string name_{};
  std::string format_{};
  bool is_gguf_{false};
  std::vector<MappedFile> files_{};
  StoredTensors tensors_{};  // views into files_
};

/// The file of the weights that a folder holds, as TensorStore::open chooses; a path that is no
/// folder is returned as it is. Throws as TensorStore::open does for a folder.
std::filesystem::path weights_file(const std::filesystem::path& path);

}  // namespace orrery
