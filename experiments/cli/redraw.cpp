#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/cli/figure_words.h"
#include "experiments/figure/export.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/results/saved_result.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/saved_sweep.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery {
namespace {

struct RedrawOptions {
  std::string folder{}, out{};
  FigureOptions figures{default_figures()};
  LookOptions look{};
  std::optional<double> scale{};  ///< pixels per point of a PNG
  bool panels{false}, force{false};
};

namespace fs = std::filesystem;

constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;  // of a picture that is compared

/// The folder of a result, where its figures go below --out, and its name in a sweep.
struct RedrawnFigures {
  fs::path saved{};
  fs::path below{};
  std::string point{};
};

fs::path out_of(const RedrawOptions& options) {
  if (!options.out.empty()) return options.out;
  return fs::absolute(options.folder / fs::path()).lexically_normal().parent_path() += "-redrawn";
}

std::vector<RedrawnFigures> places(const SavedSweep& sweep) {
  std::vector<RedrawnFigures> found;
  for (const PointRecord& point : sweep.points)
    if (point.is_done()) found.push_back({point.folder, point.id, point_name(point)});
  return found;
}

/// The result; of a sweep an empty one, with the reason said, where a point cannot be read.
std::optional<Result> result_or_reason(const RedrawnFigures& place) try {
  return load_result(place.saved);
} catch (const Error& error) {
  if (place.point.empty()) throw;
  warn(fmt::format("point {} is not drawn: {}", place.point, error.what()));
  return std::nullopt;
}

/// All figures but tables on one page.
Panels panels_of(const Result& result, const LookOptions& look) {
  std::vector<Figure> figures;
  for (const Figure& figure : result.figures)
    if (!std::holds_alternative<TableFigure>(figure.content))
      figures.push_back(recolored(figure, look));
  return lettered_panels("panels", result.provenance.experiment, std::move(figures));
}

std::size_t redraw(const Result& result, const fs::path& to, const RedrawOptions& options) {
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

/// Throws where pictures have no place: in a file, and among the files of a result.
void require_place(const fs::path& out) {
  constexpr std::string_view remedy = "choose another folder with --out";
  std::error_code failure;
  if (fs::exists(out, failure) && !fs::is_directory(out, failure))
    throw IoError(out.string(), "is a file, where a folder is to be written", remedy);
  if (fs::exists(out / "manifest.json", failure) || is_sweep_folder(out))
    throw IoError(out.string(), "is the folder of a result, and pictures would not belong to it",
                  remedy);
}

bool is_same_file(const fs::path& drawn, const fs::path& there) {
  std::error_code failure;
  return fs::is_regular_file(there, failure) &&
         fs::file_size(drawn) == fs::file_size(there, failure) &&
         read_file(drawn, most_bytes) == read_file(there, most_bytes);
}

/// Puts drawn files into a folder that has others: the same pictures again are no change, and other
/// ones of their names are only replaced on request.
void add_to(const fs::path& out, const fs::path& drawn, bool force) {
  std::vector<fs::path> changed;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(drawn)) {
    const fs::path name = entry.path().lexically_relative(drawn);
    if (!entry.is_regular_file() || is_same_file(entry.path(), out / name)) continue;
    std::error_code failure;
    if (!force && fs::exists(out / name, failure))
      throw IoError((out / name).string(), "already exists and was drawn otherwise",
                    "add --force to replace it, or choose another folder with --out");
    changed.push_back(name);
  }
  for (const fs::path& name : changed)
    atomic_write(out / name, read_file(drawn / name, most_bytes));
}

int redraw_all(const RedrawOptions& options) {
  const fs::path out = out_of(options);
  require_place(out);
  const bool is_sweep = is_sweep_folder(options.folder);
  const SavedSweep sweep = is_sweep ? load_sweep(options.folder) : SavedSweep{};
  const std::vector<RedrawnFigures> found =
      is_sweep ? places(sweep) : std::vector<RedrawnFigures>{{.saved = options.folder}};
  remove_abandoned(out);
  // All of the pictures appear at once, or none.
  AtomicFolder swap(out);
  std::size_t files = 0;
  bool whole = warn_each(sweep.problems);
  for (const RedrawnFigures& place : found) {
    const std::optional<Result> result = result_or_reason(place);
    whole = whole && result;
    if (result) files += redraw(*result, swap.folder() / place.below, options);
  }
  std::error_code failure;
  if (fs::is_directory(out, failure) && !fs::is_empty(out, failure))
    add_to(out, swap.folder(), options.force);
  else
    swap.commit();
  tell(fmt::format("drew {} files into {}/\n", files, out.string()));
  whole = warn_each(points_without_result(sweep)) && whole;
  return whole ? exit_ok : exit_failed;
}

}  // namespace

Command redraw_command() {
  const auto o = std::make_shared<RedrawOptions>();
  std::vector<Option> options{{"DIR", &o->folder, "A result or a sweep", required()}};
  options = joined(options, drawing_options(o->figures, {"svg", "png", "pdf", "tex"}));
  options = joined(
      options,
      {{"--formulas", &o->figures.formulas, "With the experiment's formulas beneath the title"},
       {"--panels", &o->panels, "All figures in one file, panels.FORMAT, as panels (a), (b), (c)"},
       {"--scale", [o](double scale) { o->scale = scale; },
        "Pixels per point of a PNG; default 2, with --width 300 dots an inch, as in run"},
       {"--out", &o->out, "A folder; default DIR-redrawn"},
       {"--force", &o->force, "Replace pictures that were drawn otherwise"}});
  Command command{"redraw", "Draw the figures of a result again, in any theme, format and size",
                  [o] { return redraw_all(*o); }};
  command.options = joined(options, look_options(o->look));
  command.footer = R"(Nothing is computed, as the result contains the figures' data.

Examples:
  orrery run rotation --out turns --format none
  orrery redraw turns --format pdf,tex --width icml
  orrery run attention_map --out map --format none
  orrery redraw map --colors log --x-range 0:20 --y-range 0:20)";
  return command;
}

}  // namespace orrery
