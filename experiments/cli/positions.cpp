#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/model_files/compare_positions.h"
#include "experiments/model_files/positions_json.h"
#include "experiments/model_files/positions_text.h"
#include "experiments/model_files/read_positions.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/plan_sweep.h"

namespace orrery::cli {

int positions_command(const PositionsOptions& options) {
  const ReadOptions reading{.length = options.length};
  if (!options.sweep.empty() && (options.json || !options.other.empty()))
    throw UsageError("--sweep " + options.sweep, "is about one file, and prints TOML",
                     "leave out --json and the other file");
  const PositionPlan plan = read_positions(options.file, reading);
  if (!options.sweep.empty()) {
    print(plan_sweep(plan, find_experiment(options.sweep)));
    return exit_ok;
  }
  if (options.other.empty()) {
    print_answer(options.json, options.json ? positions_json(plan) : positions_text(plan));
    return exit_ok;
  }
  const PositionPlan other = read_positions(options.other, reading);
  const PositionComparison comparison = compare_positions(plan, other);
  print_answer(options.json,
               (options.json ? comparison_json : comparison_text)(plan, other, comparison));
  return comparison.differences.empty() ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
