#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/figure/export.h"
#include "experiments/files/atomic_folder.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/results/saved_result.h"
#include "experiments/studies/formulas.h"
#include "experiments/sweeps/saved_sweep.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

/// The folder of a result and where its figures go below --out.
using Place = std::pair<fs::path, fs::path>;

fs::path without_slash(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

fs::path out_of(const RedrawOptions& options) {
  if (!options.out.empty()) return options.out;
  return without_slash(fs::absolute(options.folder)).string() + "-redrawn";
}

std::vector<Place> places(const RedrawOptions& options) {
  const fs::path folder(options.folder);
  if (!is_sweep_folder(folder)) return {{folder, {}}};
  const SavedSweep sweep = load_sweep(folder);
  std::vector<Place> found;
  for (const PointRecord& point : sweep.points)
    if (point.is_done()) found.emplace_back(point.folder, point.id);
  return found;
}

/// All figures but tables on one page.
Panels panels_of(const Result& result, const LookOptions& look) {
  std::vector<Figure> figures;
  for (const Figure& figure : result.figures)
    if (!std::holds_alternative<TableFigure>(figure.content))
      figures.push_back(recolored(figure, look));
  return figure::lettered_panels("panels", result.provenance.experiment, std::move(figures));
}

std::size_t redraw(const fs::path& saved, const fs::path& to, const RedrawOptions& options) {
  const Result result = load_result(saved);
  ExportOptions look{
      .page = options.figures.page, .png_scale = options.scale, .view = view_of(options.look)};
  make_folders(to);
  std::size_t files = 0;
  const auto write = [&](const auto& drawing) {
    for (const std::string& format : options.figures.formats) {
      write_new_file(to / (drawing.id + "." + format),
                     figure_file(drawing, format, options.figures.theme, look), Sync::later);
      ++files;
    }
  };
  if (options.panels) {
    write(panels_of(result, options.look));
    return files;
  }
  const Provenance& from = result.provenance;
  for (const Figure& figure : result.figures) {
    if (options.figures.formulas)
      look.formulas = formulas_of({from.experiment, from.params, figure.role});
    write(recolored(figure, options.look));
  }
  return files;
}

}  // namespace

int redraw_command(const RedrawOptions& options) {
  const fs::path out = out_of(options);
  std::error_code failure;
  if (fs::exists(out, failure) && !(fs::is_directory(out, failure) && fs::is_empty(out, failure)))
    throw IoError(out.string(), "already exists and is not empty",
                  "choose another folder with --out");
  const std::vector<Place> found = places(options);
  remove_abandoned(out);
  // All of the pictures appear at once, or none.
  AtomicFolder swap(out);
  std::size_t files = 0;
  for (const auto& [saved, below] : found) files += redraw(saved, swap.folder() / below, options);
  swap.commit();
  tell(fmt::format("drew {} files into {}/\n", files, out.string()));
  return exit_ok;
}

}  // namespace orrery::cli
