#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "experiments/model_files/rotation.h"

namespace orrery::test {

/// The factor at position m ≥ 0. Throws std::out_of_range for terms that the rule needs and that
/// are not there.
inline double temperature_at(const LayerPlan::Temperature& temperature, std::int64_t m) {
  const auto& terms = temperature.terms;
  const auto at = static_cast<double>(m);
  if (temperature.rule == floor_of_next)
    return 1 + terms.at("a") * std::log1p(std::floor((at + 1) / terms.at("f")));
  if (temperature.rule == floor_of_length)
    return 1 + terms.at("β") * std::log1p(std::floor(at / terms.at("L₀")));
  if (temperature.rule == power_of_length)
    return std::pow(1 + (at + 1) / terms.at("c"), terms.at("p"));
  const double ratio = (at + 1) / terms.at("n₀");
  return ratio <= 1 ? 1 : 1 + terms.at("α") * std::log(ratio);
}

/// What a layer makes of q at a position, with the factor of its temperature; of k without.
inline std::vector<double> applied(const LayerPlan& layer, std::vector<double> x,
                                   std::int64_t position, bool is_query) {
  rotate(layer, position, x);
  if (is_query && layer.temperature)
    for (double& value : x) value *= temperature_at(*layer.temperature, position);
  return x;
}

}  // namespace orrery::test
