#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/sweeps/journal.h"
#include "experiments/sweeps/plan.h"
#include "experiments/sweeps/point_record.h"

namespace orrery::sweeps {

/// What the journal and the point's result.json record of it. Throws IoError; DataError when the
/// result.json is damaged.
PointRecord point_record(const std::filesystem::path& sweep, const PlanPoint& point,
                         const JournalState& journal);

/// One record per point of the shard, in the plan's order. Throws what point_record throws.
std::vector<PointRecord> point_records(const std::filesystem::path& sweep, const Plan& plan,
                                       const JournalState& journal);

/// One line per point, see point_json.h.
std::string results_jsonl(const Plan& plan, const std::vector<PointRecord>& points);

}  // namespace orrery::sweeps
