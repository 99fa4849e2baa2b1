#include "experiments/findings/expected_rope.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/plans/planned_rope.h"

namespace orrery::findings {

WrittenRope expected_rope(const LayerPlan& layer, Index channels) {
  WrittenRope rope = planned_convention(layer);
  if (rope.d_head == channels) return rope;
  throw UsageError(fmt::format("tensors of {} channels", channels),
                   fmt::format("layer {} has heads of {}", layer.layer, rope.d_head),
                   "save q or k before heads are joined, or name another layer");
}

}  // namespace orrery::findings
