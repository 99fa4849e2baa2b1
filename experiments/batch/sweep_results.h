#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/batch/journal.h"
#include "experiments/batch/plan.h"
#include "experiments/result.h"

namespace orrery {

/// What a sweep says about one point.
struct PointRow {
  const PlanPoint* point{};
  std::string status{};  ///< "done", "failed" or "pending"
  std::string error{};
  std::vector<std::pair<std::string, std::string>> params{};  ///< every used one, when done
  std::vector<Scalar> scalars{};
  std::vector<Check> checks{};
};

/// One row a point of the shard, in the plan's order, from the points' result.json. Throws IoError;
/// DataError when a result.json is damaged.
std::vector<PointRow> point_rows(const std::filesystem::path& sweep, const Plan& plan,
                                 const JournalState& state);

/// {"id", "label", "status", "repeat", "seed"?, "error"?, "params": {…}, "scalars": {name: number},
/// "checks": {name: {"measured", "relation", "bound", "holds"}}}, one line a row. NaN is null,
/// which is what pandas takes for NaN; infinities are the strings "inf" and "-inf".
std::string results_jsonl(const std::vector<PointRow>& rows);

/// id, status, repeat, the swept keys, every other parameter, the scalars, then check.NAME and
/// check.NAME.holds, error. A scalar called as a parameter is scalar.NAME.
std::string results_csv(const Plan& plan, const std::vector<PointRow>& rows);

}  // namespace orrery
