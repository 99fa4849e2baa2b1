#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "experiments/data/archive_layout.h"
#include "experiments/data/array_sink.h"
#include "experiments/files/atomic_write.h"

namespace orrery::data {

/// Writes the arrays of one .npz or .safetensors file at the same time, each where it will lie. The
/// file appears as a whole or not at all. Memory: independent of the arrays.
class ArchiveFile final : public ArraySink {
 public:
  ArchiveFile(std::filesystem::path path, Existing existing);

  /// Throws IoError, also where the disk is too small for them.
  void begin(std::span<const Array> arrays) override;
  void append(std::size_t array, std::string_view bytes) override;
  /// Ends the file. Throws IoError. An array of which values lack breaks an invariant.
  void commit();

 private:
  std::filesystem::path path_;
  Existing existing_;
  std::unique_ptr<ArchiveLayout> layout_{};
  std::optional<AtomicFile> file_{};
  std::vector<std::uint64_t> written_{};  ///< bytes of each array
  std::vector<std::uint64_t> whole_{};
};

}  // namespace orrery::data
