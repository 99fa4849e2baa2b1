#include "core/random_rotation.h"

#include <Eigen/QR>

namespace orrery {

Matrix<double> random_rotation(Random& random, Index d) {
  const Matrix<double> draws = normal_matrix<double>(random, d, d);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(draws);
  Matrix<double> rotation = qr.householderQ() * Eigen::MatrixXd::Identity(d, d);
  for (Index c = 0; c < d; ++c)
    if (qr.matrixQR()(c, c) < 0) rotation.col(c) = -rotation.col(c);
  return rotation;
}

}  // namespace orrery
