#include "experiments/plans/rotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/encodings/rope.h"
#include "core/errors.h"
#include "experiments/plans/planned_rope.h"

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

}  // namespace

void complete_rope(LayerPlan& layer) {
  if (layer.rotary_dims < 2 || layer.rotary_dims > layer.head_dim)
    throw UsageError(fmt::format("{} channels that turn", layer.rotary_dims),
                     fmt::format("must be from 2 to the {} of a head", layer.head_dim),
                     "check head_dim and the keys of the rotated part");
  const Rope<double> rope = planned_rope(layer);
  layer.inv_freq = rope.theta();
  if (layer.attention_factor != 0) layer.attention_factor = rope.attention_factor();
  if (layer.rotary_dims < layer.head_dim)
    put(layer, "rope.fraction", fraction_that_gives(layer.rotary_dims, layer.head_dim));
}

std::vector<std::pair<int, int>> channel_pairs(const LayerPlan& layer) {
  if (layer.encoding != "rope") return {};
  const int width = paired_channels(layer);
  const int begin = width == layer.head_dim ? 0 : layer.rotary_begin;
  const bool interleaved = layer.pairing == "interleaved";
  std::vector<std::pair<int, int>> pairs;
  for (int t = 0; t < width / 2; ++t)
    pairs.emplace_back(begin + (interleaved ? 2 * t : t),
                       begin + (interleaved ? 2 * t + 1 : t + width / 2));
  return pairs;
}

void rotate(const LayerPlan& layer, std::int64_t position, std::vector<double>& x) {
  if (layer.encoding != "rope") return;
  if (x.size() != static_cast<std::size_t>(layer.head_dim))
    throw UsageError(fmt::format("{} channels", x.size()),
                     fmt::format("a head of this layer has {}", layer.head_dim),
                     "give as many channels as the head has");
  const int width = paired_channels(layer);
  const int begin = width == layer.head_dim ? 0 : layer.rotary_begin;
  if (layer.attention_factor == 0) {
    std::fill_n(x.begin() + begin, width, 0.0);
    return;
  }
  Matrix<double> slice = Eigen::Map<Matrix<double>>(x.data() + begin, 1, width);
  const std::vector<Position> at{layer.clockwise ? -position : position};
  planned_rope(layer).transform_queries(at, slice);
  std::copy(slice.data(), slice.data() + width, x.begin() + begin);
}

}  // namespace orrery::plans
