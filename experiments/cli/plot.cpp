#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/cli/figure_words.h"
#include "experiments/combine/combine.h"
#include "experiments/combine/dimensions.h"
#include "experiments/figure/export.h"
#include "experiments/files/atomic_write.h"
#include "experiments/model/panels.h"
#include "experiments/model/result.h"
#include "experiments/results/csv.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/sweeps/tidy_table.h"

namespace orrery {
namespace {

constexpr double no_band = std::numeric_limits<double>::quiet_NaN();

std::string label_of(const std::vector<std::string>& labels, std::size_t i) {
  return i < labels.size() ? labels[i] : std::to_string(i);
}

struct Rows {
  std::vector<std::string> panels{}, curves{}, rows{}, columns{};
  std::vector<double> x{}, y{}, low{}, high{}, values{};

  void add(const Figure& panel, const LinePlot& plot) {
    for (const Series& series : plot.series)
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        panels.push_back(panel.title);
        curves.push_back(series.name);
        x.push_back(series.x[i]);
        y.push_back(series.y[i]);
        low.push_back(series.band_low.empty() ? no_band : series.band_low[i]);
        high.push_back(series.band_high.empty() ? no_band : series.band_high[i]);
      }
  }

  void add(const Figure& panel, const Heatmap& map) {
    const std::size_t width = map.values->shape.at(1);
    for (std::size_t i = 0; i < map.values->size(); ++i) {
      panels.push_back(panel.title);
      rows.push_back(label_of(map.row_labels, i / width));
      columns.push_back(label_of(map.column_labels, i % width));
      values.push_back((*map.values)[i]);
    }
  }
};

/// The numbers of a page in long form. Curves: panel, curve, x, y, low, high (of the band). Maps:
/// panel, row, column, value.
Table table_of(const Panels& page) {
  Rows all;
  for (const Figure& panel : page.panels) {
    if (const auto* plot = std::get_if<LinePlot>(&panel.content)) all.add(panel, *plot);
    if (const auto* map = std::get_if<Heatmap>(&panel.content)) all.add(panel, *map);
  }
  Table table{.name = page.id, .caption = page.caption};
  table.columns.push_back({"panel", "", std::move(all.panels)});
  if (!all.rows.empty()) {
    table.columns.push_back({"row", "", std::move(all.rows)});
    table.columns.push_back({"column", "", std::move(all.columns)});
    table.columns.push_back({"value", "", std::move(all.values)});
    return table;
  }
  table.columns.push_back({"curve", "", std::move(all.curves)});
  table.columns.push_back({"x", "", std::move(all.x)});
  table.columns.push_back({"y", "", std::move(all.y)});
  table.columns.push_back({"low", "", std::move(all.low)});
  table.columns.push_back({"high", "", std::move(all.high)});
  return table;
}

struct PlotOptions {
  std::string folder{}, out{};
  Words words{};
  FigureOptions figures{default_figures()};
  LookOptions look{};
  bool list{false}, force{false};
};

namespace fs = std::filesystem;

constexpr std::size_t most_pages = 200;

fs::path out_of(const PlotOptions& options) {
  if (!options.out.empty()) return options.out;
  return fs::absolute(options.folder / fs::path()).lexically_normal().parent_path() += "-plots";
}

/// "key=value".
std::pair<std::string, std::string> two_parts_of(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(word, "is not of the form key=value", "write it like hue=base");
  return {word.substr(0, equals), word.substr(equals + 1)};
}

SpreadBand band_named(const std::string& name) {
  for (const auto& [band, known] : band_names())
    if (known == name) return band;
  throw UsageError("band=" + name, "is not a kind of band",
                   "take interval, deviation, range or none");
}

SpreadBand band_in(const SavedSweep& sweep, const std::string& name) {
  const SpreadBand band = band_named(name);
  if (sweep.repeats < 2)
    throw UsageError("band=" + name, "is of repeats, and this sweep has none", "leave it out");
  return band;
}

bool is_shared(const std::string& value) {
  if (value == "shared" || value == "own") return value == "shared";
  throw UsageError("axes=" + value, "is neither shared nor own", "take one of them");
}

constexpr std::array<std::pair<std::string_view, std::string PlotRequest::*>, 7> named_parts{
    {{"figure", &PlotRequest::figure},
     {"measure", &PlotRequest::measure},
     {"x", &PlotRequest::x},
     {"y", &PlotRequest::y},
     {"hue", &PlotRequest::hue},
     {"facet", &PlotRequest::facet},
     {"dash", &PlotRequest::dash}}};

/// A word that is no part of the request chooses points by a setting.
void add_choice(const SavedSweep& sweep, const std::string& key, const std::string& value,
                PlotRequest& request) {
  Words known;
  for (const auto& [name, part] : named_parts) known.emplace_back(name);
  known.insert(known.end(), {"band", "axes"});
  known.insert(known.end(), sweep.swept.begin(), sweep.swept.end());
  known.insert(known.end(), {"encoding", "curve"});
  if (std::ranges::find(known, key) == known.end())
    throw UsageError(
        key, "is neither a word of plot nor a setting of this sweep",
        remedy_for_unknown(key, known, fmt::format("give {}", fmt::join(known, ", "))));
  request.where.emplace_back(key, value);
}

PlotRequest request_of(const SavedSweep& sweep, const std::vector<std::string>& words) {
  PlotRequest request;
  for (const std::string& word : words) {
    const auto [key, value] = two_parts_of(word);
    const auto part = std::ranges::find_if(
        named_parts, [&key = key](const auto& named) { return named.first == key; });
    if (part != named_parts.end())
      request.*part->second = value;
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
std::string file_stem(const DrawnPage& page) {
  const PlotRequest& request = page.request;
  std::string stem = page.panels.id;
  if (!request.hue.empty()) stem += "_by_" + request.hue;
  if (!request.facet.empty()) stem += "_per_" + request.facet;
  if (!request.dash.empty()) stem += "_dashed_by_" + request.dash;
  return stem + file_part(request.where);
}

void print_what_there_is(const SavedSweep& sweep) {
  const TidyTable tidy = tidy_table(sweep.points, sweep.swept);
  const auto line = [](const char* what, const std::vector<std::string>& names) {
    print(fmt::format("{:<9} {}\n", what, fmt::join(names, " ")));
  };
  line("figures", curve_figures(sweep));
  line("measures", tidy.measures);
  std::vector<std::string> keys = tidy.keys;
  if (tidy.has_encodings) keys.emplace_back("encoding");
  line("settings", keys);
}

struct File {
  fs::path path;
  std::string bytes;
};

std::vector<File> files_of(const std::vector<DrawnPage>& pages, const PlotOptions& options,
                           const fs::path& out) {
  const ExportOptions look{.page = options.figures.page, .view = view_of(options.look)};
  const std::string& theme = options.figures.theme;
  std::vector<File> files;
  for (const DrawnPage& drawn : pages) {
    const fs::path stem = out / file_stem(drawn);
    Panels page = drawn.panels;
    for (Figure& panel : page.panels) panel = recolored(std::move(panel), options.look);
    for (const std::string& format : options.figures.formats)
      files.push_back(
          {stem.string() + "." + format, page.panels.size() == 1
                                             ? figure_file(page.panels.front(), format, theme, look)
                                             : figure_file(page, format, theme, look)});
    files.push_back({stem.string() + ".csv", csv_text(table_of(page))});
  }
  return files;
}

/// Parts of the look that some pages cannot have, and figures that have no page.
void tell_what_does_not_fit(const Drawing& drawing, const PlotRequest& request) {
  for (const auto& [key, part] : {std::pair{"hue", &PlotRequest::hue},
                                  {"facet", &PlotRequest::facet},
                                  {"dash", &PlotRequest::dash}}) {
    const auto with = static_cast<std::size_t>(std::ranges::count_if(
        drawing.pages,
        [&, member = part](const auto& page) { return page.request.*member == request.*member; }));
    if (with < drawing.pages.size())
      tell(fmt::format("{}={} is on {} of {} plots: the others cannot have it, nor its name\n", key,
                       request.*part, with, drawing.pages.size()));
  }
  for (const std::string& reason : drawing.not_drawn) tell(fmt::format("not drawn: {}\n", reason));
}

/// One line per point and reason, with the figures that lack its curves.
void say_left_out(const std::vector<LeftOut>& left_out) {
  struct Lack {
    std::vector<std::string> figures{};
    std::size_t curves{};
    bool known{true};  ///< how many curves
  };
  std::map<std::string, Lack> by_point;
  for (const LeftOut& one : left_out) {
    const bool lost = one.point.empty();
    Lack& lack = by_point[lost ? one.reason : fmt::format("point {}", one.point)];
    lack.figures.push_back(one.figure);
    lack.curves += one.curves;
    lack.known = lack.known && one.curves > 0;
    if (!lost) detail(fmt::format("{}: {}\n", one.point, one.reason));
  }
  for (const auto& [point, lack] : by_point)
    warn(fmt::format(
        "{}: left out of {} figure{}{}: {}", point, lack.figures.size(),
        lack.figures.size() == 1 ? "" : "s",
        lack.known ? fmt::format(" ({} curve{})", lack.curves, lack.curves == 1 ? "" : "s") : "",
        fmt::join(lack.figures, ", ")));
}

/// What is asked for may be missing since points are: they are named before the refusal.
Drawing drawn_or_reason(const SavedSweep& sweep, const PlotRequest& request) try {
  return drawn(sweep, request, most_pages);
} catch (const UsageError&) {
  warn_each(damage_messages(sweep));
  throw;
}

/// Names what is damaged or has no result, and what is drawn without it. Returns whether anything
/// is missing.
bool say_what_is_missing(const SavedSweep& sweep, const Drawing& drawing) {
  const auto missing = {sweep.problems, damage_messages(sweep), points_without_result(sweep)};
  bool any = !drawing.left_out.empty();
  for (const std::vector<std::string>& messages : missing) any = !warn_each(messages) || any;
  say_left_out(drawing.left_out);
  return any;
}

int plot_sweep(const PlotOptions& options) {
  if (!is_sweep_folder(options.folder))
    throw UsageError(options.folder, "is not the folder of a sweep",
                     "give the folder that orrery sweep wrote; redraw draws a single result");
  const SavedSweep sweep = load_sweep(options.folder);
  if (options.list) {
    print_what_there_is(sweep);
    return exit_ok;
  }
  if (std::ranges::none_of(sweep.points, std::mem_fn(&PointRecord::is_done)))
    throw DataError(options.folder,
                    "has no point with a result: its sweep is at work, or was ended",
                    "wait for it, or compute what is left with orrery resume " + options.folder);
  const PlotRequest request = request_of(sweep, options.words);
  const Drawing drawing = drawn_or_reason(sweep, request);
  const std::vector<DrawnPage>& pages = drawing.pages;
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
  for (const DrawnPage& page : pages) detail(file_stem(page) + "\n");
  tell_what_does_not_fit(drawing, request);
  return say_what_is_missing(sweep, drawing) ? exit_failed : exit_ok;
}

}  // namespace

Command plot_command() {
  const auto o = std::make_shared<PlotOptions>();
  std::vector<Option> options{
      {"DIR", &o->folder, "Folder of a sweep", required()},
      {"--list", &o->list, "List the figures, measures and settings instead"},
      {"--out", &o->out, "A folder; default DIR-plots"},
      {"--force", &o->force, "Replace plots of the same name"}};
  options = joined(options, drawing_options(o->figures, {"svg", "png", "pdf", "tex"}));
  Command command{"plot", "Draw the points of a sweep together: curves, measures, maps",
                  [o] { return plot_sweep(*o); }};
  command.options = joined(options, look_options(o->look));
  command.words = &o->words;
  command.footer = R"(figure=ID   lays the curves of this figure over one another
measure=M   draws a measure over x=KEY, or as a map over x=KEY and y=KEY
hue=KEY     has a colour per value: ordered for numbers, its own for an encoding
facet=KEY   has a panel per value; facet=none has no panels
dash=KEY    has dashes per value, for up to three
band=KIND   around means of repeats: interval (95 %), deviation, range or none
axes=KIND   of panels: shared or own
key=value   draws only the points with this setting
What is left out is chosen. Without figure and measure all that differs is drawn. The
numbers of each plot are in a CSV file beside it.

Examples:
  orrery sweep decay_over_bases --format none --out bases
  orrery plot bases figure=decay_bound hue=base
  orrery plot bases measure=first_rise x=base --format pdf --width neurips)";
  return command;
}

}  // namespace orrery
