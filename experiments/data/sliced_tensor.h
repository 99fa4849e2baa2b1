#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "experiments/data/tensor_map.h"
#include "experiments/files/mapped_file.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// An array of matrices [N, d], such as the heads of a layer, of which a caller needs one at a
/// time: the whole in memory, or in a file whose matrices are read when they are asked for.
class SlicedTensor {
 public:
  /// Of an array in memory. Implicit, because it is one.
  SlicedTensor(Tensor tensor) : described_(std::move(tensor)) {}
  /// Of a file, in which the array is placed in C order.
  SlicedTensor(std::shared_ptr<const MappedFile> file, PlacedArray placed, std::string name);

  /// Name and shape. Without values where they stay in the file.
  const Tensor& described() const { return described_; }
  std::size_t matrices() const;
  /// Matrix `number`, counted with the last of the outer dimensions fastest, [N, d].
  /// Throws DataError as parse_npy does.
  Tensor matrix(std::size_t number) const;
  /// Frees the values in memory.
  void give_back();

 private:
  Tensor described_;
  std::shared_ptr<const MappedFile> file_{};
  PlacedArray placed_{};
};

/// Matrices that stay in their file: of rank 2 to 4, in C order, not packed, and large. Null for
/// any other array, and for one that the archive refuses, which says why best.
/// @param archive  of the file's bytes
/// @param tensor  one of its names
/// @param label  the array's name in messages
std::unique_ptr<SlicedTensor> sliced_tensor(const std::shared_ptr<const MappedFile>& file,
                                            const TensorArchive& archive, const std::string& tensor,
                                            const std::string& label);

}  // namespace orrery
