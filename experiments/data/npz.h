#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/data/array_sink.h"
#include "experiments/data/safetensors.h"
#include "experiments/data/tensor_map.h"
#include "experiments/data/zip_records.h"
#include "experiments/files/atomic_write.h"
#include "experiments/model/figure.h"

namespace orrery {

/// Opens an .npz file in memory, whose bytes must outlive the archive. Throws DataError for all errors
/// of parse_npz but those in the content of one member.
std::unique_ptr<TensorArchive> open_npz(std::string_view bytes, std::string name);

/// Reads NumPy's .npz format: a zip archive of .npy files, stored or deflated, each named after its
/// array. No member is unpacked beyond max_npy_file_bytes, and all arrays together have at most
/// max_elements.
/// @param name  the file's name in messages; its arrays are "name#array"
/// Throws DataError: not a zip archive, truncated, damaged (also by CRC-32), surplus bytes; no
/// members, two with the same name, one that is encrypted, compressed by another method, too large,
/// not .npy, or whose name is absolute or contains ".."; and as parse_npy does for each member.
TensorMap parse_npz(std::string_view bytes, const std::string& name);

/// The arrays as an .npz file that numpy.load reads: uncompressed, in the given order, dated
/// 1980-01-01, so that the bytes are always the same. NaN and infinities are kept. No arrays, two
/// with the same name, or a name that parse_npz would refuse break an invariant.
std::string npz_bytes(std::span<const Array* const> arrays);
/// The name of an array's member there. A name that parse_npz would refuse breaks an invariant.
std::string npz_member(const Array& array);

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
