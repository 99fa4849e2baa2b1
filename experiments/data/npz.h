#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/data/tensor_archive.h"
#include "experiments/data/zip_archive.h"
#include "experiments/figure/figure.h"

namespace orrery {

/// A .npz file. The bytes outlive it.
class NpzArchive final : public TensorArchive {
 public:
  /// Throws DataError as parse_npz does for all that is not a matter of one member's content.
  NpzArchive(std::string_view bytes, std::string name);

  std::vector<std::string> names() const override;
  Tensor tensor(const std::string& name, Values allowed = Values::finite) const override;

 private:
  std::string file_;
  ZipArchive zip_;
  std::map<std::string, std::size_t, std::less<>> members_{};  ///< by tensor: which member of zip_
};

/// Reads NumPy's .npz format: a zip archive of .npy files, stored or deflated, each named for its
/// array. No member is unpacked beyond max_npy_file_bytes, and all together have at most
/// max_elements.
/// @param name  what messages call the file; an array of it is "name#array"
/// Throws DataError: not a zip archive, cut off, damaged (also by CRC-32), bytes left over; no
/// members, two of one name, one that is encrypted, compressed otherwise, larger than is read, not
/// .npy, or whose name is absolute or goes up with ".."; and as parse_npy does for each.
TensorMap parse_npz(std::string_view bytes, const std::string& name);

/// The arrays as a .npz file, stored, in the given order and dated 1980-01-01: what numpy.load
/// reads, and the same bytes every time. NaN and infinities are kept. No arrays, two of one name,
/// or one whose name parse_npz would refuse, break an invariant.
std::string npz_bytes(std::span<const Array* const> arrays);

}  // namespace orrery
