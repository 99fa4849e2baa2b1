#include "experiments/setup/eigen_arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.h"

namespace orrery {

template <class T>
ArrayPtr to_array(const Matrix<T>& values, std::string name, std::string description,
                  std::vector<std::string> axes, FigureRole role) {
  const auto size = static_cast<std::size_t>(values.size());
  return std::make_shared<const Array>(
      Array{std::move(name),
            std::move(description),
            {static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols())},
            std::move(axes),
            std::vector<T>(values.data(), values.data() + size),
            std::move(role)});
}

ArrayPtr mask_array(const Mask& mask, Index n) {
  if (mask.allows_everything()) return nullptr;
  mask.check_shape(n, n);
  Matrix<float> masked(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) masked(i, j) = mask.allows(i, j) ? 0.0f : 1.0f;
  return to_array<float>(masked, "masked", "1 where the query does not see the key",
                         {"query", "key"});
}

const Tensor* tensor_of(const Inputs& inputs, std::string_view key) {
  const auto found = inputs.find(key);
  return found == inputs.end() ? nullptr : std::get_if<Tensor>(&found->second);
}

std::string shape_text(const Tensor& tensor) {
  return fmt::format("{} of shape [{}]", tensor.name, fmt::join(tensor.shape, ", "));
}

std::size_t heads_of(const Tensor& tensor) {
  const std::size_t rank = tensor.shape.size();
  if (rank == 2) return 1;
  if (rank == 3) return tensor.shape.front();
  throw DataError(shape_text(tensor), "must be [N, d] or [heads, N, d]",
                  "reshape it and save it again");
}

template <class T>
Matrix<T> head_matrix(const Tensor& tensor, std::size_t head, std::size_t most_rows) {
  const std::size_t heads = heads_of(tensor);
  if (head >= heads)
    throw DataError(shape_text(tensor), fmt::format("has no head {}", head),
                    fmt::format("choose head=0 to head={}", heads - 1));
  const std::size_t rows = tensor.shape[tensor.shape.size() - 2];
  const std::size_t columns = tensor.shape.back();
  const std::size_t used = std::min<std::size_t>(rows, most_rows);
  Matrix<T> values(static_cast<Index>(used), static_cast<Index>(columns));
  const std::size_t offset = head * rows * columns;
  for (std::size_t i = 0; i < used * columns; ++i)
    values.data()[i] = static_cast<T>(tensor.values[offset + i]);
  return values;
}

std::size_t matrices_in(const Tensor& tensor) {
  if (tensor.shape.size() < 2)
    throw DataError(shape_text(tensor), "must have rows and channels, [N, d]",
                    "reshape it and save it again");
  return tensor.values.size() / (tensor.shape.back() * tensor.shape[tensor.shape.size() - 2]);
}

template <class T>
Matrix<T> matrix_in(const Tensor& tensor, std::size_t number) {
  const std::size_t rows = tensor.shape[tensor.shape.size() - 2];
  const std::size_t columns = tensor.shape.back();
  Matrix<T> values(static_cast<Index>(rows), static_cast<Index>(columns));
  for (std::size_t i = 0; i < rows * columns; ++i)
    values.data()[i] = static_cast<T>(tensor.values[number * rows * columns + i]);
  return values;
}

Matrix<double> to_matrix(const Tensor& tensor) {
  const std::size_t rank = tensor.shape.size();
  if (rank != 1 && rank != 2)
    throw DataError(shape_text(tensor), "must be a vector or a matrix",
                    "reshape it and save it again");
  const auto columns = static_cast<Index>(tensor.shape.back());
  const Index rows = rank == 2 ? static_cast<Index>(tensor.shape.front()) : 1;
  Matrix<double> table(rows, columns);
  std::copy(tensor.values.begin(), tensor.values.end(), table.data());
  return table;
}

template ArrayPtr to_array(const Matrix<float>&, std::string, std::string, std::vector<std::string>,
                           FigureRole);
template ArrayPtr to_array(const Matrix<double>&, std::string, std::string,
                           std::vector<std::string>, FigureRole);
template Matrix<float> head_matrix(const Tensor&, std::size_t, std::size_t);
template Matrix<double> head_matrix(const Tensor&, std::size_t, std::size_t);
template Matrix<float> matrix_in(const Tensor&, std::size_t);
template Matrix<double> matrix_in(const Tensor&, std::size_t);

}  // namespace orrery
