#include "experiments/data/sliced_tensor.h"

#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/data/array_codec.h"

namespace orrery::data {
namespace {

constexpr std::size_t large = std::size_t{8} << 20;  // bytes: smaller ones are soon read whole

std::size_t matrix_elements(const std::vector<std::size_t>& shape) {
  return shape[shape.size() - 2] * shape.back();
}

bool stays_in_file(const NpyHeader& header, std::size_t held) {
  const ArrayLayout& layout = header.layout;
  const std::size_t bytes = layout.elements * layout.type.bytes;
  return layout.shape.size() > 2 && !layout.column_major && bytes >= large &&
         held - header.data_offset == bytes;
}

}  // namespace

SlicedTensor::SlicedTensor(std::shared_ptr<const MappedFile> file, NpyHeader header,
                           std::string name)
    : described_{.name = std::move(name), .shape = header.layout.shape},
      file_(std::move(file)),
      header_(std::move(header)) {}

std::size_t SlicedTensor::matrices() const {
  std::size_t count = 1;
  for (std::size_t axis = 0; axis + 2 < described_.shape.size(); ++axis)
    count *= described_.shape[axis];
  return count;
}

Tensor SlicedTensor::matrix(std::size_t number) const {
  const std::size_t elements = matrix_elements(described_.shape), first = number * elements;
  Tensor matrix{.name = described_.name,
                .shape = {described_.shape.end() - 2, described_.shape.end()}};
  if (!file_) {
    const auto begin = described_.values.begin() + static_cast<std::ptrdiff_t>(first);
    matrix.values.assign(begin, begin + static_cast<std::ptrdiff_t>(elements));
    return matrix;
  }
  ArrayLayout layout = header_.layout;
  layout.shape = matrix.shape;
  layout.elements = elements;
  const std::size_t width = layout.type.bytes;
  matrix.values =
      decode_array(file_->bytes().substr(header_.data_offset + first * width, elements * width),
                   layout, matrix.name);
  file_->forget();
  return matrix;
}

void SlicedTensor::give_back() {
  std::vector<double>().swap(described_.values);  // an assignment of {} would keep the memory
}

std::unique_ptr<SlicedTensor> sliced_npy(const std::shared_ptr<const MappedFile>& file,
                                         const std::string& name) {
  try {
    NpyHeader header = parse_npy_header(file->bytes(), name);
    if (!stays_in_file(header, file->bytes().size())) return nullptr;
    auto tensor = std::make_unique<SlicedTensor>(file, std::move(header), name);
    // All are decoded once, so that what cannot be read is refused before anything is computed.
    for (std::size_t i = 0; i < tensor->matrices(); ++i) static_cast<void>(tensor->matrix(i));
    return tensor;
  } catch (const DataError&) {
    return nullptr;
  }
}

}  // namespace orrery::data
