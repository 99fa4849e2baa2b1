// Curves of several points laid over one another.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/combine/combine.h"
#include "experiments/combine/parts.h"
#include "experiments/figure/plot/data_range.h"
#include "experiments/results/saved_result.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr std::size_t most_read = 10'000;  ///< points whose curves are read; of more a sample

/// One curve of one point.
struct Curve {
  Setting setting{};
  Series series{};
  const LinePlot* plot{};  ///< that it is in
};

/// The curves of all points, and the figures that they are in.
struct Curves {
  std::vector<std::unique_ptr<const Figure>> figures{};
  std::vector<Curve> all{};
  std::vector<LeftOut> left_out{};
  std::size_t points{};  ///< that have the figure, or should have it
  std::size_t asked{};   ///< finished points that are asked for
  std::size_t read{};    ///< of these
};

std::string figure_path(const std::string& id) { return "figures/" + id + ".json"; }

/// The encoding whose label this is; empty when it is none's.
std::string encoding_labelled(const std::string& label) {
  for (const EncodingSummary& encoding : encoding_list())
    if (encoding.label == label) return encoding.name;
  return {};
}

/// Whether the parameter is read where only this encoding is, as far as this program knows.
bool is_read_by(const std::string& encoding, const std::string& experiment,
                const std::string& key) {
  const ParamSpec* spec = spec_of(experiment, key);
  if (!spec || !spec->used_when) return true;
  const Condition& condition = *spec->used_when;
  if (condition.key != encoding_key) return is_read_by(encoding, experiment, condition.key);
  return std::ranges::find(condition.any_of, encoding) != condition.any_of.end();
}

void add_curves(const PointRecord& point, const SavedSweep& sweep, const PlotRequest& request,
                Figure figure, Curves& curves) {
  const Figure& kept = *curves.figures.emplace_back(std::make_unique<Figure>(std::move(figure)));
  const auto& plot = std::get<LinePlot>(kept.content);
  for (const Series& series : plot.series) {
    if (series.is_ghost()) continue;  // the other points are what it is read against
    std::string encoding = encoding_labelled(series.name);
    const bool is_encoding = !encoding.empty();
    const std::string of_point = point.param(encoding_key);
    if (!is_encoding && of_point.find('+') == std::string::npos) encoding = of_point;
    Setting setting = setting_of(point, sweep.swept, encoding);
    if (!encoding.empty())
      std::erase_if(setting, [&](const auto& one) {
        return one.first != encoding_key && !is_read_by(encoding, sweep.experiment, one.first);
      });
    if (!is_encoding) setting[curve_key] = series.name;
    if (is_asked_for(setting, request)) curves.all.push_back({std::move(setting), series, &plot});
  }
}

/// The figure in a point's folder; an empty table stands for one that has no curves.
std::optional<Figure> saved_figure(const PointRecord& point, const std::string& id) {
  const SavedFolder saved(point.folder);
  if (!saved.lists(figure_path(id))) return std::nullopt;
  auto figure = load_curves(saved, id);
  return figure ? std::move(*figure) : Figure{.content = TableFigure{}};
}

/// Whether a point that cannot be read may be one of those that are asked for.
bool may_be_asked_for(const PointRecord& point, const SavedSweep& sweep,
                      const PlotRequest& request) {
  return is_asked_for(setting_of(point, sweep.swept, {}), request);
}

/// How many curves each point has; 0 where they differ in that.
std::size_t curves_per_point(const Curves& curves) {
  std::map<const LinePlot*, std::size_t> counts;
  for (const Curve& curve : curves.all) ++counts[curve.plot];
  if (counts.empty()) return 0;
  const std::size_t first = counts.begin()->second;
  const bool same =
      std::ranges::all_of(counts, [&](const auto& one) { return one.second == first; });
  return same ? first : 0;
}

/// "2 of 4 points are damaged and left out: dim=8 (3f…), …"; empty where none is.
std::string left_out_text(const Curves& curves) {
  constexpr std::size_t most_names = 3;
  if (curves.left_out.empty()) return {};
  std::vector<std::string> names;
  for (const LeftOut& one : curves.left_out) names.push_back(one.point);
  const std::size_t count = names.size();
  if (count > most_names) names.resize(most_names);
  return fmt::format(" · {} of {} points {} damaged and left out: {}{}", count, curves.points,
                     count == 1 ? "is" : "are", fmt::join(names, ", "),
                     count > most_names ? ", …" : "");
}

/// " · a sample of 10 000 of 100 000 points"; empty where all are drawn.
std::string sample_text(const Curves& curves) {
  if (curves.read == curves.asked) return {};
  return fmt::format(" · a sample of {} of {} points",
                     grouped_number(static_cast<double>(curves.read)),
                     grouped_number(static_cast<double>(curves.asked)));
}

/// "in this sweep base is 1000, 10000": of each setting that curves were chosen by.
std::string values_there(const SavedSweep& sweep, const PlotRequest& request) {
  std::vector<std::string> parts;
  for (const auto& [key, asked] : request.where) {
    std::vector<std::string> values;
    for (const PointRecord& point : sweep.points)
      if (const std::string value = point.param(key);
          !value.empty() && std::ranges::find(values, value) == values.end())
        values.push_back(value);
    if (!values.empty()) parts.push_back(fmt::format("{} is {}", key, fmt::join(values, ", ")));
  }
  return parts.empty() ? "choose by settings that its curves have"
                       : fmt::format("in this sweep {}", fmt::join(parts, " and "));
}

/// The finished points that may be asked for; of few, or of repeats, also those that are not.
Points points_for(const SavedSweep& sweep, const PlotRequest& request) {
  Points points = finished_points(sweep);
  if (sweep.repeats == 1 && sweep.points.size() > most_read)
    std::erase_if(points, [&](const PointRecord* point) {
      return !may_be_asked_for(*point, sweep, request);
    });
  return points;
}

/// The figure of a point, or why it cannot be read.
struct ReadFigure {
  std::optional<Figure> figure{};
  std::string failure{};
};

std::vector<ReadFigure> read_figures(const Points& points, const FigureOfPoint& figure_of) {
  std::vector<ReadFigure> read(points.size());
  for_points(points.size(), [&](std::size_t i) {
    try {
      read[i].figure = figure_of(*points[i]);
    } catch (const Error& error) {
      read[i].failure = error.what();
    }
  });
  return read;
}

Curves curves_of(const SavedSweep& sweep, const PlotRequest& request,
                 const FigureOfPoint& figure_of) {
  Curves curves;
  bool other_kind = false;
  const Points finished = points_for(sweep, request);
  const Points points = sweep.repeats == 1 ? sample_of(finished, most_read) : finished;
  curves.asked = finished.size();
  curves.read = points.size();
  std::vector<ReadFigure> read = read_figures(points, figure_of);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointRecord& point = *points[i];
    auto& [figure, failure] = read[i];
    if (!failure.empty()) {
      if (!may_be_asked_for(point, sweep, request)) continue;
      curves.left_out.push_back(
          {.figure = request.figure, .point = point_name(point), .reason = std::move(failure)});
      ++curves.points;
      continue;
    }
    if (!figure) continue;
    const std::size_t before = curves.all.size();
    if (std::holds_alternative<LinePlot>(figure->content))
      add_curves(point, sweep, request, std::move(*figure), curves);
    else
      other_kind = true;
    if (curves.all.size() > before) ++curves.points;
  }
  for (LeftOut& one : curves.left_out) one.curves = curves_per_point(curves);
  if (!curves.all.empty()) return curves;
  if (!curves.left_out.empty() && !other_kind)
    throw DataError("figure=" + request.figure,
                    fmt::format("can be read of none of {} points: {}", curves.points,
                                curves.left_out.front().reason),
                    "orrery resume computes damaged points again");
  const std::vector<std::string> known = curve_figures(sweep);
  const std::string all = fmt::format("its figures of curves are {}", fmt::join(known, ", "));
  const bool is_known = std::ranges::find(known, request.figure) != known.end();
  throw UsageError("figure=" + request.figure,
                   other_kind  ? "is not a figure of curves"
                   : !is_known ? "is not among the figures of this sweep"
                               : "has no curves at these settings",
                   other_kind  ? all
                   : !is_known ? remedy_for_unknown(request.figure, known, all)
                               : values_there(sweep, request));
}

/// How the curves of one look are drawn as one.
struct Joining {
  SpreadBand band{};
  bool of_repeats{};
  bool banded{};  ///< as quantiles
};

/// The curve of one point, or of equal curves of points that are no repeats, with its own band;
/// else their mean at each x of the first.
Series joined(const std::vector<const Curve*>& curves, const Joining& joining) {
  Series series = curves.front()->series;
  const bool equal = std::ranges::all_of(curves, [&](const Curve* one) {
    return one->series.x == series.x && one->series.y == series.y;
  });
  if (curves.size() < 2 || joining.banded || (equal && !joining.of_repeats)) return series;
  std::vector<std::pair<double, std::vector<double>>> numbers;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    numbers.push_back({series.x[i], {}});
    for (const Curve* one : curves)
      if (one->series.x.size() == series.x.size())
        numbers.back().second.push_back(one->series.y[i]);
  }
  Series mean = mean_over(numbers, joining.band);
  series.y = std::move(mean.y);
  series.band_low = std::move(mean.band_low);
  series.band_high = std::move(mean.band_high);
  return series;
}

/// The numbers of all curves by x.
NumbersOver numbers_of(const std::vector<const Curve*>& curves) {
  NumbersOver numbers;
  for (const Curve* one : curves)
    for (std::size_t i = 0; i < one->series.x.size(); ++i)
      numbers[one->series.x[i]].push_back(one->series.y[i]);
  return numbers;
}

bool same_rule(const Rule& a, const Rule& b) {
  return a.direction == b.direction && a.at == b.at && a.label == b.label;
}

/// Axes of the first plot, with a range that holds those of all; rules that all have.
LinePlot frame_of(const std::vector<const Curve*>& curves) {
  const LinePlot& first = *curves.front()->plot;
  LinePlot plot{.x = first.x, .y = first.y, .rules = first.rules};
  for (const Curve* one : curves) {
    widen(plot.x.range, one->plot->x.range);
    widen(plot.y.range, one->plot->y.range);
    std::erase_if(plot.rules, [&](const Rule& rule) {
      const auto& others = one->plot->rules;
      return std::ranges::none_of(others,
                                  [&](const Rule& other) { return same_rule(rule, other); });
    });
  }
  return plot;
}

/// Different x among the curves.
std::size_t count_of_x(const Curves& curves) {
  std::set<double> places;
  for (const Curve& one : curves.all) places.insert(one.series.x.begin(), one.series.x.end());
  return places.size();
}

std::optional<Figure> panel_at(const Place& place, const Curves& curves,
                               const std::vector<Setting>& settings, const Arrangement& arrangement,
                               const Joining& joining) {
  std::vector<std::vector<const Curve*>> groups;
  std::vector<const Curve*> here;
  const std::vector<Group> looks = groups_at(place, settings, arrangement);
  for (const Group& group : looks) {
    groups.emplace_back();
    for (const std::size_t i : group.members) groups.back().push_back(&curves.all[i]);
    here.insert(here.end(), groups.back().begin(), groups.back().end());
  }
  if (here.empty()) return std::nullopt;
  LinePlot plot = frame_of(here);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Series series = joined(groups[g], joining);
    const std::string own = series.name, label = series.label;
    if (arrangement.hue || arrangement.dash) give_look(arrangement, looks[g].look, series);
    if (series.name.empty()) {
      series.name = own;
      series.label = label;
    }
    if (joining.banded)
      add_bands(numbers_of(groups[g]), series, plot);
    else
      plot.series.push_back(std::move(series));
  }
  return Figure{.content = std::move(plot)};
}

/// Whether panels have more curves than can be told apart, or many curves too many pages.
bool is_crowded(const std::vector<Setting>& settings, const Arrangement& arrangement) {
  if (has_too_many_pages(settings, arrangement)) return settings.size() > most_points;
  const std::optional<Dimension>& hue = arrangement.hue;
  return hue && hue->key != encoding_key && hue->key != curve_key &&
         hue->values.size() > most_curves;
}

std::vector<std::string> curve_figures_of(const PointRecord& point) try {
  std::vector<std::string> ids;
  const SavedFolder saved(point.folder);  // a loop does not keep what it calls files() of
  for (const WrittenFile& file : saved.files()) {
    const std::filesystem::path path(file.path);
    if (path.parent_path() == "figures" && path.extension() == ".csv")
      ids.push_back(path.stem().string());
  }
  return ids;
} catch (const Error&) {
  return {};  // the other points have the same figures
}

}  // namespace

std::vector<std::string> curve_figures(const SavedSweep& sweep) {
  std::vector<std::vector<std::string>> of_points(sweep.points.size());
  for_points(of_points.size(), [&](std::size_t i) {
    if (sweep.points[i].is_done()) of_points[i] = curve_figures_of(sweep.points[i]);
  });
  std::vector<std::string> ids;
  std::set<std::string> known;
  for (const std::vector<std::string>& of_point : of_points)
    for (const std::string& id : of_point)
      if (known.insert(id).second) ids.push_back(id);
  return ids;
}

std::vector<Panels> overlay(const SavedSweep& sweep, const PlotRequest& request,
                            std::vector<LeftOut>* left_out) {
  return overlay(
      sweep, request, [&](const PointRecord& point) { return saved_figure(point, request.figure); },
      left_out);
}

std::vector<Panels> overlay(const SavedSweep& sweep, const PlotRequest& request,
                            const FigureOfPoint& figure_of, std::vector<LeftOut>* left_out) {
  const Curves curves = curves_of(sweep, request, figure_of);
  std::vector<Setting> settings;
  for (const Curve& curve : curves.all) settings.push_back(curve.setting);
  Arrangement arrangement = arranged(settings, varying_keys(settings), request, {});
  const bool banded = is_crowded(settings, arrangement);
  const std::vector<std::string> gone =
      banded ? without_crowd(settings, arrangement) : std::vector<std::string>();
  const Joining joining{request.band, sweep.repeats > 1, banded};
  const std::string& first = curves.figures.front()->title;
  const bool one_title = std::ranges::all_of(
      curves.figures, [&](const auto& figure) { return figure->title == first; });
  const std::string title = one_title ? first : request.figure;
  const Captions captions(sweep);
  const auto caption = [&](const Place& page) {
    return captions.of(
               page, banded ? bands_text(gone) + steps_text(count_of_x(curves), "x")
                            : repeats_text(static_cast<std::size_t>(sweep.repeats), request.band)) +
           sample_text(curves) + left_out_text(curves);
  };
  std::vector<Panels> pages = pages_of(
      settings, arrangement, request, request.figure, title, caption,
      [&](const Place& place) { return panel_at(place, curves, settings, arrangement, joining); });
  if (left_out) left_out->insert(left_out->end(), curves.left_out.begin(), curves.left_out.end());
  return pages;
}

}  // namespace orrery
