#include "experiments/checkpoints/decoded.h"

#include "experiments/checkpoints/decode_rows.h"

namespace orrery {
namespace {

/// The matrix whose rows are those of the first dimension.
template <class T>
Matrix<T> whole(const PlacedTensor& placed, int threads) {
  const MatrixSize size = matrix_size(*placed.tensor);
  const Index rows =
      placed.tensor->shape.size() < 2 ? 1 : static_cast<Index>(placed.tensor->shape.front());
  Matrix<T> out(rows, rows == 0 ? 0 : size.rows * size.columns / rows);
  if (out.size() == 0) return out;
  Eigen::Map<Matrix<T>> as_stored(out.data(), size.rows, size.columns);
  decode_rows<T>(*placed.tensor, placed.name, 0, as_stored, threads);
  return out;
}

template <class T>
Matrix<T> columns_of(const Matrix<T>& all, const std::vector<RowRange>& ranges, Index count) {
  Matrix<T> out(all.rows(), count);
  Index at = 0;
  for (const RowRange& range : ranges) {
    out.middleCols(at, range.count) = all.middleCols(range.first, range.count);
    at += range.count;
  }
  return out;
}

template <class T>
Matrix<T> weights(const PlacedLinear& placed, int threads) {
  if (placed.transposed) {
    Matrix<T> all = whole<T>(placed.W, threads);
    if (!placed.outputs.empty()) all = columns_of(all, placed.outputs, placed.out);
    return all.transpose();
  }
  if (placed.outputs.empty()) return whole<T>(placed.W, threads);
  Matrix<T> out(placed.out, placed.in);
  Index at = 0;
  for (const RowRange& range : placed.outputs) {
    decode_rows<T>(*placed.W.tensor, placed.W.name, range.first, out.middleRows(at, range.count),
                   threads);
    at += range.count;
  }
  return out;
}

}  // namespace

template <class T>
Matrix<T> decoded(const PlacedTensor& placed, int threads) {
  return placed ? whole<T>(placed, threads) : Matrix<T>{};
}

template <class T>
LinearWeights<T> decoded(const PlacedLinear& placed, int threads) {
  if (!placed.W) return {};
  LinearWeights<T> linear{.W = weights<T>(placed, threads)};
  if (!placed.b || !placed.adds_b) return linear;
  linear.b = decoded<T>(placed.b);
  const std::vector<RowRange>& own = placed.biases.empty() ? placed.outputs : placed.biases;
  if (!own.empty()) linear.b = columns_of<T>(linear.b, own, placed.out);
  return linear;
}

template <class T>
NormWeights<T> decoded(const PlacedNorm& placed) {
  return {.gain = decoded<T>(placed.gain), .bias = decoded<T>(placed.bias)};
}

#define ORRERY_INSTANTIATE(T)                                  \
  template Matrix<T> decoded(const PlacedTensor&, int);        \
  template LinearWeights<T> decoded(const PlacedLinear&, int); \
  template NormWeights<T> decoded(const PlacedNorm&)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
