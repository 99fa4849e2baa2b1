#include "experiments/search/known_numbers.h"

#include <algorithm>
#include <cmath>

namespace orrery {

const std::vector<double>& known_bases() {
  static const std::vector<double> bases{100,     1000,     10000,    26000,   100000,  150000,
                                         160000,  500000,   600000,   1000000, 2000000, 5000000,
                                         8000000, 10000000, 11158840, 12000000};
  return bases;
}

const std::vector<double>& known_factors() {
  static const std::vector<double> factors{1.5, 2, 4, 8, 10, 16, 20, 32, 40, 64, 128, 256, 1024};
  return factors;
}

const std::vector<double>& known_lengths() {
  static const std::vector<double> lengths{512,   1024,  2048,   4096,   8192,   16384,
                                           32768, 65536, 131072, 262144, 524288, 1048576};
  return lengths;
}

bool is_known(const std::vector<double>& list, double value) {
  return std::any_of(list.begin(), list.end(),
                     [&](double known) { return std::abs(known - value) <= 1e-9 * known; });
}

double rounded_to_digits(double value, int digits) {
  const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

}  // namespace orrery
