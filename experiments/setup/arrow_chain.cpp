#include "experiments/setup/arrow_chain.h"

#include <cstddef>

namespace orrery::setup {

void lay_head_to_tail(VectorPlot& plot, std::span<const std::complex<double>> ends,
                      std::span<const double> numbers) {
  std::complex<double> from = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    plot.arrows.push_back({from.real(), from.imag(), ends[i].real(), ends[i].imag(), numbers[i]});
    from = ends[i];
  }
  plot.sum = Arrow{0, 0, from.real(), from.imag(), 0};
}

}  // namespace orrery::setup
