#include "app/player/step_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <exception>
#include <utility>
#include <variant>

#include "app/session/number_scale.h"
#include "app/session/session_toml.h"
#include "experiments/figure/plot/data_range.h"
#include "experiments/figure/plot/heatmap_plot.h"
#include "experiments/files/file.h"

namespace orrery {
namespace {

/// A share of the way, 0 to 1, slow at both ends.
double eased(double share) {
  const double t = std::clamp(share, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

constexpr std::string_view fence = "```state\n";

/// The numbers and choices that were changed, at most two.
std::string controls_of(const ParamSet& params) {
  std::string keys;
  std::size_t count = 0;
  for (const ParamSpec& spec : params.specs()) {
    const bool changed = !(params.value(spec.key) == spec.default_value);
    const bool movable = spec.kind != ParamKind::file && params.is_used(spec.key);
    if (changed && movable && count++ < 2) keys += spec.key + "\n";
  }
  return keys;
}

/// An axis and its range without zoom.
struct WholeAxis {
  Range range{};
  AxisScale scale{AxisScale::linear};
};

std::optional<std::pair<WholeAxis, WholeAxis>> whole_axes(const Figure& figure,
                                                          const FigureView& view) {
  if (const auto* plot = std::get_if<LinePlot>(&figure.content)) {
    FigureView unzoomed = view;
    unzoomed.x.reset();
    unzoomed.y.reset();
    CurveCache cache;
    return std::pair{
        WholeAxis{fitted_x(*plot, unzoomed, cache), view.x_scale.value_or(plot->x.scale)},
        WholeAxis{fitted_y(*plot, unzoomed, cache), view.y_scale.value_or(plot->y.scale)}};
  }
  const auto* map = std::get_if<Heatmap>(&figure.content);
  if (!map || !map->values || map->values->shape.size() != 2) return std::nullopt;
  const auto& shape = map->values->shape;
  return std::pair{WholeAxis{cells_range(map->x, shape[1]), map->x.scale},
                   WholeAxis{cells_range(map->y, shape[0]), map->y.scale}};
}

std::optional<Range> part_way(const WholeAxis& axis, const std::optional<Range>& from,
                              const std::optional<Range>& to, double share) {
  if (from == to) return to;
  const Range a = from.value_or(axis.range), b = to.value_or(axis.range);
  const bool by_ratios = axis.scale == AxisScale::log10 || axis.scale == AxisScale::log2;
  const auto between = [&](double start, double end) {
    return at_share(start, end, share, by_ratios && start > 0 && end > 0);
  };
  const Range now{between(a.min, b.min), between(a.max, b.max)};
  if (!std::isfinite(now.min) || !std::isfinite(now.max) || !(now.min < now.max)) return to;
  return now;
}

}  // namespace

DesktopState screen_of(const Session& session, const StepState& state) {
  DesktopState screen = session.snapshot();
  const auto index = state.experiment ? session.find(state.experiment->info.name) : std::nullopt;
  if (!index)
    throw UsageError("the step", "shows an experiment that this desktop does not have",
                     "write a block ```state with experiment = \"…\"");
  screen.selected = *index;
  screen.saved.on_screen = false;
  ExperimentSettings& settings = screen.experiments[*index];
  settings.params = state.params;
  settings.figure = state.figure;
  settings.views = state.views;
  settings.shown = {.layout = state.layout, .second_figure = state.second_figure};
  // A step that names a figure is about that one.
  if (!state.layout && !state.figure.empty()) settings.shown.layout = ViewLayout::single;
  return screen;
}

std::string step_text(const ExperimentState& state) {
  std::string text = fmt::format("## {}\n\n", state.experiment->info.title);
  text += fmt::format("{}{}```\n", fence, settings_text(state, true));
  const std::string controls = controls_of(state.params);
  if (!controls.empty()) text += fmt::format("\n```controls\n{}```\n", controls);
  return text + fmt::format("\n```say\n{}\n```\n", state.experiment->info.question);
}

std::string state_in(const std::string& copied) {
  const std::size_t begin = copied.find(fence);
  if (begin == std::string::npos) return copied;
  const std::size_t from = begin + fence.size();
  const std::size_t end = copied.find("\n```", from);
  return copied.substr(from, end == std::string::npos ? end : end + 1 - from);
}

bool can_move(const ParamSet& from, const ParamSet& to) {
  if (&from.specs() != &to.specs() && from.specs().size() != to.specs().size()) return false;
  bool differs = false;
  for (const ParamSpec& spec : to.specs()) {
    if (!from.has(spec.key)) return false;
    if (is_number(spec)) differs = differs || from.value(spec.key) != to.value(spec.key);
  }
  return differs;
}

ParamSet part_way(const ParamSet& from, const ParamSet& to, double share) {
  if (share >= 1) return to;
  ParamSet params = to;
  for (const ParamSpec& spec : to.specs()) {
    if (!is_number(spec) || from.value(spec.key) == to.value(spec.key)) continue;
    const double a = number_of(from, spec), b = number_of(to, spec);
    const bool by_ratios = moves_by_ratios(spec) && a > 0 && b > 0;
    const double number = at_share(a, b, eased(share), by_ratios);
    if (std::isfinite(number)) params.set_value(spec.key, nearest_value(spec, number));
  }
  return params;
}

bool can_zoom(const FigureView& from, const FigureView& to) {
  return from.x != to.x || from.y != to.y;
}

AxisLimits limits_part_way(const Figure& figure, const FigureView& from, const FigureView& to,
                           double share) {
  const auto whole = share < 1 ? whole_axes(figure, to) : std::nullopt;
  if (!whole) return {to.x, to.y};
  const double along = eased(share);
  return {part_way(whole->first, from.x, to.x, along),
          part_way(whole->second, from.y, to.y, along)};
}

}  // namespace orrery
