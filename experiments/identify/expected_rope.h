#pragma once

#include <cstdint>
#include <vector>

#include "experiments/identify/written_rope.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// What a layer of a configuration does to q and k of so many channels, those of a head or those
/// that turn alone: as its files say, and behind that what is as right. Pairs of latent attention
/// are written in either order, what is assumed of a type that is not known may be otherwise, and
/// LongRoPE has its long factors where the sequence is longer than the rows. A layer without RoPE
/// turns nothing.
/// @param last    the largest position of the rows, by which frequencies are chosen where no length
///                is given
/// @param length  of the sequence; 0: not known
/// Throws UsageError: heads of another size, or cos and sin multiplied by 0.
std::vector<WrittenRope> expected_ropes(const LayerPlan& layer, Index channels, std::int64_t last,
                                        std::int64_t length);

}  // namespace orrery
