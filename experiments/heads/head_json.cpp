#include "experiments/heads/head_json.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace orrery::heads {

using nlohmann::ordered_json;

ordered_json number_json(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

ordered_json numbers_json(const std::vector<double>& values) {
  ordered_json json = ordered_json::array();
  for (const double value : values) json.push_back(number_json(value));
  return json;
}

ordered_json texts_json(const std::vector<ModelText>& texts) {
  ordered_json json = ordered_json::array();
  for (const ModelText& text : texts)
    json.push_back({{"name", text.name}, {"tokens", text.tokens.size()}});
  return json;
}

std::string score_text(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.3f}", value);
}

}  // namespace orrery::heads
