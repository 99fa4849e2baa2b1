// A measure of the points over one or two of their settings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/combine/parts.h"
#include "experiments/figure/plot/data_range.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// One number of one point.
struct Number {
  Setting setting{};
  double value{};
};

/// What `run` calls rope_change is the measure change of the encoding rope in a sweep.
[[noreturn]] void refuse_measure(const std::string& measure, const TidyTable& tidy) {
  const MeasureName parts = measure_name(measure);
  const bool is_of_encoding =
      !parts.encoding.empty() &&
      std::ranges::find(tidy.measures, parts.measure) != tidy.measures.end();
  throw UsageError(
      "measure=" + measure, "is not among the measures of this sweep",
      is_of_encoding
          ? fmt::format("did you mean measure={}{}?", parts.measure,
                        tidy.has_encodings ? " encoding=" + parts.encoding : "")
          : remedy_for_unknown(measure, tidy.measures,
                               fmt::format("its measures are {}", fmt::join(tidy.measures, ", "))));
}

std::vector<Number> numbers_of(const TidyTable& tidy, const PlotRequest& request) {
  const auto place = std::ranges::find(tidy.measures, request.measure);
  if (place == tidy.measures.end()) refuse_measure(request.measure, tidy);
  const auto m = static_cast<std::size_t>(place - tidy.measures.begin());
  std::vector<Number> numbers;
  for (const TidyRow& row : tidy.rows) {
    if (!row.point->is_done() || !std::isfinite(row.values[m])) continue;
    Setting setting = setting_of(*row.point, tidy.keys, row.encoding);
    if (is_asked_for(setting, request)) numbers.push_back({std::move(setting), row.values[m]});
  }
  if (numbers.empty())
    throw UsageError("measure=" + request.measure, "has no finite number at these settings",
                     "choose other points or another measure");
  return numbers;
}

/// The numbers of a curve by x, and those without x, which hold between its ends.
struct CurveNumbers {
  NumbersOver over_x{};
  NumbersOver everywhere{};
};

CurveNumbers numbers_of(const Group& group, const std::vector<Number>& numbers,
                        const Dimension& x) {
  CurveNumbers found;
  for (const std::size_t i : group.members) {
    const Number& number = numbers[i];
    const auto at = number.setting.find(x.key);
    if (at != number.setting.end())
      found.over_x[number_in(at->second).value_or(nan)].push_back(number.value);
    else
      for (const std::string* end : {&x.values.front(), &x.values.back()})
        found.everywhere[number_in(*end).value_or(nan)].push_back(number.value);
  }
  return found;
}

/// What a plot shows over what.
struct Subject {
  const PlotRequest& request;
  MeasureTitle measure{};
  Axis x{};
  Axis y{};            ///< of a map
  bool banded{false};  ///< quantiles stand for the curves
};

// More do not fit in one line above a plot, or along an axis.
constexpr std::size_t most_bytes_above = 76, most_bytes_along = 48;

/// With the name in words in place of a longer title.
MeasureTitle short_title(const SavedSweep& sweep, const std::string& measure,
                         std::size_t most_bytes) {
  MeasureTitle title = title_of(sweep.measures, measure);
  if (title.title.size() > most_bytes) title.title = words_of(measure);
  return title;
}

/// A title may begin with a symbol, which keeps its case: "k = q at 0".
std::string capitalized(std::string title) {
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  if (title.size() > 1 && is_small(title[0]) && is_small(title[1]))
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

std::optional<Figure> lines_at(const Place& place, const std::vector<Number>& numbers,
                               const std::vector<Setting>& settings, const Arrangement& arrangement,
                               const Dimension& x, const Subject& subject) {
  const MeasureTitle& measure = subject.measure;
  LinePlot plot{.x = subject.x, .y = {.label = measure.title, .unit = measure.unit}};
  std::vector<double> xs;
  for (const std::string& value : x.values) xs.push_back(number_in(value).value_or(nan));
  plot.x.scale = scale_for(xs);
  const std::vector<Group> groups = groups_at(place, settings, arrangement, x.key);
  const bool reads_x = std::ranges::any_of(groups, [&](const Group& group) {
    return std::ranges::any_of(group.members,
                               [&](std::size_t i) { return settings[i].contains(x.key); });
  });
  const auto add = [&](const NumbersOver& of, const Setting& look, bool everywhere) {
    if (of.empty()) return;
    Series series = subject.banded ? Series{} : mean_over(of, subject.request.band);
    series.marked = !everywhere;
    give_look(arrangement, look, series);
    if (everywhere) series.style = LineStyle::dashed;
    if (everywhere && reads_x)
      series.name += fmt::format("{}any {}", series.name.empty() ? "" : ", ", x.key);
    if (subject.banded)
      add_bands(of, series, plot);
    else
      plot.series.push_back(std::move(series));
  };
  for (const Group& group : groups) {
    const CurveNumbers found = numbers_of(group, numbers, x);
    add(found.over_x, group.look, false);
    add(found.everywhere, group.look, true);
  }
  if (plot.series.empty()) return std::nullopt;
  if (plot.series.size() == 1 && plot.series.front().name.empty())
    plot.series.front().name = measure.title;
  return Figure{.content = std::move(plot)};
}

/// One y axis for all panels, fitted to all numbers.
void scale_y(std::vector<Panels>& pages, const PlotRequest& request) {
  for (Panels& page : pages) {
    std::vector<double> ys;
    for (const Figure& panel : page.panels)
      for (const Series& series : std::get<LinePlot>(panel.content).series)
        for (const auto* values : {&series.y, &series.band_low})
          ys.insert(ys.end(), values->begin(), values->end());
    const AxisScale scale =
        scale_for(ys) == AxisScale::linear ? AxisScale::linear : AxisScale::log10;
    for (Figure& panel : page.panels) std::get<LinePlot>(panel.content).y.scale = scale;
    share_axes(page.panels, request);
  }
}

/// "mean entropy (bits)".
std::string quantity_of(const MeasureTitle& measure) {
  return measure.unit.empty() ? measure.title : fmt::format("{} ({})", measure.title, measure.unit);
}

/// The place of each value along an axis of a map.
std::map<std::string, std::size_t> places_in(const Dimension& of) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < of.values.size(); ++i) places.emplace(of.values[i], i);
  return places;
}

/// From the first cell along an axis to behind the last: one, or all for a point that does not read
/// the setting.
std::pair<std::size_t, std::size_t> cells_of(const Setting& setting, const std::string& key,
                                             const std::map<std::string, std::size_t>& places) {
  const auto value = setting.find(key);
  if (value == setting.end()) return {0, places.size()};
  const std::size_t place = places.at(value->second);
  return {place, place + 1};
}

std::optional<Figure> map_at(const Place& place, const std::vector<Number>& numbers,
                             const Dimension& x, const Dimension& y, const Subject& subject) {
  const std::size_t width = x.values.size(), height = y.values.size();
  std::vector<std::vector<double>> cells(width * height);
  const auto columns = places_in(x), rows_of = places_in(y);
  bool any = false;
  for (const Number& number : numbers) {
    if (!belongs(number.setting, place)) continue;
    const auto [left, right] = cells_of(number.setting, x.key, columns);
    const auto [first, last] = cells_of(number.setting, y.key, rows_of);
    for (std::size_t row = first; row < last; ++row)
      for (std::size_t column = left; column < right; ++column) {
        // Numbers go up along the axis, names down.
        cells[(y.is_number ? height - 1 - row : row) * width + column].push_back(number.value);
        any = true;
      }
  }
  if (!any) return std::nullopt;
  std::vector<double> means;
  for (const auto& values : cells) means.push_back(spread_of(values, SpreadBand::none).mean);
  const auto named = [](const Dimension& of) {
    if (of.key != encoding_key) return axis_names(of.values);
    std::vector<std::string> names;
    for (const std::string& value : of.values) names.push_back(value_name(of, value));
    return names;
  };
  std::vector<std::string> rows = named(y);
  if (y.is_number) std::ranges::reverse(rows);
  Heatmap map{.values = std::make_shared<const Array>(
                  Array{.name = subject.measure.name, .shape = {height, width}, .values = means}),
              .x = subject.x,
              .y = subject.y,
              .quantity = quantity_of(subject.measure),
              .column_labels = named(x),
              .row_labels = std::move(rows)};
  return Figure{.content = std::move(map)};
}

Range range_of(const Figure& panel) {
  return value_range(*std::get<Heatmap>(panel.content).values, nullptr);
}

/// Signed numbers around 0, and others by ratio over three decades.
void give_colors(Figure& panel, const Range& range) {
  constexpr double decades = 1e3;
  auto& map = std::get<Heatmap>(panel.content);
  if (!(range.min < range.max)) return;
  map.range = range;
  if (range.min < 0.0 && range.max > 0.0) map.meaning = Meaning::diverging;
  if (range.min > 0.0 && range.max > decades * range.min) map.colors = ColorScaling::log;
}

/// Each panel has its own colour bar, unless all are to have the same colours.
void color_maps(std::vector<Panels>& pages, const PlotRequest& request) {
  for (Panels& page : pages) {
    Range all = range_of(page.panels.front());
    for (const Figure& panel : page.panels) {
      const Range one = range_of(panel);
      all = {std::min(all.min, one.min), std::max(all.max, one.max)};
    }
    for (Figure& panel : page.panels)
      give_colors(panel, request.shared.value_or(false) ? all : range_of(panel));
  }
}

/// The swept number with the most values that is not the other axis.
std::string chosen_x(const std::vector<Setting>& settings, const TidyTable& tidy,
                     const std::string& y) {
  std::string best;
  std::size_t most = 1;
  for (const std::string& key : tidy.keys) {
    const Dimension one = dimension_of(settings, key);
    if (!one.is_number || one.values.size() <= most || key == y) continue;
    best = key;
    most = one.values.size();
  }
  if (best.empty() && !y.empty())
    throw UsageError("y=" + y, "is of a map over two settings, and no number is left for x",
                     "leave y out, or give x=");
  if (best.empty())
    throw UsageError("x", "is missing, and no number differs between these points",
                     "sweep a number, or give x= and y= for a map over two settings");
  return best;
}

Dimension axis_of(const char* part, const std::string& key, const std::vector<Setting>& settings,
                  const std::vector<std::string>& keys, bool needs_number) {
  Dimension axis = dimension_of(settings, key);
  if (axis.values.size() < 2) refuse_setting(part, key, keys);
  if (needs_number && !axis.is_number)
    throw UsageError(fmt::format("{}={}", part, key), "has values that are not numbers",
                     fmt::format("take hue={0} or facet={0}, or a map with y=", key));
  return axis;
}

/// Whether a panel has too many curves or points to be told apart, or many points too many pages;
/// and bands would have fewer.
bool is_crowded(const std::vector<Number>& numbers, const std::vector<Setting>& settings,
                const Arrangement& arrangement, const Dimension& x) {
  if (has_too_many_pages(settings, arrangement)) return numbers.size() > most_points;
  Arrangement less = arrangement;
  const bool joins = !without_crowd(settings, less).empty();
  if (!joins && x.values.size() <= most_places) return false;
  std::vector<Dimension> parts = arrangement.pages;
  if (arrangement.facet) parts.push_back(*arrangement.facet);
  for (const Place& place : places_of(settings, parts)) {
    const std::vector<Group> groups = groups_at(place, settings, arrangement, x.key);
    std::size_t points = 0;
    for (const Group& group : groups) points += numbers_of(group, numbers, x).over_x.size();
    if ((joins && groups.size() > most_curves) || points > most_points) return true;
  }
  return false;
}

/// What the bands are of; empty for curves.
std::string banded_text(const std::vector<Number>& numbers, const std::vector<Setting>& settings,
                        const Dimension& x, Arrangement& arrangement) {
  if (!is_crowded(numbers, settings, arrangement, x)) return {};
  return bands_text(without_crowd(settings, arrangement)) + steps_text(x.values.size(), x.key);
}

}  // namespace

std::vector<Panels> measure_plot(const SavedSweep& sweep, const TidyTable& tidy,
                                 const PlotRequest& request) {
  const std::vector<Number> numbers = numbers_of(tidy, request);
  std::vector<Setting> settings;
  for (const Number& number : numbers) settings.push_back(number.setting);
  const std::vector<std::string> keys = varying_keys(settings);
  const bool is_map = !request.y.empty();
  if (is_map && request.x == request.y)
    throw UsageError("y=" + request.y, "is the axis x as well",
                     "leave y out, or take another setting");
  const std::string chosen = request.x.empty() ? chosen_x(settings, tidy, request.y) : request.x;
  const Dimension x = axis_of("x", chosen, settings, keys, !is_map);
  const Dimension y = is_map ? axis_of("y", request.y, settings, keys, false) : Dimension{};
  std::vector<std::string> axes{x.key};
  if (is_map) axes.push_back(y.key);
  Arrangement arrangement = arranged(settings, keys, request, axes);
  const std::string bands = is_map ? std::string() : banded_text(numbers, settings, x, arrangement);
  const Subject subject{.request = request,
                        .measure = short_title(sweep, request.measure, most_bytes_along),
                        .x = setting_axis(sweep, x.key),
                        .y = setting_axis(sweep, y.key),
                        .banded = !bands.empty()};
  const std::string over = is_map ? fmt::format("{} and {}", x.key, y.key) : x.key;
  const std::string id =
      fmt::format("{}_over_{}{}{}", request.measure, x.key, is_map ? "_and_" : "", y.key);
  const Captions caption(sweep);
  const auto text_below = [&](const Place& page) {
    return caption.of(page, subject.banded
                                ? bands
                                : repeats_text(static_cast<std::size_t>(sweep.repeats),
                                               is_map ? SpreadBand::none : request.band));
  };
  std::vector<Panels> pages = pages_of(
      settings, arrangement, request, id,
      capitalized(fmt::format(
          "{} over {}", short_title(sweep, request.measure, most_bytes_above - over.size()).title,
          over)),
      text_below, [&](const Place& place) {
        return is_map ? map_at(place, numbers, x, y, subject)
                      : lines_at(place, numbers, settings, arrangement, x, subject);
      });
  if (is_map)
    color_maps(pages, request);
  else
    scale_y(pages, request);
  return pages;
}

}  // namespace orrery
