#include "experiments/reports/compare.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/results/result_json.h"

namespace orrery::cli {

int compare_command(const CompareCommandOptions& options) {
  Comparison comparison = compare_folders(options.a, options.b, options.tolerance);
  const bool same = comparison.same_numbers();
  if (!options.only.empty()) comparison.sweep.keep_scalars(options.only);
  print(options.json ? json_text(to_json(comparison)) : comparison_text(comparison));
  for (const std::string& reason : comparison.sweep.not_compared)
    say(fmt::format("orrery: {}\n", reason));
  for (const std::string& point : comparison.sweep.without_result)
    say(fmt::format("orrery: point {} has a result neither in A nor in B\n", point));
  return same && comparison.sweep.without_result.empty() ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
