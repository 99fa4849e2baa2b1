#include "experiments/plans/position_plan.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace orrery::plans {
namespace {

auto values_of(const LayerPlan& l) {
  return std::tie(l.encoding, l.pairing, l.head_dim, l.rotary_begin, l.rotary_dims, l.base,
                  l.params, l.factors, l.long_factors, l.inv_freq, l.attention_factor,
                  l.softmax_scale, l.window, l.window_in_blocks, l.temperature, l.causal,
                  l.sections, l.sections_interleaved, l.clockwise, l.indexer);
}

}  // namespace

bool computes_same(const LayerPlan& a, const LayerPlan& b) { return values_of(a) == values_of(b); }

const ParamValue* find_param(const LayerPlan& layer, const std::string& key) {
  const auto found = std::find_if(layer.params.begin(), layer.params.end(),
                                  [&](const Setting& setting) { return setting.first == key; });
  return found == layer.params.end() ? nullptr : &found->second;
}

void assume(std::vector<std::string>& assumed, std::string sentence) {
  if (std::find(assumed.begin(), assumed.end(), sentence) == assumed.end())
    assumed.push_back(std::move(sentence));
}

void put_param(LayerPlan& layer, const std::string& key, ParamValue value, std::string reason) {
  layer.reasons[key] = std::move(reason);
  for (Setting& setting : layer.params)
    if (setting.first == key) {
      setting.second = std::move(value);
      return;
    }
  layer.params.emplace_back(key, std::move(value));
}

// Reasons that name the entry of a list differ from layer to layer though the rule is one.
std::vector<std::vector<int>> alike_layers(const PositionPlan& plan) {
  std::vector<std::vector<int>> groups;
  for (std::size_t l = 0; l < plan.layers.size(); ++l) {
    const auto like = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      const LayerPlan& first = plan.layers[static_cast<std::size_t>(group.front())];
      return first.type == plan.layers[l].type && computes_same(first, plan.layers[l]);
    });
    if (like != groups.end())
      like->push_back(static_cast<int>(l));
    else
      groups.push_back({static_cast<int>(l)});
  }
  return groups;
}

}  // namespace orrery::plans
