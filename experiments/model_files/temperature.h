#pragma once

#include <cstdint>

#include "experiments/model_files/position_plan.h"

namespace orrery {

// Rules of Temperature; the names in them are the keys of its terms.
inline constexpr const char* floor_of_next = "1 + a ln(1 + floor((m + 1)/f))";  ///< Llama 4
inline constexpr const char* floor_of_length = "1 + β ln(1 + floor(m / L₀))";   ///< Ministral 3
inline constexpr const char* power_of_length = "(1 + (m + 1)/c)^p";             ///< Beam
inline constexpr const char* log_of_length =
    "1 + α ln(max(1, (m + 1)/n₀)), of queries and of the bias";  ///< Inkling

/// The factor at position m ≥ 0. Throws std::out_of_range for terms that the rule needs and that
/// are not there.
double temperature_at(const Temperature& temperature, std::int64_t m);

}  // namespace orrery
