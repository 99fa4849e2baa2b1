#include "experiments/results/check_json.h"

#include <nlohmann/json.hpp>

#include "experiments/text/model_names.h"

namespace orrery {

nlohmann::ordered_json check_numbers_json(const Check& check) {
  nlohmann::ordered_json json{{"measured", number_json(check.measured)},
                              {"relation", name_in(relation_names(), check.relation)},
                              {"bound", number_json(check.bound)}};
  if (check.relation == Relation::equals) json["tolerance"] = number_json(check.tolerance);
  json["holds"] = check.holds();
  return json;
}

Check check_numbers_from(const nlohmann::ordered_json& json) {
  return {.measured = number_field(json, "measured"),
          .relation = enum_field(json, "relation", relation_names()),
          .bound = number_field(json, "bound"),
          .tolerance = json.contains("tolerance") ? number_field(json, "tolerance") : 0.0};
}

}  // namespace orrery
