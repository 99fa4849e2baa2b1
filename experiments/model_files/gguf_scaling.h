#pragma once

#include "experiments/model_files/gguf_model.h"

namespace orrery {

/// Sets the scaling of a RoPE layer as llama.cpp computes it: theta·m/f of each pair, f of the
/// tensors, blended with its s-th part where the type is yarn, and cos and sin times
/// rope.scaling.attn_factor. Needs type, base, head_dim and rotary_dims.
void read_gguf_scaling(const GgufModel& model, LayerPlan& layer);

/// Whether a layer of DeepSeek-V4 attends to compressed keys: those alone have yarn, and their own
/// base.
bool is_compressed(const GgufModel& model, int layer);

/// The factor that latent attention puts on the usual softmax scale: the square of the attention
/// factor times the square of the one that rope.scaling.yarn_log_multiplier gives.
double latent_softmax_factor(const GgufModel& model);

}  // namespace orrery
