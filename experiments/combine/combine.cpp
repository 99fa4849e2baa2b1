#include "experiments/combine/combine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "experiments/combine/parts.h"

namespace orrery::combine {
namespace {

/// Settings of numbers that differ between the points.
std::vector<std::string> number_keys(const TidyTable& tidy) {
  std::vector<Setting> settings;
  for (const TidyRow& row : tidy.rows)
    if (row.point->is_done()) settings.push_back(setting_of(*row.point, tidy.keys, row.encoding));
  std::vector<std::string> keys;
  for (const std::string& key : tidy.keys)
    if (const Dimension one = dimension_of(settings, key); one.is_number && one.values.size() > 1)
      keys.push_back(key);
  return keys;
}

/// Requests for every figure and measure, the curves first.
std::vector<PlotRequest> all_requests(const SavedSweep& sweep, const TidyTable& tidy) {
  std::vector<PlotRequest> requests;
  for (const std::string& figure : curve_figures(sweep)) requests.push_back({.figure = figure});
  const std::vector<std::string> keys = number_keys(tidy);
  for (std::size_t m = 0; m < tidy.measures.size(); ++m) {
    if (is_constant(tidy, m)) continue;
    for (const std::string& key : keys) requests.push_back({.measure = tidy.measures[m], .x = key});
    for (std::size_t i = 0; i < keys.size(); ++i)
      for (std::size_t j = i + 1; j < keys.size(); ++j)
        requests.push_back({.measure = tidy.measures[m], .x = keys[i], .y = keys[j]});
  }
  return requests;
}

/// With the hue and the facet of `look`, or with what suits where the page cannot have them.
std::vector<Panels> combined_in_look(const SavedSweep& sweep, PlotRequest request,
                                     const PlotRequest& look) {
  if (look.hue.empty() && look.facet.empty()) return combined(sweep, request);
  const PlotRequest plain = request;
  const bool is_map = !request.y.empty();
  const auto is_axis = [&](const std::string& key) { return key == request.x || key == request.y; };
  if (!is_map && !is_axis(look.hue)) request.hue = look.hue;
  if (!is_axis(look.facet)) request.facet = look.facet;
  try {
    return combined(sweep, request);
  } catch (const UsageError&) {
    return combined(sweep, plain);
  }
}

}  // namespace

std::vector<Figure> figures_of(Panels page) {
  std::vector<Figure> figures;
  const bool alone = page.panels.size() == 1;
  for (std::size_t i = 0; i < page.panels.size(); ++i) {
    Figure& figure = figures.emplace_back(std::move(page.panels[i]));
    figure.id = alone ? page.id : fmt::format("{}_{}", page.id, i + 1);
    figure.title = alone || figure.title.empty() ? page.title
                                                 : fmt::format("{} – {}", figure.title, page.title);
    if (figure.caption.empty()) figure.caption = page.caption;
    figure.role.kind = page.id;
  }
  return figures;
}

std::vector<Panels> combined(const SavedSweep& sweep, const PlotRequest& request) {
  if (request.figure.empty() == request.measure.empty())
    throw UsageError("a plot", "shows either a figure or a measure",
                     "give figure=ID or measure=NAME");
  if (!request.figure.empty()) return overlay(sweep, request);
  return measure_plot(sweep, tidy_table(sweep.points, sweep.swept), request);
}

std::vector<Panels> overview(const SavedSweep& sweep, std::size_t most, const PlotRequest& look) {
  std::vector<Panels> all;
  const TidyTable tidy = tidy_table(sweep.points, sweep.swept);
  for (const PlotRequest& request : all_requests(sweep, tidy)) {
    if (all.size() >= most) break;
    try {
      for (Panels& page : combined_in_look(sweep, request, look))
        if (all.size() < most) all.push_back(std::move(page));
    } catch (const Error&) {
      // What cannot be drawn of all points, or is damaged, is left out; the report lists damage.
    }
  }
  return all;
}

}  // namespace orrery::combine
