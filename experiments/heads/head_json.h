#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/heads/model_texts.h"

namespace orrery::heads {

/// The number; null for a NaN or an infinity, which JSON does not have.
nlohmann::ordered_json number_json(double value);
nlohmann::ordered_json numbers_json(const std::vector<double>& values);
/// [{"name", "tokens"}, …], tokens counted.
nlohmann::ordered_json texts_json(const std::vector<ModelText>& texts);
/// "0.123" for tables; "-" for NaN.
std::string score_text(double value);

}  // namespace orrery::heads
