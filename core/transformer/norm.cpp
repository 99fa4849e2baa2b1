#include "core/transformer/norm.h"

#include <fmt/format.h>

#include <cmath>

#include "core/errors.h"

namespace orrery {
namespace {

template <class T>
void check_width(const Matrix<T>& w, Index d, const char* name) {
  if (w.size() == 0 || (w.rows() == 1 && w.cols() == d)) return;
  throw UsageError(fmt::format("a norm's {} of shape [{}, {}]", name, w.rows(), w.cols()),
                   fmt::format("must have one number for each of {} channels", d),
                   "read it from the same layer");
}

}  // namespace

template <class T>
Matrix<T> normalised(const NormDesign& design, const NormWeights<T>& weights,
                     const MatrixIn<T>& rows) {
  check_width(weights.gain, rows.cols(), "gain");
  check_width(weights.bias, rows.cols(), "bias");
  Matrix<T> out = rows;
  if (design.kind == NormKind::none) return out;
  const bool centres = design.kind == NormKind::layer;
  for (Index i = 0; i < rows.rows(); ++i) {
    Eigen::Array<double, 1, Eigen::Dynamic> x = rows.row(i).template cast<double>().array();
    if (centres) x -= x.mean();
    x /= std::sqrt(x.square().mean() + design.epsilon);
    out.row(i) = x.template cast<T>().matrix();
  }
  const T one = design.adds_one ? T{1} : T{0};
  if (weights.gain.size() > 0) out.array().rowwise() *= weights.gain.row(0).array() + one;
  if (weights.bias.size() > 0) out.rowwise() += weights.bias.row(0);
  return out;
}

template <class T>
Matrix<T> pull_back_norm(const NormDesign& design, const NormWeights<T>& weights,
                         const MatrixIn<T>& rows, const MatrixIn<T>& d_out,
                         NormWeights<T>& d_weights) {
  if (design.kind == NormKind::none) return d_out;
  using Row = Eigen::Array<T, 1, Eigen::Dynamic>;
  const bool centres = design.kind == NormKind::layer;
  const bool has_gain = weights.gain.size() > 0;
  const T one = design.adds_one ? T{1} : T{0};
  const Row factor = has_gain ? Row(weights.gain.row(0).array() + one) : Row::Ones(rows.cols());
  Row d_gain = Row::Zero(rows.cols());
  Matrix<T> d_rows(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    Row x = rows.row(i).array();
    if (centres) x -= x.mean();
    const T inverse = 1 / std::sqrt(x.square().mean() + static_cast<T>(design.epsilon));
    x *= inverse;
    d_gain += d_out.row(i).array() * x;
    Row g = d_out.row(i).array() * factor;
    const T along = (g * x).mean();
    if (centres) g -= g.mean();
    d_rows.row(i) = (inverse * (g - along * x)).matrix();
  }
  if (has_gain) d_weights.gain.array() += d_gain;
  if (weights.bias.size() > 0) d_weights.bias += d_out.colwise().sum();
  return d_rows;
}

template Matrix<float> pull_back_norm(const NormDesign&, const NormWeights<float>&,
                                      const MatrixIn<float>&, const MatrixIn<float>&,
                                      NormWeights<float>&);
template Matrix<double> pull_back_norm(const NormDesign&, const NormWeights<double>&,
                                       const MatrixIn<double>&, const MatrixIn<double>&,
                                       NormWeights<double>&);
template Matrix<float> normalised(const NormDesign&, const NormWeights<float>&,
                                  const MatrixIn<float>&);
template Matrix<double> normalised(const NormDesign&, const NormWeights<double>&,
                                   const MatrixIn<double>&);

}  // namespace orrery
