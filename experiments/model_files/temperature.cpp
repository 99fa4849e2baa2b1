#include "experiments/model_files/temperature.h"

#include <cmath>

namespace orrery {

double temperature_at(const Temperature& temperature, std::int64_t m) {
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

}  // namespace orrery
