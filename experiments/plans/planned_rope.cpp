#include "experiments/plans/planned_rope.h"

#include <fmt/format.h>

#include <cmath>

#include "core/errors.h"

namespace orrery::plans {
namespace {

bool is_proportional(const LayerPlan& layer) {
  const ParamValue* partial = find_param(layer, "rope.partial");
  return partial && *partial == ParamValue(std::string("proportional"));
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

}  // namespace

int paired_channels(const LayerPlan& layer) {
  return is_proportional(layer) ? layer.head_dim : layer.rotary_dims;
}

double fraction_that_gives(int part, int whole) {
  double fraction = static_cast<double>(part) / whole;
  while (std::floor(fraction * whole) < part) fraction = std::nextafter(fraction, 1.0);
  return fraction;
}

Rope<double> planned_rope(const LayerPlan& layer) {
  const int width = paired_channels(layer);
  ParamSet params(Rope<double>::info().params);
  params.set_value("base", layer.base);
  params.set_value("rope.pairing", layer.pairing);
  for (const auto& [key, value] : layer.params)
    if (params.has(key)) params.set_value(key, value);
  params.set_value("rope.fraction", fraction_that_gives(layer.rotary_dims, width));
  const Tables tables = tables_of(layer);
  return *Rope<double>::make(
      {.d_model = width, .d_head = width, .params = params, .tables = &tables});
}

void require_rotation(const LayerPlan& layer) {
  if (layer.attention_factor == 0)
    throw UsageError(fmt::format("layer {}, whose attention_factor is 0", layer.layer),
                     "multiplies cos and sin by 0, which no encoding that runs does",
                     "choose another layer, or correct the file");
}

WrittenRope planned_convention(const LayerPlan& layer) {
  require_rotation(layer);
  WrittenRope written{.d_head = layer.head_dim};
  if (layer.encoding != "rope") {
    written.rotary_dims = layer.head_dim;
    written.rule = PositionRule::none;
    return written;
  }
  const RopeConfig config = planned_rope(layer).config();
  written.begin = is_proportional(layer) ? 0 : layer.rotary_begin;
  written.rotary_dims = layer.rotary_dims;
  written.partial = config.partial;
  written.pairing = config.pairing;
  written.clockwise = layer.clockwise;
  written.base = config.base;
  written.scaling = config.scaling;
  written.sections = {layer.sections.begin(), layer.sections.end()};
  if (layer.sections_interleaved) written.design = AxisDesign::interleaved;
  return written;
}

}  // namespace orrery::plans
