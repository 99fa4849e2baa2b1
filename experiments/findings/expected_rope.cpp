#include "experiments/findings/expected_rope.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/model_files/rotation.h"

namespace orrery {
namespace {

/// That of a layer without RoPE: in the pairing that most ropes have, because none is said.
WrittenRope still_rope(const LayerPlan& layer) {
  const Index d = layer.rope.d_head;
  WrittenRope rope{{.d_head = d, .rotary_dims = d, .pairing = RopePairing::half_split}};
  rope.rule = PositionRule::none;
  return rope;
}

}  // namespace

WrittenRope expected_rope(const LayerPlan& layer, Index channels) {
  require_rotation(layer);
  WrittenRope rope = layer.encoding == "rope" ? WrittenRope{layer.rope} : still_rope(layer);
  if (rope.d_head == channels) return rope;
  throw UsageError(fmt::format("tensors of {} channels", channels),
                   fmt::format("layer {} has heads of {}", layer.layer, rope.d_head),
                   "save q or k before heads are joined, or name another layer");
}

}  // namespace orrery
