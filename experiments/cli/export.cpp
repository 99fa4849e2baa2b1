#include "experiments/cli/export.h"

#include <fmt/format.h>

#include <filesystem>

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

int export_command(const ExportCommandOptions& options) {
  if (!is_sweep_folder(options.folder))
    throw UsageError(options.folder, "is not the folder of a sweep",
                     "give the folder that orrery sweep wrote");
  std::error_code failure;
  if (!options.out.empty() && !options.force && std::filesystem::exists(options.out, failure))
    throw IoError(options.out, "already exists",
                  "replace it with --force, or choose another file with --out");
  const SavedSweep sweep = load_sweep(options.folder);
  const TidyTable tidy = tidy_table(sweep.points, sweep.swept);
  const std::string text =
      options.form == "latex" ? latex_table(tidy, options.measures, sweep.experiment)
      : options.form == "jsonl"
          ? tidy_jsonl(tidy, specs_of(sweep.experiment))
          : csv_text(options.summary ? summary_table(tidy) : results_table(tidy));
  if (options.out.empty())
    print(text);
  else
    atomic_write(options.out, text);
  for (const std::string& problem : sweep.problems) say(fmt::format("orrery: {}\n", problem));
  return sweep.problems.empty() ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
