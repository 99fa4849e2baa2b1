#include "experiments/data/sliced_tensor.h"

#include <optional>
#include <vector>

#include "core/errors.h"
#include "experiments/data/array_codec.h"

namespace orrery {
namespace {

constexpr std::size_t large_bytes = std::size_t{8}
                                    << 20;  // bytes: smaller ones are soon read whole

}  // namespace

SlicedTensor::SlicedTensor(std::shared_ptr<const MappedFile> file, PlacedArray placed,
                           std::string name)
    : described_{.name = std::move(name), .shape = placed.layout.shape},
      file_(std::move(file)),
      placed_(std::move(placed)) {}

std::size_t SlicedTensor::matrices() const {
  std::size_t count = 1;
  for (std::size_t axis = 0; axis + 2 < described_.shape.size(); ++axis)
    count *= described_.shape[axis];
  return count;
}

Tensor SlicedTensor::matrix(std::size_t number) const {
  const std::vector<std::size_t>& shape = described_.shape;
  const std::size_t elements = shape[shape.size() - 2] * shape.back(), first = number * elements;
  Tensor matrix{.name = described_.name,
                .shape = {described_.shape.end() - 2, described_.shape.end()}};
  if (!file_) {
    const auto begin = described_.values.begin() + static_cast<std::ptrdiff_t>(first);
    matrix.values.assign(begin, begin + static_cast<std::ptrdiff_t>(elements));
    return matrix;
  }
  ArrayLayout layout = placed_.layout;
  layout.shape = matrix.shape;
  layout.elements = elements;
  const std::size_t width = layout.type.bytes;
  matrix.values =
      decode_array(placed_.data.substr(first * width, elements * width), layout, matrix.name);
  file_->require_whole();
  file_->forget();
  return matrix;
}

void SlicedTensor::give_back() {
  std::vector<double>().swap(described_.values);  // an assignment of {} would keep the memory
}

std::unique_ptr<SlicedTensor> sliced_tensor(const std::shared_ptr<const MappedFile>& file,
                                            const TensorArchive& archive, const std::string& tensor,
                                            const std::string& label) {
  try {
    std::optional<PlacedArray> placed = archive.place(tensor);
    if (!placed || placed->layout.shape.size() < 2 || placed->layout.column_major ||
        placed->data.size() < large_bytes)
      return nullptr;
    auto sliced = std::make_unique<SlicedTensor>(file, std::move(*placed), label);
    // All are decoded once, so that what cannot be read is refused before anything is computed.
    for (std::size_t i = 0; i < sliced->matrices(); ++i) static_cast<void>(sliced->matrix(i));
    return sliced;
  } catch (const DataError&) {
    return nullptr;
  }
}

}  // namespace orrery
