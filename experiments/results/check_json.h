#pragma once

#include <nlohmann/json_fwd.hpp>

#include "experiments/model/result.h"
#include "experiments/results/json_fields.h"

namespace orrery {

/// The numbers of a check: measured, relation, bound, tolerance (for "equals" only), holds.
nlohmann::ordered_json check_numbers_json(const Check& check);

/// Reads the same fields into a check without a name. Throws MalformedJson.
Check check_numbers_from(const nlohmann::ordered_json& json);

}  // namespace orrery
