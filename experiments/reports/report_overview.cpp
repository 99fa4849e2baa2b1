#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "experiments/reports/report_overview.h"
#include "experiments/reports/report_parts.h"

namespace orrery::reports {
namespace {

std::optional<double> number_in(const std::string& text) {
  double value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Values of a key over the finished points: numbers in ascending order, words in order of
/// appearance.
std::vector<std::string> values_of(const SavedSweep& sweep, const std::string& key) {
  std::vector<std::string> values;
  for (const PointRecord& point : sweep.points) {
    const std::string value = point.param(key);
    if (point.is_done() && !value.empty() &&
        std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(value);
  }
  const auto smaller = [](const std::string& a, const std::string& b) {
    return number_in(a).value_or(0.0) < number_in(b).value_or(0.0);
  };
  const auto is_number = [](const std::string& value) { return number_in(value).has_value(); };
  if (std::all_of(values.begin(), values.end(), is_number))
    std::stable_sort(values.begin(), values.end(), smaller);
  return values;
}

bool is_numeric(const std::vector<std::string>& values) {
  return values.size() > 1 && std::all_of(values.begin(), values.end(), [](const std::string& v) {
           return number_in(v).has_value();
         });
}

AxisScale scale_for(const std::vector<double>& values) {
  constexpr double decades = 100.0;  ///< ratio from which a logarithmic axis is easier to read
  double low = std::numeric_limits<double>::infinity(), high = 0.0;
  bool powers_of_two = true;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    if (value <= 0.0) return AxisScale::linear;
    low = std::min(low, value);
    high = std::max(high, value);
    int exponent = 0;
    powers_of_two = powers_of_two && std::frexp(value, &exponent) == 0.5;
  }
  if (powers_of_two && high >= 4.0 * low) return AxisScale::log2;
  return high >= decades * low ? AxisScale::log10 : AxisScale::linear;
}

/// The keys of a family of figures: on the x axis, one per curve, one per figure.
struct Layout {
  std::string x{};
  std::string curve{};                ///< may be empty
  std::vector<std::string> facets{};  ///< all others
};

Layout layout_for(const SavedSweep& sweep, const std::string& x) {
  Layout layout{.x = x};
  std::size_t most = 0;
  for (const std::string& key : sweep.swept) {
    const std::size_t count = key == x ? 0 : values_of(sweep, key).size();
    if (count <= most) continue;
    most = count;
    layout.curve = key;
  }
  for (const std::string& key : sweep.swept)
    if (key != x && key != layout.curve) layout.facets.push_back(key);
  return layout;
}

/// "base=10000, encoding=rope"; empty where nothing else is swept.
std::string facet_of(const PointRecord& point, const Layout& layout) {
  std::string text;
  for (const std::string& key : layout.facets) {
    const std::string value = point.param(key);
    if (!value.empty()) text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key, value);
  }
  return text;
}

struct Moments {
  double mean{};
  double deviation{};
};

Moments moments_of(const std::vector<double>& values) {
  Moments moments;
  for (const double value : values) moments.mean += value / static_cast<double>(values.size());
  for (const double value : values) moments.deviation += std::pow(value - moments.mean, 2);
  if (values.size() > 1)
    moments.deviation = std::sqrt(moments.deviation / static_cast<double>(values.size() - 1));
  return moments;
}

/// Repeats at each x.
using Samples = std::map<double, std::vector<double>>;

Series series_of(const std::string& name, const Samples& samples, bool repeated, int color) {
  Series series{.name = name, .color = color};
  for (const auto& [x, values] : samples) {
    const Moments moments = moments_of(values);
    series.x.push_back(x);
    series.y.push_back(moments.mean);
    if (!repeated) continue;
    series.band_low.push_back(moments.mean - moments.deviation);
    series.band_high.push_back(moments.mean + moments.deviation);
  }
  return series;
}

std::string caption_for(const SavedSweep& sweep, const Layout& layout, const std::string& facet) {
  std::string caption = sweep.experiment;
  if (!facet.empty()) caption += " · " + facet;
  if (!layout.curve.empty()) caption += fmt::format(" · one curve per {}", layout.curve);
  if (sweep.repeats > 1)
    caption += fmt::format(" · mean of {} repeats, shaded: one standard deviation", sweep.repeats);
  return caption;
}

/// Empty when there are fewer than two points to connect.
std::optional<Figure> overview(const SavedSweep& sweep, const Layout& layout,
                               const std::string& facet, const std::string& scalar) {
  LinePlot plot;
  std::vector<double> xs, ys;
  int color = 0;
  for (const std::string& value :
       layout.curve.empty() ? std::vector<std::string>{""} : values_of(sweep, layout.curve)) {
    Samples samples;
    for (const PointRecord& point : sweep.points) {
      const auto x = number_in(point.param(layout.x));
      const double y = point.scalar(scalar);
      const bool here = layout.curve.empty() || point.param(layout.curve) == value;
      if (!here || !x || !point.is_done() || facet_of(point, layout) != facet || !std::isfinite(y))
        continue;
      samples[*x].push_back(y);
      xs.push_back(*x);
      ys.push_back(y);
    }
    const std::string name = layout.curve.empty() ? scalar
                             : number_in(value)   ? fmt::format("{} = {}", layout.curve, value)
                                                  : value;
    if (!samples.empty()) plot.series.push_back(series_of(name, samples, sweep.repeats > 1, color));
    ++color;
  }
  if (std::set<double>(xs.begin(), xs.end()).size() < 2) return std::nullopt;
  plot.x = {.label = layout.x, .scale = scale_for(xs)};
  plot.y = {.label = scalar, .scale = scale_for(ys)};
  return Figure{
      .title = fmt::format("{} over {}", scalar, layout.x) + (facet.empty() ? "" : " at " + facet),
      .caption = caption_for(sweep, layout, facet),
      .content = std::move(plot)};
}

std::vector<std::string> facets_of(const SavedSweep& sweep, const Layout& layout) {
  std::vector<std::string> facets;
  for (const PointRecord& point : sweep.points) {
    const std::string facet = facet_of(point, layout);
    if (point.is_done() && std::find(facets.begin(), facets.end(), facet) == facets.end())
      facets.push_back(facet);
  }
  return facets;
}

bool same_curves(const Figure& a, const Figure& b) {
  const auto& in_a = std::get<LinePlot>(a.content).series;
  const auto& in_b = std::get<LinePlot>(b.content).series;
  return std::equal(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(),
                    [](const Series& x, const Series& y) {
                      return x.name == y.name && x.x == y.x && x.y == y.y;
                    });
}

/// The figures of one scalar over one key; settings with the same curves share one.
std::vector<Figure> family(const SavedSweep& sweep, const Layout& layout,
                           const std::string& scalar) {
  std::vector<Figure> figures;
  for (const std::string& facet : facets_of(sweep, layout)) {
    std::optional<Figure> figure = overview(sweep, layout, facet, scalar);
    if (!figure) continue;
    const auto alike = std::find_if(figures.begin(), figures.end(), [&](const Figure& other) {
      return same_curves(other, *figure);
    });
    if (alike == figures.end())
      figures.push_back(std::move(*figure));
    else
      alike->caption += " · the same at " + facet;
  }
  return figures;
}

}  // namespace

std::vector<Figure> overview_figures(const SavedSweep& sweep) {
  std::vector<Figure> figures;
  for (const std::string& scalar : scalar_names(sweep.points))
    for (const std::string& x : sweep.swept) {
      if (!is_numeric(values_of(sweep, x))) continue;
      for (Figure& figure : family(sweep, layout_for(sweep, x), scalar)) {
        if (figures.size() == most_overview_figures) return figures;
        figure.id = fmt::format("overview_{}", figures.size());
        figures.push_back(std::move(figure));
      }
    }
  return figures;
}

}  // namespace orrery::reports
