#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "core/errors.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/files/atomic_write.h"
#include "experiments/reports/latex_table.h"
#include "experiments/results/csv.h"
#include "experiments/results/params_json.h"
#include "experiments/sweeps/saved_sweep.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/sweeps/tidy_table.h"

namespace orrery {
namespace {

struct ExportCommandOptions {
  std::string folder{}, form{"csv"}, out{};
  Words measures{};
  bool summary{false}, force{false};
};

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

int export_sweep(const ExportCommandOptions& options) {
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
  return warn_each(sweep.problems) ? exit_ok : exit_failed;
}

}  // namespace

Command export_command() {
  const auto o = std::make_shared<ExportCommandOptions>();
  Command command{"export", "Export the numbers of a sweep as CSV, JSON lines or LaTeX",
                  [o] { return export_sweep(*o); }};
  command.options = {
      {"DIR", &o->folder, "Folder of a sweep", required()},
      {"--as", &o->form, "csv, jsonl or latex", one_of({"csv", "jsonl", "latex"})},
      {"--measures", &o->measures, "Of a LaTeX table: a,b; default: all", {.commas = true}},
      {"--summary", &o->summary, "Of CSV: means over repeats"},
      {"--out", &o->out, "A file; default: standard output"},
      {"--force", &o->force, "Replace the file"}};
  command.footer = R"(One row per point and encoding; LaTeX has mean and interval over repeats.

Examples:
  orrery sweep decay_over_bases --format none --out bases
  orrery export bases --as latex --measures change,rises --out table.tex)";
  return command;
}

}  // namespace orrery
