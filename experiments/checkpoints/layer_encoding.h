#pragma once

#include <memory>

#include "core/encoding.h"
#include "core/transformer/design.h"
#include "experiments/checkpoints/places.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// The encoding of a layer, with what the model has learned of it. Null for a layer without one, and
/// for positions that are added at the embedding.
/// @param places  of the stack; of its layers those of layer.layer are read
/// Throws DataError for an encoding of a plan that no family has.
template <class T>
std::shared_ptr<const Encoding> layer_encoding(const LayerPlan& layer, const Places& places,
                                               const TransformerDesign& design);

}  // namespace orrery
