#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "experiments/data/array_sink.h"
#include "experiments/data/safetensors.h"
#include "experiments/data/zip_writer.h"
#include "experiments/files/atomic_write.h"

namespace orrery {

/// Writes the arrays of one .npz or .safetensors file at the same time. The file appears as a whole
/// or not at all. Memory: independent of the arrays.
class ArchiveFile final : public ArraySink {
 public:
  ArchiveFile(std::filesystem::path path, Existing existing);

  /// Throws IoError, also where the disk is too small for them.
  void begin(std::span<const Array> arrays) override;
  void append(std::size_t array, std::string_view bytes) override;
  /// Ends the file. Throws IoError. An array of which values lack breaks an invariant.
  void commit();

 private:
  bool is_npz() const { return path_.extension() == ".npz"; }
  void begin_npz(const std::vector<const Array*>& arrays);

  std::filesystem::path path_;
  Existing existing_;
  std::optional<AtomicFile> file_{};
  std::optional<StoredZipFile> zip_{};  ///< of a .npz
  std::vector<std::uint64_t> values_at_{};
  std::vector<std::uint64_t> written_{};  ///< bytes of each array
  std::vector<std::uint64_t> whole_{};
};

}  // namespace orrery
