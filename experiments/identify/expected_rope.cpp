#include "experiments/identify/expected_rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "experiments/model_files/rotation.h"

namespace orrery {
namespace {

/// That of a layer without RoPE: in the pairing that most ropes have, because none is said.
WrittenRope still_rope(Index d) {
  WrittenRope rope{{.d_head = d, .rotary_dims = d, .pairing = RopePairing::half_split}};
  rope.rule = PositionRule::none;
  return rope;
}

/// The channels that turn, where a program has no others.
WrittenRope slice_alone(WrittenRope rope) {
  rope.d_head = rope.rotary_dims;
  rope.begin = 0;
  return rope;
}

WrittenRope of_length(WrittenRope rope, double length) {
  rope.scaling.length = length;
  return rope;
}

/// Adds each of the ropes with a change.
template <class Change>
void add_as_right(std::vector<WrittenRope>& ropes, const Change& change) {
  for (std::size_t i = 0, count = ropes.size(); i < count; ++i) {
    WrittenRope as_right = ropes[i];
    change(as_right);
    ropes.push_back(std::move(as_right));
  }
}

}  // namespace

std::vector<WrittenRope> expected_ropes(const LayerPlan& layer, Index channels, std::int64_t last,
                                        std::int64_t length) {
  require_rotation(layer);
  if (layer.encoding != "rope" && layer.rope.d_head == channels) return {still_rope(channels)};
  WrittenRope rope{layer.rope};
  const bool slice = rope.partial == RopePartial::truncated && rope.rotary_dims == channels;
  if (rope.d_head != channels && !slice)
    throw UsageError(fmt::format("tensors of {} channels", channels),
                     fmt::format("layer {} has heads of {}{}", layer.layer, rope.d_head,
                                 rope.rotary_dims < rope.d_head
                                     ? fmt::format(", of which {} turn", rope.rotary_dims)
                                     : ""),
                     "save q or k of that layer, or name another");
  if (rope.d_head != channels) rope = slice_alone(rope);
  if (layer.factor_before_norm) rope.amplitude = layer.factor_before_norm;
  std::vector<WrittenRope> ropes;
  if (chooses_by_length(layer)) {
    const double trained = rope.scaling.original_length;
    const double least = static_cast<double>(length > 0 ? length : last + 1);
    ropes.push_back(of_length(rope, std::max<double>(least, trained)));
    if (length == 0 && least <= trained && rope.scaling.kind == RopeScalingKind::longrope)
      ropes.push_back(of_length(rope, trained + 1));
  } else {
    ropes.push_back(rope);
  }
  if (layer.base_of_whole && layer.rope.d_head == channels && channels % 2 == 0)
    add_as_right(ropes, [&](WrittenRope& as_right) {
      as_right.base = *layer.base_of_whole;
      as_right.rotary_dims = channels;
      as_right.begin = 0;
    });
  if (layer.pairing_assumed)
    add_as_right(ropes, [](WrittenRope& as_right) {
      as_right.pairing = as_right.pairing == RopePairing::half_split ? RopePairing::interleaved
                                                                     : RopePairing::half_split;
    });
  if (layer.either_order)
    add_as_right(ropes, [](WrittenRope& as_right) { as_right.reordered = true; });
  return ropes;
}

}  // namespace orrery
