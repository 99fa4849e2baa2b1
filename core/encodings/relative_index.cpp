#include "core/encodings/relative_index.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/errors.h"

namespace orrery {

UsedRows used_rows(IndexMatrix index) {
  if (index.size() == 0) return {0, 0, std::move(index)};
  const Index first = index.minCoeff();
  const Index count = index.maxCoeff() - first + 1;
  index.array() -= first;
  return {first, count, std::move(index)};
}

template <class T>
Matrix<T> gather_by_query(const Matrix<T>& products, const IndexMatrix& index) {
  Matrix<T> out(index.rows(), index.cols());
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = products(i, index(i, j));
  return out;
}

template <class T>
Matrix<T> gather_by_key(const Matrix<T>& products, const IndexMatrix& index) {
  Matrix<T> out(index.rows(), index.cols());
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j) out(i, j) = products(j, index(i, j));
  return out;
}

template <class T>
Matrix<T> gather_bias(const Matrix<T>& table, const IndexMatrix& index, int head) {
  return index.unaryExpr([&](Index row) { return table(row, head); });
}

template <class T>
void add_bias_gradients(const MatrixIn<T>& values, const IndexMatrix& index, int head,
                        Matrix<double>& sums) {
  for (Index i = 0; i < index.rows(); ++i)
    for (Index j = 0; j < index.cols(); ++j)
      sums(index(i, j), head) += static_cast<double>(values(i, j));
}

template <class T>
Matrix<T> sums_by_query(const MatrixIn<T>& values, const IndexMatrix& index, Index rows) {
  Matrix<T> sums = Matrix<T>::Zero(index.rows(), rows);
  for (Index i = 0; i < index.rows(); ++i)
    for (Index j = 0; j < index.cols(); ++j) sums(i, index(i, j)) += values(i, j);
  return sums;
}

template <class T>
Matrix<T> sums_by_key(const MatrixIn<T>& values, const IndexMatrix& index, Index rows) {
  Matrix<T> sums = Matrix<T>::Zero(index.cols(), rows);
  for (Index i = 0; i < index.rows(); ++i)
    for (Index j = 0; j < index.cols(); ++j) sums(j, index(i, j)) += values(i, j);
  return sums;
}

double rounded_distance(Position m, Position n, const StageRounding& rounding) {
  if (!rounding.rounds(Stage::position))  // whole numbers: rounded once at most
    return rounding(Stage::distance, static_cast<double>(relative_position(m, n)));
  const double query = rounding(Stage::position, static_cast<double>(m));
  const double key = rounding(Stage::position, static_cast<double>(n));
  return rounding(Stage::distance, query - key);
}

double log_place(Position distance, double from, double to, double steps,
                 const StageRounding& rounding) {
  const auto rounded = [&](double value) { return rounding(Stage::log, value); };
  const double number = rounding(Stage::distance, static_cast<double>(distance));
  const double share = rounded(rounded(std::log(rounded(number / from))) / std::log(to / from));
  return rounded(share * steps);
}

void check_head(int head, Index heads) {
  if (head >= 0 && head < heads) return;
  throw UsageError(fmt::format("head={}", head),
                   fmt::format("the encoding was made for {} head{}, counted from 0", heads,
                               heads == 1 ? "" : "s"),
                   "choose a head below that number, or make it for all of them, as by heads=8");
}

template Matrix<float> gather_bias(const Matrix<float>&, const IndexMatrix&, int);
template Matrix<double> gather_bias(const Matrix<double>&, const IndexMatrix&, int);
template Matrix<float> gather_by_query(const Matrix<float>&, const IndexMatrix&);
template Matrix<double> gather_by_query(const Matrix<double>&, const IndexMatrix&);
template Matrix<float> gather_by_key(const Matrix<float>&, const IndexMatrix&);
template Matrix<double> gather_by_key(const Matrix<double>&, const IndexMatrix&);
template void add_bias_gradients(const MatrixIn<float>&, const IndexMatrix&, int, Matrix<double>&);
template Matrix<float> sums_by_query(const MatrixIn<float>&, const IndexMatrix&, Index);
template Matrix<float> sums_by_key(const MatrixIn<float>&, const IndexMatrix&, Index);
template void add_bias_gradients(const MatrixIn<double>&, const IndexMatrix&, int, Matrix<double>&);
template Matrix<double> sums_by_query(const MatrixIn<double>&, const IndexMatrix&, Index);
template Matrix<double> sums_by_key(const MatrixIn<double>&, const IndexMatrix&, Index);

}  // namespace orrery
