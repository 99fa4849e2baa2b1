#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/params.h"
#include "experiments/model/result.h"

namespace orrery::studies {

/// Whether a figure of an experiment shows the same whatever value the parameter `key` has, the
/// others being set like this: no head of RoPE differs from another. False where that is not known.
bool is_ignored(std::string_view experiment, std::string_view figure_id, std::string_view key,
                const ParamSet& params);

/// The number that a result was made with in place of a parameter, since its files decide.
struct ValueInUse {
  std::optional<double> value{};  ///< empty where it plays no part
  bool fixed{};                   ///< whether no value of the parameter would change anything
  std::string why{};              ///< "The file says 8192."; empty unless fixed
};

/// Empty where the parameter's own value is in use.
/// @param params  those that the result was made with
std::optional<ValueInUse> value_in_use(std::string_view experiment, std::string_view key,
                                       const ParamSet& params, const Result& result);

}  // namespace orrery::studies
