#include "experiments/cli/export.h"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/files/atomic_folder.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/reports/latex_table.h"
#include "experiments/reports/tensorboard.h"
#include "experiments/results/csv.h"
#include "experiments/results/params_json.h"
#include "experiments/sweeps/saved_sweep.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/sweeps/tidy_json.h"

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;

bool is_event_file(const fs::directory_entry& entry) {
  return entry.is_symlink() || !entry.is_directory()
             ? entry.is_regular_file() && entry.path().filename() == event_file_name
             : true;
}

/// Whether the folder has nothing in it but folders and event files of ours.
bool holds_event_files_alone(const fs::path& folder) {
  std::error_code failure;
  fs::recursive_directory_iterator entry(folder, failure);
  for (const fs::recursive_directory_iterator end; !failure && entry != end;
       entry.increment(failure))
    if (!is_event_file(*entry)) return false;
  return !failure;
}

/// Throws UsageError and IoError before anything is read: nothing is replaced unasked, and no
/// folder that holds something else even with --force.
void require_free(const ExportCommandOptions& options) {
  std::error_code failure;
  const bool to_folder = options.form == "tensorboard";
  if (to_folder && options.out.empty())
    throw UsageError("--as tensorboard", "writes a folder", "name it with --out DIR");
  if (options.out.empty() || !fs::exists(options.out, failure)) return;
  const char* kind = to_folder ? "folder" : "file";
  if (to_folder && fs::is_directory(options.out) && fs::is_empty(options.out)) return;
  if (!options.force)
    throw IoError(options.out, "already exists",
                  fmt::format("replace it with --force, or choose another {} with --out", kind));
  if (to_folder && !(fs::is_directory(options.out) && holds_event_files_alone(options.out)))
    throw IoError(options.out,
                  "holds more than the event files of an export, so it is not replaced",
                  "choose another folder with --out");
}

void write_tensorboard(const SavedSweep& sweep, const TidyTable& tidy, const fs::path& out) {
  const std::vector<TensorBoardRun> runs =
      tensorboard_runs(sweep.points, tidy, specs_of(sweep.experiment));
  remove_abandoned(out);
  AtomicFolder swap(out);
  for (const TensorBoardRun& run : runs) {
    make_folders(swap.folder() / run.folder);
    write_new_file(swap.folder() / run.folder / event_file_name, run.events, Sync::later);
  }
  swap.commit();
  const std::size_t missing = sweep.points.size() - runs.size();
  tell(fmt::format("wrote {} runs into {}/{}\n", runs.size(), out.string(),
                   missing == 0 ? "" : fmt::format("; {} points have no result", missing)));
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
  if (options.form == "tensorboard")
    write_tensorboard(sweep, tidy, options.out);
  else if (options.out.empty())
    print_data(text_of(sweep, tidy, options));
  else
    atomic_write(options.out, text_of(sweep, tidy, options));
  for (const std::string& problem : sweep.problems) say(fmt::format("orrery: {}\n", problem));
  return sweep.problems.empty() ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
