#pragma once

#include "experiments/model_files/gguf_model.h"

namespace orrery {

/// Sets type, window and their reasons.
void read_gguf_window(const GgufModel& model, LayerPlan& layer);

/// Whether the layer has no attention: a recurrent one, a convolution or a bare network. The
/// reason says why.
bool has_no_attention(const GgufModel& model, const LayerPlan& layer, std::string& reason);

/// Whether the layer's graph has no position encoding though its architecture has RoPE. Needs type.
bool has_no_positions(const GgufModel& model, const LayerPlan& layer, std::string& reason);

}  // namespace orrery
