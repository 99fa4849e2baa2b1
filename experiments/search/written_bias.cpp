#include "experiments/search/written_bias.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/encodings/rotation.h"

namespace orrery {
namespace {

double alibi_distance(const WrittenBias& bias, Position m, Position n) {
  const Position r = m - n;
  switch (bias.form) {
    case AlibiForm::symmetric:
      return static_cast<double>(std::abs(r) + bias.offset);
    case AlibiForm::causal:
      return static_cast<double>(r + bias.offset);
    case AlibiForm::key:
      return static_cast<double>(-std::max<Position>(n - bias.padding, 0) + bias.offset);
  }
  return 0;
}

}  // namespace

double sinusoid_product(Position r, Index channels, double base) {
  double sum = 0;
  for (Index t = 0; t < channels / 2; ++t) {
    const double exponent = -2.0 * static_cast<double>(t) / static_cast<double>(channels);
    sum += rotation_at(r, std::pow(base, exponent)).cos;
  }
  return sum;
}

Index table_row(const WrittenBias& bias, Position m, Position n) {
  const Position r = m - n;
  if (bias.family == BiasFamily::t5) return t5_bucket(bias.swapped ? -r : r, bias.buckets);
  return static_cast<Index>(std::clamp<Position>(r, -bias.clip, bias.clip) + bias.clip);
}

double bias_at(const WrittenBias& bias, Index head, Position m, Position n) {
  const auto h = static_cast<std::size_t>(head);
  const auto distance = static_cast<double>(std::abs(m - n));
  switch (bias.family) {
    case BiasFamily::none:
      return 0;
    case BiasFamily::constant:
      return bias.size[h];
    case BiasFamily::alibi:
      return -bias.size[h] * alibi_distance(bias, m, n);
    case BiasFamily::kerple_log:
      return -bias.size[h] * std::log1p(bias.shape[h] * distance);
    case BiasFamily::kerple_power:
      return -bias.size[h] * std::pow(distance, bias.shape[h]);
    case BiasFamily::sandwich: {
      const Index pairs = bias.channels / 2;
      const double less = bias.centred ? static_cast<double>(pairs) : 0.0;
      return bias.size[h] * (sinusoid_product(m - n, bias.channels, bias.base) - less);
    }
    case BiasFamily::t5:
    case BiasFamily::table:
      return bias.table(table_row(bias, m, n), head);
  }
  return 0;
}

}  // namespace orrery
