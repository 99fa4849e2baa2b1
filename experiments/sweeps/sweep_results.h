#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "experiments/sweeps/journal.h"
#include "experiments/sweeps/plan.h"
#include "experiments/sweeps/point_record.h"

namespace orrery::sweeps {

/// What the journal and the point's files record of it.
/// @param is_whole  whether the files are known to be as the journal has them, so that they are not
///     looked at again
/// Throws IoError; DataError when its numbers are damaged.
PointRecord point_record(const std::filesystem::path& sweep, const PlanPoint& point,
                         const JournalState& journal, bool is_whole = false);

/// One record per point of the shard, in the plan's order. Throws what point_record throws.
/// @param whole  ids of points that are known to be whole
std::vector<PointRecord> point_records(const std::filesystem::path& sweep, const Plan& plan,
                                       const JournalState& journal,
                                       const std::set<std::string>& whole = {});

/// One line per point, see point_json.h.
std::string results_jsonl(const Plan& plan, const std::vector<PointRecord>& points);

}  // namespace orrery::sweeps
