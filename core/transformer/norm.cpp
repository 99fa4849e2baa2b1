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

template Matrix<float> normalised(const NormDesign&, const NormWeights<float>&,
                                  const MatrixIn<float>&);
template Matrix<double> normalised(const NormDesign&, const NormWeights<double>&,
                                   const MatrixIn<double>&);

}  // namespace orrery
