#include "core/kernels/phasor_sums.h"

#include <cmath>

namespace orrery::kernels {

void phasor_sums(std::size_t pairs, const double* seed_cos, const double* seed_sin,
                 const double* step_cos, const double* step_sin, double* abs_sum,
                 double* real_sum) {
  double imag_sum[phasor_lanes] = {};
  for (std::size_t l = 0; l < phasor_lanes; ++l) abs_sum[l] = real_sum[l] = 0;
  for (std::size_t t = 0; t < pairs; ++t) {
    const double* c = step_cos + t * phasor_lanes;
    const double* s = step_sin + t * phasor_lanes;
    const double c0 = seed_cos[t];
    const double s0 = seed_sin[t];
    for (std::size_t l = 0; l < phasor_lanes; ++l) {
      real_sum[l] += c0 * c[l] - s0 * s[l];
      imag_sum[l] += s0 * c[l] + c0 * s[l];
      abs_sum[l] += std::sqrt(real_sum[l] * real_sum[l] + imag_sum[l] * imag_sum[l]);
    }
  }
}

}  // namespace orrery::kernels
