#include "app/views/hover_preview.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/views/axis_roles.h"

namespace orrery::views {
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

std::shared_ptr<const Result> without_captions(const Result& result) {
  auto bare = std::make_shared<Result>();
  for (const Figure& figure : result.figures) {
    if (!is_at_a_distance(figure)) continue;
    bare->figures.push_back(figure);
    bare->figures.back().caption.clear();
  }
  return bare;
}

/// Whether two sets differ in the distance alone.
bool match_otherwise(ParamSet a, const ParamSet& b) {
  const std::string& key = b.with_role(ParamRole::distance)->key;
  a.set_value(key, b.value(key));
  return a == b;
}

}  // namespace

void HoverPreview::update(Session& session) {
  const std::shared_ptr<const Result> kept = std::exchange(turned_, nullptr);
  const std::optional<double> distance = session.links.distance();
  if (!distance) return;
  const auto params = at_distance(session.current(), *distance);
  if (!params) return;
  session.preview(*params);
  const auto& computed = session.previewed_params();
  // The one before stays until the next is ready, so that the arrows turn without a blink.
  if (!computed || !match_otherwise(*computed, *params)) return;
  turned_ = kept && source_ == session.previewed() ? kept : without_captions(*session.previewed());
  source_ = session.previewed();
}

const Figure& HoverPreview::of(const Figure& figure) const {
  if (!turned_ || !is_at_a_distance(figure)) return figure;
  const auto found = std::find_if(turned_->figures.begin(), turned_->figures.end(),
                                  [&](const Figure& f) { return f.id == figure.id; });
  return found == turned_->figures.end() ? figure : *found;
}

}  // namespace orrery::views
