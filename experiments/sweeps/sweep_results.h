#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "experiments/sweeps/plan.h"
#include "experiments/sweeps/point_record.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/sweeps/tidy_table.h"

namespace orrery {

/// What the journal and the point's files record of it.
/// @param is_whole  whether the files are known to be as the journal has them, so that they are not
///     looked at again
/// Throws IoError; DataError when its numbers are damaged.
PointRecord point_record(const std::filesystem::path& sweep, const PlanPoint& point,
                         const JournalState& journal, bool is_whole = false);

/// One record per point of the shard, in the plan's order. Throws what point_record throws.
/// @param before  what the points were found to be, in the plan's order, so that the files of those
///     that were done are not looked at again; empty where nobody has looked
std::vector<PointRecord> point_records(const std::filesystem::path& sweep, const Plan& plan,
                                       const JournalState& journal,
                                       std::span<const PointState> before = {});

/// One line per point, see point_json.h.
std::string results_jsonl(const Plan& plan, std::span<const PointRecord> points);
/// Writes them as a file, a part at a time. Throws IoError.
void write_results(const std::filesystem::path& path, const Plan& plan,
                   std::span<const PointRecord> points);
/// The same of results_table as CSV.
void write_results_csv(const std::filesystem::path& path, const TidyTable& tidy);

}  // namespace orrery
