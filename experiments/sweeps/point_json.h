#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "core/params.h"
#include "experiments/sweeps/point_record.h"

namespace orrery {

/// One line of results.jsonl: {"id", "label", "status", "repeat", "seed"?, "error"?, "params": {…},
/// "scalars": {name: number}, "checks": {name: {"measured", "relation", "bound", "tolerance"?,
/// "holds"}}}. "params" is empty until the point is done. NaN is null.
/// @param specs  of the experiment: numbers and truth values among the parameters are then written
///     as such; without them, and for choices and files, a parameter is a text
nlohmann::ordered_json to_json(const PointRecord& point, std::span<const ParamSpec> specs = {});

/// Takes status, error, parameters, scalars and checks from such a line. Throws MalformedJson.
void read_point(const nlohmann::ordered_json& json, PointRecord& point);

}  // namespace orrery
