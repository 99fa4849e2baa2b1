#include "experiments/cli/standing.h"

namespace orrery {

Standing standing_of(const Plan& plan, const std::filesystem::path& folder) {
  Standing standing;
  if (is_sweep_folder(folder)) standing.journal = read_journal(folder / journal_file);
  std::vector<PointState> states = point_states(folder, standing.journal, pointers_to(plan.points));
  for (std::size_t i = 0; i < states.size(); ++i) {
    const PlanPoint& point = plan.points[i];
    PointState& found = states[i];
    (found.status == PointStatus::done     ? standing.done
     : found.status == PointStatus::failed ? standing.failed
                                           : standing.pending)
        .push_back(&point);
    if (!found.damage.empty()) standing.damaged.emplace_back(&point, std::move(found.damage));
  }
  return standing;
}

}  // namespace orrery
