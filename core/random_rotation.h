#pragma once

#include "core/random.h"

namespace orrery {

/// A matrix with orthonormal rows, [d, d], uniformly distributed: Q of the QR decomposition of
/// independent normals, made unique by a positive diagonal of R.
Matrix<double> random_rotation(Random& random, Index d);

}  // namespace orrery
