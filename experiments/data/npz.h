#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/data/tensor_map.h"
#include "experiments/data/zip_archive.h"
#include "experiments/model/figure.h"

namespace orrery {

/// An .npz file in memory. The bytes must outlive it.
class NpzArchive final : public TensorArchive {
 public:
  /// Throws DataError for all errors of parse_npz but those in the content of one member.
  NpzArchive(std::string_view bytes, std::string name);

  std::vector<std::string> names() const override;
  Tensor tensor(const std::string& name, Values allowed = Values::finite) const override;
  std::optional<PlacedArray> place(const std::string& name) const override;
  void require_readable(const std::string& name) const override;

 private:
  std::string file_;
  ZipArchive zip_;
  std::map<std::string, std::size_t, std::less<>>
      members_{};  ///< index of the member of zip_, by tensor
};

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

}  // namespace orrery
