#include "experiments/model_files/rotation.h"

#include <fmt/format.h>

#include "core/encodings/rope.h"
#include "core/encodings/rope_frequencies.h"
#include "core/encodings/rope_scaling.h"
#include "core/encodings/rope_settings.h"
#include "core/errors.h"

namespace orrery {
void complete_rope(LayerPlan& layer) {
  RopeConvention& rope = layer.rope;
  if (rope.rotary_dims < 2 || rope.rotary_dims > rope.d_head)
    throw UsageError(fmt::format("{} channels that turn", rope.rotary_dims),
                     fmt::format("must be from 2 to the {} of a head", rope.d_head),
                     "check head_dim and the keys of the rotated part");
  rope = completed(rope);
  check_settings(rope);
  layer.inv_freq = frequencies_of(rope, Precision::fp64);
  if (layer.attention_factor != 0) layer.attention_factor = attention_factor(rope.scaling);
}

void require_rotation(const LayerPlan& layer) {
  if (layer.attention_factor == 0)
    throw UsageError(fmt::format("layer {}, whose attention_factor is 0", layer.layer),
                     "multiplies cos and sin by 0, which no encoding that runs does",
                     "choose another layer, or correct the file");
}

std::vector<std::pair<int, int>> channel_pairs(const LayerPlan& layer) {
  if (layer.encoding != "rope") return {};
  std::vector<std::pair<int, int>> pairs;
  for (Index t = 0; t < pairs_of(layer.rope); ++t) {
    const auto [a, b] = channels_of(layer.rope, t);
    pairs.emplace_back(static_cast<int>(a), static_cast<int>(b));
  }
  return pairs;
}

void rotate(const LayerPlan& layer, std::int64_t position, std::vector<double>& x) {
  if (layer.encoding != "rope") return;
  if (x.size() != static_cast<std::size_t>(layer.rope.d_head))
    throw UsageError(fmt::format("{} channels", x.size()),
                     fmt::format("a head of this layer has {}", layer.rope.d_head),
                     "give as many channels as the head has");
  Eigen::Map<Matrix<double>> row(x.data(), 1, layer.rope.d_head);
  if (layer.attention_factor == 0)
    row.middleCols(first_channel(layer.rope), 2 * pairs_of(layer.rope)).setZero();
  else
    Rope<double>(layer.rope).transform_queries(Positions{position}, row);
}

}  // namespace orrery
