#include "experiments/sweeps/plan_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/model_files/layer_settings.h"
#include "experiments/model_files/positions_text.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

/// Layers that are one point.
struct LayerPoint {
  std::vector<int> layers{};
  ParamSet params;
  std::vector<std::string> left_out{};
};

struct LayerPoints {
  std::vector<LayerPoint> points{};
  std::vector<std::string> keys{};     ///< those that a layer sets, in the order of their first
  std::vector<std::string> missing{};  ///< why layers are none
};

void add_point(const PositionPlan& plan, const std::vector<int>& group,
               const std::vector<ParamSpec>& specs, LayerPoints& found) {
  const LayerPlan& layer = plan.layers[static_cast<std::size_t>(group.front())];
  LayerPoint point{.layers = group, .params = ParamSet(specs)};
  for (auto& [key, value] : layer_settings(layer, specs)) {
    point.params.set_value(key, value);
    if (std::find(found.keys.begin(), found.keys.end(), key) == found.keys.end())
      found.keys.push_back(key);
  }
  point.left_out = left_out(layer, specs);
  const auto same =
      std::find_if(found.points.begin(), found.points.end(),
                   [&](const LayerPoint& other) { return other.params == point.params; });
  if (same == found.points.end()) return found.points.push_back(std::move(point));
  same->layers.insert(same->layers.end(), group.begin(), group.end());
  std::sort(same->layers.begin(), same->layers.end());
  for (std::string& part : point.left_out)
    if (std::find(same->left_out.begin(), same->left_out.end(), part) == same->left_out.end())
      same->left_out.push_back(std::move(part));
}

LayerPoints points_of(const PositionPlan& plan, const std::vector<ParamSpec>& specs) {
  LayerPoints found;
  for (const std::vector<int>& group : alike_layers(plan)) try {
      add_point(plan, group, specs, found);
    } catch (const UsageError& error) {
      found.missing.push_back(
          fmt::format("{}: {}", numbers_text(group), in_one_line(error.what())));
    }
  if (found.points.empty())
    throw UsageError(plan.source, found.missing.empty() ? "has no layers" : found.missing.front(),
                     "choose another experiment: orrery list experiments");
  return found;
}

/// A number or a boolean as it is, and everything else in quotes.
std::string toml_value(const ParamSet& params, const std::string& key) {
  const ParamKind kind = params.spec(key).kind;
  const std::string text = params.to_text(key);
  const bool bare =
      kind == ParamKind::boolean || kind == ParamKind::integer || kind == ParamKind::real;
  return bare ? text : nlohmann::json(text).dump();  // what JSON escapes, TOML reads back
}

std::string quoted_key(const std::string& key) {
  return key.find('.') == std::string::npos ? key : '"' + key + '"';
}

std::vector<std::string> values_of(const LayerPoints& found, const std::string& key) {
  std::vector<std::string> values;
  for (const LayerPoint& point : found.points) values.push_back(toml_value(point.params, key));
  return values;
}

/// Whether one of the points reads it.
bool is_read(const LayerPoints& found, const std::string& key) {
  return std::any_of(found.points.begin(), found.points.end(),
                     [&](const LayerPoint& point) { return point.params.is_used(key); });
}

std::string header_of(const PositionPlan& plan, const LayerPoints& found) {
  std::string text = fmt::format("# Layers of {}\n", in_one_line(plan.source));
  for (std::size_t i = 0; i < found.points.size(); ++i) {
    text += fmt::format("# point {}: {}\n", i + 1, numbers_text(found.points[i].layers));
    for (const std::string& part : found.points[i].left_out)
      text += fmt::format("#   without {}\n", in_one_line(part));
  }
  for (const std::string& reason : found.missing) text += fmt::format("# missing: {}\n", reason);
  return text;
}

}  // namespace

std::string plan_sweep(const PositionPlan& plan, const Experiment& experiment) {
  const LayerPoints found = points_of(plan, experiment.info.params);
  std::string fixed, swept;
  std::vector<std::string> zipped;
  for (const std::string& key : found.keys) {
    const std::vector<std::string> values = values_of(found, key);
    if (!is_read(found, key)) continue;
    if (std::ranges::count(values, values.front()) == std::ssize(values)) {
      fixed += fmt::format("{} = {}\n", quoted_key(key), values.front());
    } else {
      swept += fmt::format("{} = [{}]\n", quoted_key(key), fmt::join(values, ", "));
      zipped.push_back('"' + key + '"');
    }
  }
  std::string text =
      header_of(plan, found) + fmt::format("experiment = \"{}\"\n", experiment.info.name);
  if (zipped.size() > 1) text += fmt::format("zip = [[{}]]\n", fmt::join(zipped, ", "));
  if (!fixed.empty()) text += "\n[params]\n" + fixed;
  if (!swept.empty()) text += "\n[sweep]\n" + swept;
  return text;
}

}  // namespace orrery
