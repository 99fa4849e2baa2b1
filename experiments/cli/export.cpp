#include "experiments/cli/export.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/files/atomic_write.h"
#include "experiments/reports/latex_table.h"
#include "experiments/results/csv.h"
#include "experiments/results/params_json.h"
#include "experiments/sweeps/saved_sweep.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/sweeps/tidy_json.h"

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;

/// Throws IoError before anything is read: nothing is replaced unasked.
void require_free(const ExportCommandOptions& options) {
  std::error_code failure;
  if (options.force || options.out.empty() || !fs::exists(options.out, failure)) return;
  throw IoError(options.out, "already exists",
                "replace it with --force, or choose another file with --out");
}

std::string text_of(const SavedSweep& sweep, const TidyTable& tidy,
                    const ExportCommandOptions& options) {
  if (options.form == "latex") return latex_table(tidy, options.measures, sweep.experiment);
  if (options.form == "jsonl") return tidy_jsonl(tidy, specs_of(sweep.experiment));
  return csv_text(options.summary ? summary_table(tidy) : results_table(tidy));
}

}  // namespace

int export_command(const ExportCommandOptions& options) {
  if (!is_sweep_folder(options.folder))
    throw UsageError(options.folder, "is not the folder of a sweep",
                     "give the folder that orrery sweep wrote");
  require_free(options);
  const SavedSweep sweep = load_sweep(options.folder);
  const TidyTable tidy = tidy_table(sweep.points, sweep.swept);
  if (options.out.empty())
    print_data(text_of(sweep, tidy, options));
  else
    atomic_write(options.out, text_of(sweep, tidy, options));
  for (const std::string& problem : sweep.problems) say(fmt::format("orrery: {}\n", problem));
  return sweep.problems.empty() ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
