#include "core/transformer/norm.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "core/kernels/steps.h"

namespace orrery {
namespace {

template <class T>
void check_width(const Matrix<T>& w, Index d, const char* name) {
  if (w.size() == 0 || (w.rows() == 1 && w.cols() == d)) return;
  throw UsageError(fmt::format("a norm's {} of shape [{}, {}]", name, w.rows(), w.cols()),
                   fmt::format("must have one number for each of {} channels", d),
                   "read it from the same layer");
}

/// What rows are multiplied by. [1, d]
template <class T>
Matrix<T> factors_of(const NormDesign& design, const NormWeights<T>& weights, Index d) {
  if (weights.gain.size() == 0) return Matrix<T>::Ones(1, d);
  return (weights.gain.array() + static_cast<T>(design.added)).matrix();
}

template <class T>
kernels::NormRows<T> rows_of(const NormDesign& design, const MatrixIn<T>& rows,
                             const Matrix<T>& factors) {
  return {.rows = static_cast<std::size_t>(rows.rows()),
          .channels = static_cast<std::size_t>(rows.cols()),
          .x = rows.data(),
          .stride = rows.outerStride(),
          .epsilon = design.epsilon,
          .centres = design.kind == NormKind::layer,
          .gain = factors.data()};
}

/// Channels that share a norm.
Index width_of(const QkNormDesign& design, Index d_head, Index all) {
  return design.over == QkNormSpan::layer ? all : d_head;
}

}  // namespace

template <class T>
void normalise(const NormDesign& design, const NormWeights<T>& weights, const MatrixIn<T>& rows,
               MatrixOut<T> out) {
  check_width(weights.gain, rows.cols(), "gain");
  check_width(weights.bias, rows.cols(), "bias");
  if (design.kind == NormKind::none) {
    out = rows;
    return;
  }
  const Matrix<T> factors = factors_of(design, weights, rows.cols());
  kernels::step_kernels<T>().normalise(rows_of<T>(design, rows, factors),
                                       weights.bias.size() > 0 ? weights.bias.data() : nullptr,
                                       out.data(), out.outerStride());
}

template <class T>
Matrix<T> normalised(const NormDesign& design, const NormWeights<T>& weights,
                     const MatrixIn<T>& rows) {
  Matrix<T> out(rows.rows(), rows.cols());
  normalise<T>(design, weights, rows, out);
  return out;
}

template <class T>
void pull_back_norm(const NormDesign& design, const NormWeights<T>& weights,
                    const MatrixIn<T>& rows, const MatrixIn<T>& d_out, NormWeights<T>& d_weights,
                    MatrixOut<T> d_rows, Into into) {
  if (design.kind == NormKind::none) {
    if (into == Into::add)
      d_rows += d_out;
    else
      d_rows = d_out;
    return;
  }
  if (weights.bias.size() > 0) d_weights.bias += d_out.colwise().sum();
  const Matrix<T> factors = factors_of(design, weights, rows.cols());
  Matrix<T> d_gain = Matrix<T>::Zero(1, rows.cols());
  kernels::step_kernels<T>().pull_norm_back(rows_of<T>(design, rows, factors), d_out.data(),
                                            d_out.outerStride(), d_rows.data(),
                                            d_rows.outerStride(), into == Into::add, d_gain.data());
  if (weights.gain.size() > 0) d_weights.gain += d_gain;
}

#define ORRERY_INSTANTIATE(T)                                                                  \
  template Matrix<T> normalised(const NormDesign&, const NormWeights<T>&, const MatrixIn<T>&); \
  template void normalise(const NormDesign&, const NormWeights<T>&, const MatrixIn<T>&,        \
                          MatrixOut<T>);                                                       \
  template void pull_back_norm(const NormDesign&, const NormWeights<T>&, const MatrixIn<T>&,   \
                               const MatrixIn<T>&, NormWeights<T>&, MatrixOut<T>, Into)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

template <class T>
Matrix<T> normed_heads(const QkNormDesign& design, const NormWeights<T>& w, Index d_head,
                       const Matrix<T>& all) {
  const Index width = width_of(design, d_head, all.cols());
  Matrix<T> out(all.rows(), all.cols());
  for (Index at = 0; at < all.cols(); at += width)
    normalise<T>(design.norm, w, all.middleCols(at, width), out.middleCols(at, width));
  return out;
}

template <class T>
void pull_back_heads(const QkNormDesign& design, const NormWeights<T>& w, Index d_head,
                     const Matrix<T>& all, Matrix<T>& d, NormWeights<T>& d_w) {
  const Index width = width_of(design, d_head, all.cols());
  for (Index at = 0; at < all.cols(); at += width)
    pull_back_norm<T>(design.norm, w, all.middleCols(at, width), d.middleCols(at, width), d_w,
                      d.middleCols(at, width));
}

#define ORRERY_INSTANTIATE(T)                                                        \
  template Matrix<T> normed_heads(const QkNormDesign&, const NormWeights<T>&, Index, \
                                  const Matrix<T>&);                                 \
  template void pull_back_heads(const QkNormDesign&, const NormWeights<T>&, Index,   \
                                const Matrix<T>&, Matrix<T>&, NormWeights<T>&)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
