#include "experiments/combine/combine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "experiments/combine/parts.h"

namespace orrery {
namespace {

std::vector<std::string> with_all(std::vector<std::string> keys,
                                  const std::vector<std::string>& others) {
  for (const std::string& key : others)
    if (std::ranges::find(keys, key) == keys.end()) keys.push_back(key);
  return keys;
}

/// The settings of the finished points that the request asks for.
std::vector<Setting> settings_of(const SavedSweep& sweep, const TidyTable& tidy,
                                 const PlotRequest& request) {
  const std::vector<std::string> keys = with_all(tidy.keys, sweep.swept);
  std::vector<Setting> settings;
  for (const TidyRow& row : tidy.rows) {
    if (!row.point->is_done()) continue;
    Setting setting = setting_of(*row.point, keys, row.encoding);
    if (is_asked_for(setting, request)) settings.push_back(std::move(setting));
  }
  return settings;
}

/// Settings of numbers that differ between the points.
std::vector<std::string> number_keys(const std::vector<Setting>& settings, const TidyTable& tidy) {
  std::vector<std::string> keys;
  for (const std::string& key : tidy.keys)
    if (const Dimension one = dimension_of(settings, key); one.is_number && one.values.size() > 1)
      keys.push_back(key);
  return keys;
}

bool chooses_curves(const PlotRequest& look) {
  return std::ranges::any_of(look.where, [](const auto& one) { return one.first == curve_key; });
}

/// Requests for every measure that differs: over the axes of `look`, or over each number and each
/// two.
void add_measures(const std::vector<std::string>& keys, const TidyTable& tidy,
                  const PlotRequest& look, std::vector<PlotRequest>& requests) {
  const bool has_axes = !look.x.empty() || !look.y.empty();
  for (std::size_t m = 0; m < tidy.measures.size(); ++m) {
    if (is_constant(tidy, m)) continue;
    const std::string& measure = tidy.measures[m];
    if (has_axes) requests.push_back({.measure = measure, .x = look.x, .y = look.y});
    if (has_axes) continue;
    for (const std::string& key : keys) requests.push_back({.measure = measure, .x = key});
    for (std::size_t i = 0; i < keys.size(); ++i)
      for (std::size_t j = i + 1; j < keys.size(); ++j)
        requests.push_back({.measure = measure, .x = keys[i], .y = keys[j]});
  }
}

/// Requests for every figure and measure that `look` allows, the curves first, of its points.
std::vector<PlotRequest> all_requests(const SavedSweep& sweep, const TidyTable& tidy,
                                      const PlotRequest& look) {
  std::vector<PlotRequest> requests;
  if (look.x.empty() && look.y.empty())
    for (const std::string& figure : curve_figures(sweep)) requests.push_back({.figure = figure});
  if (!chooses_curves(look))
    add_measures(number_keys(settings_of(sweep, tidy, look), tidy), tidy, look, requests);
  for (PlotRequest& request : requests) {
    request.where = look.where;
    request.band = look.band;
    request.shared = look.shared;
  }
  return requests;
}

/// The request with the hue, the facet and the dashes of `look` that its axes leave room for.
PlotRequest in_look(PlotRequest request, const PlotRequest& look) {
  const bool is_map = !request.y.empty();
  const auto is_axis = [&](const std::string& key) { return key == request.x || key == request.y; };
  if (!is_map && !is_axis(look.hue)) request.hue = look.hue;
  if (!is_map && !is_axis(look.dash)) request.dash = look.dash;
  if (!is_axis(look.facet)) request.facet = look.facet;
  return request;
}

/// combined() as pages that know their request.
std::vector<DrawnPage> pages_for(const SavedSweep& sweep, const PlotRequest& request,
                                 std::vector<LeftOut>& left_out) {
  std::vector<DrawnPage> pages;
  for (Panels& panels : combined(sweep, request, &left_out))
    pages.push_back({std::move(panels), request});
  return pages;
}

/// In the look, or with what suits where a page cannot have it.
std::vector<DrawnPage> pages_in_look(const SavedSweep& sweep, const PlotRequest& request,
                                     const PlotRequest& look, std::vector<LeftOut>& left_out) {
  const PlotRequest dressed = in_look(request, look);
  const bool is_plain = dressed.hue.empty() && dressed.facet.empty() && dressed.dash.empty();
  if (is_plain) return pages_for(sweep, request, left_out);
  try {
    return pages_for(sweep, dressed, left_out);
  } catch (const UsageError&) {
    return pages_for(sweep, request, left_out);
  }
}

Drawing everything(const SavedSweep& sweep, const TidyTable& tidy, std::size_t most,
                   const PlotRequest& look) {
  Drawing drawing;
  for (const PlotRequest& request : all_requests(sweep, tidy, look)) try {
      for (DrawnPage& page : pages_in_look(sweep, request, look, drawing.left_out)) {
        if (drawing.pages.size() >= most) return drawing;
        drawing.pages.push_back(std::move(page));
      }
    } catch (const UsageError& error) {
      drawing.not_drawn.emplace_back(error.what());
    } catch (const Error& error) {
      drawing.left_out.push_back({.figure = request.figure, .reason = error.what()});
    }
  return drawing;
}

/// A word of the request and what it says: "hue=base".
struct Word {
  const char* key;
  const std::string& value;

  bool is_given() const { return !value.empty() && value != "none"; }
  std::string text() const { return fmt::format("{}={}", key, value); }
};

/// Throws UsageError where no point has the value.
void require_values(const std::vector<Setting>& settings, const PlotRequest& request) {
  for (const auto& [key, value] : request.where) {
    if (key == curve_key) continue;
    const Dimension known = dimension_of(settings, key);
    if (std::ranges::any_of(known.values, [&, wanted = value](const std::string& one) {
          return same_value(one, wanted);
        }))
      continue;
    throw UsageError(fmt::format("{}={}", key, value), "is the setting of no finished point",
                     known.values.empty()
                         ? "leave it out"
                         : fmt::format("choose one of {}", fmt::join(known.values, ", ")));
  }
}

/// Throws UsageError for words that mean nothing beside the others.
void require_sense(const PlotRequest& request) {
  for (const Word& axis : {Word{"x", request.x}, Word{"y", request.y}})
    if (!request.figure.empty() && !axis.value.empty())
      throw UsageError(axis.text(), "is for measures, and a figure has its own axes",
                       "leave it out, or give measure=NAME in place of the figure");
  for (const Word& part : {Word{"hue", request.hue}, Word{"dash", request.dash}})
    if (!request.y.empty() && part.is_given())
      throw UsageError(part.text(), "is for curves, and with y the plot is a map",
                       fmt::format("take facet={}, or leave y out", part.value));
}

/// Throws UsageError for a look that does not differ between the points.
void require_varied(const std::vector<std::string>& varied, const PlotRequest& request) {
  for (const Word& part : {Word{"hue", request.hue}, Word{"facet", request.facet},
                           Word{"dash", request.dash}, Word{"x", request.x}, Word{"y", request.y}})
    if (part.is_given() && std::ranges::find(varied, part.value) == varied.end())
      refuse_setting(part.key, part.value, varied);
}

/// Throws UsageError for a part of the look that no page has.
void require_shown(const Drawing& drawing, const PlotRequest& look) {
  const auto shown = [&](std::string PlotRequest::*part) {
    return std::ranges::any_of(
        drawing.pages, [&](const DrawnPage& page) { return page.request.*part == look.*part; });
  };
  for (const auto& [key, part] : {std::pair{"hue", &PlotRequest::hue},
                                  {"facet", &PlotRequest::facet},
                                  {"dash", &PlotRequest::dash}})
    if (!(look.*part).empty() && !shown(part))
      throw UsageError(fmt::format("{}={}", key, look.*part),
                       "fits none of the plots of this sweep",
                       "leave it out, or choose a figure or a measure that can have it");
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

std::vector<Panels> combined(const SavedSweep& sweep, const PlotRequest& request,
                             std::vector<LeftOut>* left_out) {
  if (request.figure.empty() == request.measure.empty())
    throw UsageError("a plot", "shows either a figure or a measure",
                     "give figure=ID or measure=NAME");
  require_sense(request);
  if (!request.figure.empty()) return overlay(sweep, request, left_out);
  return measure_plot(sweep, tidy_table(sweep.points, sweep.swept), request);
}

Drawing overview(const SavedSweep& sweep, std::size_t most, const PlotRequest& look) {
  return everything(sweep, tidy_table(sweep.points, sweep.swept), most, look);
}

Drawing drawn(const SavedSweep& sweep, const PlotRequest& request, std::size_t most) {
  const TidyTable tidy = tidy_table(sweep.points, sweep.swept);
  require_values(settings_of(sweep, tidy, {}), request);
  if (!request.figure.empty() || !request.measure.empty()) {
    Drawing drawing;
    drawing.pages = pages_for(sweep, request, drawing.left_out);
    return drawing;
  }
  require_sense(request);
  std::vector<std::string> varied = varying_keys(settings_of(sweep, tidy, request));
  varied.emplace_back(curve_key);
  require_varied(varied, request);
  Drawing drawing = everything(sweep, tidy, most, request);
  if (drawing.pages.empty() && !drawing.not_drawn.empty())
    throw UsageError("a plot of everything", "shows nothing: " + drawing.not_drawn.front(),
                     "choose other points");
  require_shown(drawing, request);
  return drawing;
}

}  // namespace orrery
