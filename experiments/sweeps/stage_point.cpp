#include "experiments/sweeps/stage_point.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/results/figure_options.h"

namespace orrery {
namespace {

StagedResult write_point(const Plan& plan, const PlanPoint& point, Result result,
                         const std::vector<InputFile>& files, const std::filesystem::path& folder,
                         const Draw& draw) try {
  keep_figures(result, plan.figures);
  const RunRecord run{.argv = point.command(plan.experiment->info.name), .inputs = files};
  const WriteOptions options = write_options(folder, plan.figures, result.provenance);
  if (!packs_points(plan)) return stage_result(result, run, draw(result, options));
  return pack_result(result, run, options);
} catch (const UsageError& error) {  // figures that it has not
  throw CannotWrite(error);
} catch (const IoError& error) {
  throw CannotWrite(error);
}

}  // namespace

StagedResult stage_point(const Plan& plan, const PlanPoint& point,
                         const std::filesystem::path& folder, Progress& progress,
                         const Draw& draw) {
  const LoadedInputs loaded = load_inputs(point.params);
  for (std::size_t i = 0; i < loaded.files.size(); ++i)
    if (content_id(loaded.files[i]) != content_id(point.files[i]))
      throw DataError(fmt::format("{}={}", loaded.files[i].key, loaded.files[i].path),
                      "has changed since the sweep was planned",
                      "restore the file and resume the sweep");
  Result result = plan.experiment->run(point.params, loaded.inputs, progress);
  return write_point(plan, point, std::move(result), loaded.files, folder, draw);
}

std::uintmax_t bytes_of_point(const Plan& plan, const PlanPoint& point,
                              const std::filesystem::path& folder, Progress& progress) {
  const StagedResult staged = stage_point(
      plan, point, folder, progress, [](const Result&, WriteOptions options) { return options; });
  if (!staged.swap) return staged.group.size();
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(staged.swap->folder()))
    if (entry.is_regular_file()) bytes += entry.file_size();
  return bytes;
}

}  // namespace orrery
