#include "core/encodings/layer_norm.h"

#include <fmt/format.h>

#include <cmath>

#include "core/errors.h"

namespace orrery {
namespace {

template <class T>
void check_affine(Index d, const Matrix<T>& gain, const Matrix<T>& bias) {
  if (gain.rows() == 1 && bias.rows() == 1 && gain.cols() == d && bias.cols() == d) return;
  throw UsageError(fmt::format("a LayerNorm with a gain of [{}, {}] and a bias of [{}, {}]",
                               gain.rows(), gain.cols(), bias.rows(), bias.cols()),
                   fmt::format("both must be [1, {}]", d),
                   "give one number per channel of the table");
}

}  // namespace

template <class T>
Matrix<T> layer_normalised(const Matrix<T>& rows, const Matrix<T>& gain, const Matrix<T>& bias,
                           double epsilon) {
  check_affine(rows.cols(), gain, bias);
  Matrix<T> out = rows;
  const double width = static_cast<double>(rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    const double mean = rows.row(i).template cast<double>().sum() / width;
    const auto centred = rows.row(i).template cast<double>().array() - mean;
    const double variance = centred.square().sum() / width;
    const auto normal = (centred / std::sqrt(variance + epsilon)).template cast<T>();
    out.row(i) = normal * gain.row(0).array() + bias.row(0).array();
  }
  return out;
}

template Matrix<float> layer_normalised(const Matrix<float>&, const Matrix<float>&,
                                        const Matrix<float>&, double);
template Matrix<double> layer_normalised(const Matrix<double>&, const Matrix<double>&,
                                         const Matrix<double>&, double);

}  // namespace orrery
