#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/combine/combine.h"
#include "experiments/combine/dimensions.h"
#include "experiments/combine/panels_table.h"
#include "experiments/figure/export.h"
#include "experiments/files/atomic_write.h"
#include "experiments/results/csv.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/sweeps/tidy_table.h"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;
using combine::PlotRequest;

constexpr std::size_t most_pages = 200;

fs::path out_of(const PlotOptions& options) {
  if (!options.out.empty()) return options.out;
  const fs::path folder = fs::absolute(options.folder).lexically_normal();
  return (folder.has_filename() ? folder : folder.parent_path()).string() + "-plots";
}

/// "key=value".
std::pair<std::string, std::string> parts_of(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(word, "is not of the form key=value", "write it like hue=base");
  return {word.substr(0, equals), word.substr(equals + 1)};
}

combine::Band band_named(const std::string& name) {
  for (const auto& [band, known] : combine::band_names())
    if (known == name) return band;
  throw UsageError("band=" + name, "is not a kind of band",
                   "take interval, deviation, range or none");
}

combine::Band band_in(const SavedSweep& sweep, const std::string& name) {
  const combine::Band band = band_named(name);
  if (sweep.repeats < 2)
    throw UsageError("band=" + name, "is of repeats, and this sweep has none", "leave it out");
  return band;
}

bool is_shared(const std::string& value) {
  if (value == "shared" || value == "own") return value == "shared";
  throw UsageError("axes=" + value, "is neither shared nor own", "take one of them");
}

/// A word that is no part of the request chooses points by a setting.
void add_choice(const SavedSweep& sweep, const std::string& key, const std::string& value,
                PlotRequest& request) {
  static const std::vector<std::string> words{"figure", "measure", "x",    "y",   "hue",
                                              "facet",  "dash",    "band", "axes"};
  std::vector<std::string> known = words;
  known.insert(known.end(), sweep.swept.begin(), sweep.swept.end());
  known.insert(known.end(), {"encoding", "curve"});
  if (std::find(known.begin(), known.end(), key) == known.end())
    throw UsageError(
        key, "is neither a word of plot nor a setting of this sweep",
        remedy_for_unknown(key, known, fmt::format("give {}", fmt::join(known, ", "))));
  request.where.emplace_back(key, value);
}

PlotRequest request_of(const SavedSweep& sweep, const std::vector<std::string>& words) {
  PlotRequest request;
  for (const std::string& word : words) {
    const auto [key, value] = parts_of(word);
    if (key == "figure")
      request.figure = value;
    else if (key == "measure")
      request.measure = value;
    else if (key == "x")
      request.x = value;
    else if (key == "y")
      request.y = value;
    else if (key == "hue")
      request.hue = value;
    else if (key == "facet")
      request.facet = value;
    else if (key == "dash")
      request.dash = value;
    else if (key == "band")
      request.band = band_in(sweep, value);
    else if (key == "axes")
      request.shared = is_shared(value);
    else
      add_choice(sweep, key, value, request);
  }
  if (!request.y.empty() && request.band != PlotRequest{}.band)
    throw UsageError("band", "is for curves, and with y the plot is a map",
                     "leave one of them out");
  return request;
}

/// What the page shows is part of the name: another plot of the same figure has another file.
std::string file_stem(const combine::DrawnPage& page) {
  const PlotRequest& request = page.request;
  std::string stem = page.panels.id;
  if (!request.hue.empty()) stem += "_by_" + request.hue;
  if (!request.facet.empty()) stem += "_per_" + request.facet;
  if (!request.dash.empty()) stem += "_dashed_by_" + request.dash;
  return stem + combine::file_part(request.where);
}

void print_what_there_is(const SavedSweep& sweep) {
  const TidyTable tidy = tidy_table(sweep.points, sweep.swept);
  const auto line = [](const char* what, const std::vector<std::string>& names) {
    print(fmt::format("{:<9} {}\n", what, fmt::join(names, " ")));
  };
  line("figures", combine::curve_figures(sweep));
  line("measures", tidy.measures);
  std::vector<std::string> keys = tidy.keys;
  if (tidy.has_encodings) keys.emplace_back("encoding");
  line("settings", keys);
}

struct File {
  fs::path path;
  std::string bytes;
};

std::vector<File> files_of(const std::vector<combine::DrawnPage>& pages, const PlotOptions& options,
                           const fs::path& out) {
  const figure::ExportOptions look{.page = options.figures.page, .view = view_of(options.look)};
  const std::string& theme = options.figures.theme;
  std::vector<File> files;
  for (const combine::DrawnPage& drawn : pages) {
    const fs::path stem = out / file_stem(drawn);
    Panels page = drawn.panels;
    for (Figure& panel : page.panels) panel = recolored(std::move(panel), options.look);
    for (const std::string& format : options.figures.formats)
      files.push_back(
          {stem.string() + "." + format, page.panels.size() == 1
                                             ? figure_file(page.panels.front(), format, theme, look)
                                             : figure_file(page, format, theme, look)});
    files.push_back({stem.string() + ".csv", csv_text(combine::table_of(page))});
  }
  return files;
}

/// Parts of the look that some pages cannot have, and figures that have no page.
void tell_what_does_not_fit(const combine::Drawing& drawing, const PlotRequest& request) {
  for (const auto& [key, part] : {std::pair{"hue", &PlotRequest::hue},
                                  {"facet", &PlotRequest::facet},
                                  {"dash", &PlotRequest::dash}}) {
    const auto with = static_cast<std::size_t>(std::count_if(
        drawing.pages.begin(), drawing.pages.end(),
        [&, member = part](const auto& page) { return page.request.*member == request.*member; }));
    if (with < drawing.pages.size())
      tell(fmt::format("{}={} is on {} of {} plots: the others cannot have it, nor its name\n", key,
                       request.*part, with, drawing.pages.size()));
  }
  for (const std::string& reason : drawing.not_drawn) tell(fmt::format("not drawn: {}\n", reason));
}

/// One line per point and reason, with the figures that lack its curves.
void say_left_out(const std::vector<combine::LeftOut>& left_out) {
  struct Lack {
    std::vector<std::string> figures{};
    std::size_t curves{};
    bool known{true};  ///< how many curves
  };
  std::map<std::string, Lack> by_point;
  for (const combine::LeftOut& one : left_out) {
    const bool lost = one.point.empty();
    Lack& lack = by_point[lost ? one.reason : fmt::format("point {}", one.point)];
    lack.figures.push_back(one.figure);
    lack.curves += one.curves;
    lack.known = lack.known && one.curves > 0;
    if (!lost) detail(fmt::format("{}: {}\n", one.point, one.reason));
  }
  for (const auto& [point, lack] : by_point)
    say(fmt::format(
        "orrery: {}: left out of {} figure{}{}: {}\n", point, lack.figures.size(),
        lack.figures.size() == 1 ? "" : "s",
        lack.known ? fmt::format(" ({} curve{})", lack.curves, lack.curves == 1 ? "" : "s") : "",
        fmt::join(lack.figures, ", ")));
}

/// What is asked for may be missing since points are: they are named before the refusal.
combine::Drawing drawn_or_reason(const SavedSweep& sweep, const PlotRequest& request) try {
  return combine::drawn(sweep, request, most_pages);
} catch (const UsageError&) {
  for (const std::string& message : damage_messages(sweep))
    say(fmt::format("orrery: {}\n", message));
  throw;
}

/// Names what is damaged or has no result, and what is drawn without it. Returns whether anything
/// is missing.
bool say_what_is_missing(const SavedSweep& sweep, const combine::Drawing& drawing) {
  const auto missing = {sweep.problems, damage_messages(sweep), points_without_result(sweep)};
  bool any = !drawing.left_out.empty();
  for (const std::vector<std::string>& messages : missing)
    for (const std::string& message : messages) {
      say(fmt::format("orrery: {}\n", message));
      any = true;
    }
  say_left_out(drawing.left_out);
  return any;
}

}  // namespace

int plot_command(const PlotOptions& options) {
  if (!is_sweep_folder(options.folder))
    throw UsageError(options.folder, "is not the folder of a sweep",
                     "give the folder that orrery sweep wrote; redraw draws a single result");
  const SavedSweep sweep = load_sweep(options.folder);
  if (options.list) {
    print_what_there_is(sweep);
    return exit_ok;
  }
  if (std::none_of(sweep.points.begin(), sweep.points.end(), std::mem_fn(&PointRecord::is_done)))
    throw DataError(options.folder,
                    "has no point with a result: its sweep is at work, or was ended",
                    "wait for it, or compute what is left with orrery resume " + options.folder);
  const PlotRequest request = request_of(sweep, options.words);
  const combine::Drawing drawing = drawn_or_reason(sweep, request);
  const std::vector<combine::DrawnPage>& pages = drawing.pages;
  if (pages.empty() && drawing.left_out.empty())
    throw UsageError(options.folder, "has no points that differ in anything that can be drawn",
                     "sweep a parameter, as in dim=32,64");
  const fs::path out = out_of(options);
  const std::vector<File> files = files_of(pages, options, out);
  std::error_code failure;
  for (const File& file : files)
    if (!options.force && fs::exists(file.path, failure))
      throw IoError(file.path.string(), "already exists",
                    "replace it with --force, or choose another folder with --out");
  for (const File& file : files) atomic_write(file.path, file.bytes);
  tell(fmt::format("drew {} plot{}, {} files in {}/\n", pages.size(), pages.size() == 1 ? "" : "s",
                   files.size(), out.string()));
  for (const combine::DrawnPage& page : pages) detail(file_stem(page) + "\n");
  tell_what_does_not_fit(drawing, request);
  return say_what_is_missing(sweep, drawing) ? exit_failed : exit_ok;
}

}  // namespace orrery::cli
