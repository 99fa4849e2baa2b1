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

struct Moments {
  double mean;
  double deviation;  ///< √(variance + epsilon)
};

template <class T>
Moments moments_of(const Matrix<T>& rows, Index i, double epsilon) {
  const double width = static_cast<double>(rows.cols());
  const double mean = rows.row(i).template cast<double>().sum() / width;
  const auto centred = rows.row(i).template cast<double>().array() - mean;
  return {mean, std::sqrt(centred.square().sum() / width + epsilon)};
}

}  // namespace

template <class T>
Matrix<T> layer_normalised(const Matrix<T>& rows, const Matrix<T>& gain, const Matrix<T>& bias,
                           double epsilon) {
  check_affine(rows.cols(), gain, bias);
  Matrix<T> out = rows;
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto [mean, deviation] = moments_of(rows, i, epsilon);
    const auto centred = rows.row(i).template cast<double>().array() - mean;
    const auto normal = (centred / deviation).template cast<T>();
    out.row(i) = normal * gain.row(0).array() + bias.row(0).array();
  }
  return out;
}

template <class T>
Matrix<T> pull_layer_norm_back(const Matrix<T>& rows, const Matrix<T>& gain, double epsilon,
                               const Matrix<T>& d_out, Matrix<double>& d_gain,
                               Matrix<double>& d_bias) {
  check_affine<T>(rows.cols(), gain, gain);
  Matrix<T> d_rows(rows.rows(), rows.cols());
  using Row = Eigen::Array<double, 1, Eigen::Dynamic>;
  for (Index i = 0; i < rows.rows(); ++i) {
    const auto [mean, deviation] = moments_of(rows, i, epsilon);
    const Row normal = (rows.row(i).template cast<double>().array() - mean) / deviation;
    const Row d_row = d_out.row(i).template cast<double>().array();
    d_gain.row(0).array() += d_row * normal;
    d_bias.row(0).array() += d_row;
    const Row d_normal = d_row * gain.row(0).template cast<double>().array();
    const Row change = d_normal - d_normal.mean() - normal * (d_normal * normal).mean();
    d_rows.row(i) = (change / deviation).template cast<T>();
  }
  return d_rows;
}

template Matrix<float> layer_normalised(const Matrix<float>&, const Matrix<float>&,
                                        const Matrix<float>&, double);
template Matrix<double> layer_normalised(const Matrix<double>&, const Matrix<double>&,
                                         const Matrix<double>&, double);
template Matrix<float> pull_layer_norm_back(const Matrix<float>&, const Matrix<float>&, double,
                                            const Matrix<float>&, Matrix<double>&, Matrix<double>&);
template Matrix<double> pull_layer_norm_back(const Matrix<double>&, const Matrix<double>&, double,
                                             const Matrix<double>&, Matrix<double>&,
                                             Matrix<double>&);

}  // namespace orrery
