#include "app/views/figures_at_distance.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/views/axis_roles.h"

namespace orrery {
namespace {

/// Whether the figure may depend on the distance: arrows do, and curves over anything else.
bool is_at_a_distance(const Figure& figure) {
  const auto* plot = std::get_if<LinePlot>(&figure.content);
  return plot ? !is_by_distance(*plot) : std::holds_alternative<VectorPlot>(figure.content);
}

const ParamSpec* distance_spec(const ParamSet& params) {
  const ParamSpec* spec = params.with_role(ParamRole::distance);
  return spec && params.is_used(spec->key) ? spec : nullptr;
}

/// The parameters at that distance; empty where the experiment has no such.
std::optional<ParamSet> at_distance(const ExperimentState& state, double distance) {
  const ParamSpec* spec = distance_spec(state.params);
  const double whole = std::round(distance);
  const bool turns =
      spec && whole >= spec->min && whole <= spec->max && state.result &&
      std::any_of(state.result->figures.begin(), state.result->figures.end(), is_at_a_distance);
  if (!turns) return std::nullopt;
  ParamSet params = state.params;
  for (const auto& [key, value] : state.experiment->info.view.preview) params.set(key, value);
  params.set_value(spec->key, static_cast<std::int64_t>(whole));
  return params;
}

/// Whether two sets differ in the distance alone.
bool match_otherwise(ParamSet a, const ParamSet& b) {
  const std::string& key = b.with_role(ParamRole::distance)->key;
  a.set_value(key, b.value(key));
  return a == b;
}

}  // namespace

std::shared_ptr<const Result> result_at_distance(Session& session) {
  const std::optional<double> distance = session.links.distance();
  const auto params = distance ? at_distance(session.current(), *distance) : std::nullopt;
  if (!params) return nullptr;
  // The one before stays until the next is ready, so that the arrows turn without a blink.
  const Preview& computed = session.preview(Session::Beside::at_distance, *params);
  const bool alike = computed.params && match_otherwise(*computed.params, *params);
  return alike ? computed.result : nullptr;
}

std::map<std::string, FigurePtr> figures_at_distance(const std::shared_ptr<const Result>& turned) {
  std::map<std::string, FigurePtr> figures;
  if (!turned) return figures;
  for (Figure figure : turned->figures) {
    if (!is_at_a_distance(figure)) continue;
    figure.caption.clear();
    const std::string id = figure.id;
    figures[id] = make_figure(std::move(figure));
  }
  return figures;
}

}  // namespace orrery
