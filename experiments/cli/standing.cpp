#include "experiments/cli/standing.h"

namespace orrery::cli {

Standing standing_of(const Plan& plan, const std::filesystem::path& folder) {
  Standing standing;
  if (is_sweep_folder(folder)) standing.journal = read_journal(folder / journal_file);
  for (const PlanPoint& point : plan.points) {
    PointState found = point_state(folder, standing.journal, point.id);
    (found.status == PointStatus::done     ? standing.done
     : found.status == PointStatus::failed ? standing.failed
                                           : standing.pending)
        .push_back(&point);
    if (!found.damage.empty()) standing.damaged.emplace_back(&point, std::move(found.damage));
  }
  return standing;
}

}  // namespace orrery::cli
