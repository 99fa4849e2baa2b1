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
#include "experiments/combine/quantiles.h"
#include "experiments/text/number_text.h"

namespace orrery::combine {
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
      std::find(tidy.measures.begin(), tidy.measures.end(), parts.measure) != tidy.measures.end();
  throw UsageError(
      "measure=" + measure, "is not among the measures of this sweep",
      is_of_encoding
          ? fmt::format("did you mean measure={}{}?", parts.measure,
                        tidy.has_encodings ? " encoding=" + parts.encoding : "")
          : remedy_for_unknown(measure, tidy.measures,
                               fmt::format("its measures are {}", fmt::join(tidy.measures, ", "))));
}

std::vector<Number> numbers_of(const TidyTable& tidy, const PlotRequest& request) {
  const auto place = std::find(tidy.measures.begin(), tidy.measures.end(), request.measure);
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

/// The numbers of one curve, by x; those without x hold for every x.
struct Group {
  Setting look{};
  NumbersOver over_x{};
  std::vector<double> everywhere{};
};

Setting look_of(const Setting& setting, const Arrangement& arrangement, bool has_x) {
  Setting look;
  for (const auto* part : {&arrangement.hue, &arrangement.dash})
    if (*part && setting.contains((*part)->key)) look[(*part)->key] = setting.at((*part)->key);
  const bool lacks_hue = arrangement.hue && !look.contains(arrangement.hue->key);
  if ((lacks_hue || !has_x) && setting.contains(encoding_key))
    look[encoding_key] = setting.at(encoding_key);
  return look;
}

std::vector<Group> groups_at(const Place& place, const std::vector<Number>& numbers,
                             const Arrangement& arrangement, const std::string& x) {
  std::vector<Group> groups;
  std::map<Setting, std::size_t> known;
  for (const Number& number : numbers) {
    if (!belongs(number.setting, place)) continue;
    const auto at = number.setting.find(x);
    const bool has_x = at != number.setting.end();
    const Setting look = look_of(number.setting, arrangement, has_x);
    const auto [found, fresh] = known.emplace(look, groups.size());
    if (fresh) groups.push_back({.look = look});
    Group& group = groups[found->second];
    if (has_x)
      group.over_x[number_in(at->second).value_or(nan)].push_back(number.value);
    else
      group.everywhere.push_back(number.value);
  }
  return groups;
}

struct Ends {
  double from{};
  double to{};
};

Ends ends_of(const Dimension& x) {
  return {number_in(x.values.front()).value_or(0.0), number_in(x.values.back()).value_or(1.0)};
}

/// A flat line between the ends of x, for what does not read x.
Series flat(const Group& group, const Dimension& x, Band band) {
  const auto [from, to] = ends_of(x);
  const Spread spread = spread_of(group.everywhere, band);
  Series series{.x = {from, to}, .y = {spread.mean, spread.mean}};
  if (!std::isnan(spread.low)) {
    series.band_low.assign(2, spread.low);
    series.band_high.assign(2, spread.high);
  }
  return series;
}

Series curve(const Group& group, Band band) {
  Series series{.marked = true};
  bool any_band = false;
  for (const auto& [x, values] : group.over_x) {
    const Spread spread = spread_of(values, band);
    series.x.push_back(x);
    series.y.push_back(spread.mean);
    series.band_low.push_back(spread.low);
    series.band_high.push_back(spread.high);
    any_band = any_band || !std::isnan(spread.low);
  }
  if (!any_band) series.band_low = series.band_high = {};
  return series;
}

std::size_t hue_place(const Group& group, const Arrangement& arrangement) {
  if (!arrangement.hue) return 0;
  const auto& values = arrangement.hue->values;
  const auto found = group.look.find(arrangement.hue->key);
  if (found == group.look.end()) return values.size();
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), found->second) -
                                  values.begin());
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

/// The same numbers at both ends of x, for what does not read x.
NumbersOver everywhere_over(const Dimension& x, const Group& group) {
  const auto [from, to] = ends_of(x);
  return {{from, group.everywhere}, {to, group.everywhere}};
}

void add_bands(const NumbersOver& numbers, const Series& look, LinePlot& plot) {
  std::vector<Series> bands = quantile_bands(numbers, plot.x.scale);
  name_bands(look, bands);
  plot.series.insert(plot.series.end(), bands.begin(), bands.end());
}

std::optional<Figure> lines_at(const Place& place, const std::vector<Number>& numbers,
                               const Arrangement& arrangement, const Dimension& x,
                               const Subject& subject) {
  std::vector<Group> groups = groups_at(place, numbers, arrangement, x.key);
  std::stable_sort(groups.begin(), groups.end(), [&](const Group& a, const Group& b) {
    return hue_place(a, arrangement) < hue_place(b, arrangement);
  });
  const MeasureTitle& measure = subject.measure;
  const Band band = subject.request.band;
  LinePlot plot{.x = subject.x, .y = {.label = measure.title, .unit = measure.unit}};
  std::vector<double> xs;
  for (const std::string& value : x.values) xs.push_back(number_in(value).value_or(nan));
  plot.x.scale = scale_for(xs);
  const bool reads_x = std::any_of(groups.begin(), groups.end(),
                                   [](const Group& group) { return !group.over_x.empty(); });
  for (const Group& group : groups)
    for (const bool everywhere : {false, true}) {
      if (everywhere ? group.everywhere.empty() : group.over_x.empty()) continue;
      Series series = subject.banded ? Series{}
                      : everywhere   ? flat(group, x, band)
                                     : curve(group, band);
      give_look(arrangement, group.look, series);
      if (everywhere) series.style = LineStyle::dashed;
      if (everywhere && reads_x)
        series.name += fmt::format("{}any {}", series.name.empty() ? "" : ", ", x.key);
      if (subject.banded)
        add_bands(everywhere ? everywhere_over(x, group) : group.over_x, series, plot);
      else
        plot.series.push_back(std::move(series));
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
  for (const auto& values : cells) means.push_back(spread_of(values, Band::none).mean);
  const auto named = [](const Dimension& of) {
    if (of.key != encoding_key) return axis_names(of.values);
    std::vector<std::string> names;
    for (const std::string& value : of.values) names.push_back(value_name(of, value));
    return names;
  };
  std::vector<std::string> rows = named(y);
  if (y.is_number) std::reverse(rows.begin(), rows.end());
  Heatmap map{.values = std::make_shared<const Array>(
                  Array{.name = subject.measure.name, .shape = {height, width}, .values = means}),
              .x = subject.x,
              .y = subject.y,
              .quantity = quantity_of(subject.measure),
              .column_labels = named(x),
              .row_labels = std::move(rows)};
  return Figure{.content = std::move(map)};
}

/// Smallest and largest finite number of a map; {0, 0} without any.
Range range_of(const Figure& panel) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const Array& values = *std::get<Heatmap>(panel.content).values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
  }
  return low <= high ? Range{low, high} : Range{};
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
  if (axis.values.size() < 2)
    throw UsageError(
        fmt::format("{}={}", part, key), "is not among the settings that differ here",
        remedy_for_unknown(key, keys, fmt::format("choose one of {}", fmt::join(keys, ", "))));
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
    const std::vector<Group> groups = groups_at(place, numbers, arrangement, x.key);
    std::size_t points = 0;
    for (const Group& group : groups) points += group.over_x.size();
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
    return caption.of(page, subject.banded ? bands
                                           : repeats_text(static_cast<std::size_t>(sweep.repeats),
                                                          is_map ? Band::none : request.band));
  };
  std::vector<Panels> pages = pages_of(
      settings, arrangement, request, id,
      capitalized(fmt::format(
          "{} over {}", short_title(sweep, request.measure, most_bytes_above - over.size()).title,
          over)),
      text_below, [&](const Place& place) {
        return is_map ? map_at(place, numbers, x, y, subject)
                      : lines_at(place, numbers, arrangement, x, subject);
      });
  if (is_map)
    color_maps(pages, request);
  else
    scale_y(pages, request);
  return pages;
}

}  // namespace orrery::combine
