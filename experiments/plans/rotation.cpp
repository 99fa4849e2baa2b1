#include "experiments/plans/rotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/encodings/rope.h"
#include "core/errors.h"

namespace orrery::plans {
namespace {

void put(LayerPlan& layer, const std::string& key, ParamValue value) {
  for (Setting& setting : layer.params)
    if (setting.first == key) {
      setting.second = std::move(value);
      return;
    }
  layer.params.emplace_back(key, std::move(value));
}

bool is_proportional(const LayerPlan& layer) {
  const ParamValue* partial = find_param(layer, "rope.partial");
  return partial && *partial == ParamValue(std::string("proportional"));
}

/// The channels among which pairs are made: the slice, or the whole head of p-RoPE.
int width_of(const LayerPlan& layer) {
  return is_proportional(layer) ? layer.head_dim : layer.rotary_dims;
}

/// r/d such that floor(r/d · d) is r in floating-point numbers.
double fraction_of(int part, int whole) {
  double fraction = static_cast<double>(part) / whole;
  while (std::floor(fraction * whole) < part) fraction = std::nextafter(fraction, 1.0);
  return fraction;
}

Tables tables_of(const LayerPlan& layer) {
  const auto row = [](const std::vector<double>& values) -> Matrix<double> {
    return Eigen::Map<const Matrix<double>>(values.data(), 1, static_cast<Index>(values.size()));
  };
  Tables tables;
  const bool longrope = !layer.long_factors.empty();
  if (!layer.factors.empty())
    tables[longrope ? "rope.short_factor" : "rope.factors"] = row(layer.factors);
  if (longrope) tables["rope.long_factor"] = row(layer.long_factors);
  return tables;
}

/// RoPE on a head as wide as the slice, by the layer's parameters.
Rope<double> rope_of(const LayerPlan& layer) {
  const int width = width_of(layer);
  ParamSet params(Rope<double>::info().params);
  params.set_value("base", layer.base);
  params.set_value("rope.pairing", layer.pairing);
  for (const auto& [key, value] : layer.params)
    if (params.has(key)) params.set_value(key, value);
  params.set_value("rope.fraction", fraction_of(layer.rotary_dims, width));
  const Tables tables = tables_of(layer);
  return *Rope<double>::make(
      {.d_model = width, .d_head = width, .params = params, .tables = &tables});
}

}  // namespace

void complete_rope(LayerPlan& layer) {
  if (layer.rotary_dims < 2 || layer.rotary_dims > layer.head_dim)
    throw UsageError(fmt::format("{} channels that turn", layer.rotary_dims),
                     fmt::format("must be from 2 to the {} of a head", layer.head_dim),
                     "check head_dim and the keys of the rotated part");
  const Rope<double> rope = rope_of(layer);
  layer.inv_freq = rope.theta();
  layer.attention_factor = rope.attention_factor();
  if (layer.rotary_dims < layer.head_dim)
    put(layer, "rope.fraction", fraction_of(layer.rotary_dims, layer.head_dim));
}

void rotate(const LayerPlan& layer, std::int64_t position, std::vector<double>& x) {
  if (layer.encoding != "rope") return;
  if (x.size() != static_cast<std::size_t>(layer.head_dim))
    throw UsageError(fmt::format("{} channels", x.size()),
                     fmt::format("a head of this layer has {}", layer.head_dim),
                     "give as many channels as the head has");
  const int width = width_of(layer);
  const int begin = is_proportional(layer) ? 0 : layer.rotary_begin;
  Matrix<double> slice = Eigen::Map<Matrix<double>>(x.data() + begin, 1, width);
  const std::vector<Position> at{layer.clockwise ? -position : position};
  rope_of(layer).transform_queries(at, slice);
  std::copy(slice.data(), slice.data() + width, x.begin() + begin);
}

}  // namespace orrery::plans
