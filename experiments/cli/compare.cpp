#include "experiments/reports/compare.h"

#include <nlohmann/json.hpp>

#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/results/result_json.h"

namespace orrery::cli {

int compare_command(const CompareCommandOptions& options) {
  const Comparison comparison = compare_folders(options.a, options.b);
  print(options.json ? json_text(to_json(comparison)) : comparison_text(comparison));
  return comparison.same_numbers() ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
