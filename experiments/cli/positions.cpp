#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/plans/compare_positions.h"
#include "experiments/plans/positions_json.h"
#include "experiments/plans/positions_text.h"
#include "experiments/plans/read_positions.h"

namespace orrery::cli {

int positions_command(const PositionsOptions& options) {
  const ReadOptions reading{.length = options.length};
  const PositionPlan plan = read_positions(options.file, reading);
  if (options.other.empty()) {
    print(options.json ? positions_json(plan) : positions_text(plan));
    return exit_ok;
  }
  const PositionPlan other = read_positions(options.other, reading);
  const PositionComparison comparison = compare_positions(plan, other);
  print((options.json ? comparison_json : comparison_text)(plan, other, comparison));
  return comparison.differences.empty() ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
