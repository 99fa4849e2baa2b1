#include "experiments/heads/head_json.h"

#include <cmath>

namespace orrery {

using nlohmann::ordered_json;

ordered_json finite_json(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

ordered_json finite_list_json(const std::vector<double>& values) {
  ordered_json json = ordered_json::array();
  for (const double value : values) json.push_back(finite_json(value));
  return json;
}

}  // namespace orrery
