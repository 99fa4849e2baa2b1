#include "experiments/heads/head_json.h"

#include <cmath>

namespace orrery {

using nlohmann::ordered_json;

ordered_json number_json(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

ordered_json numbers_json(const std::vector<double>& values) {
  ordered_json json = ordered_json::array();
  for (const double value : values) json.push_back(number_json(value));
  return json;
}

}  // namespace orrery
