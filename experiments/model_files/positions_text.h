#pragma once

#include <string>
#include <vector>

#include "experiments/model_files/position_plan.h"

namespace orrery {

/// A value of a layer and why it is so.
struct PositionFact {
  std::string field{};   ///< as in the reasons, "base"
  std::string label{};   ///< "base"
  std::string value{};   ///< "500000"
  std::string reason{};  ///< may be empty
};

/// What a layer does, in the order in which it is read.
std::vector<PositionFact> facts_of(const LayerPlan& layer);

/// Seven significant digits, which are enough to see what a number is.
std::string shown_number(double value);

/// "1 + β ln(1 + floor(m / L₀)), L₀ = 8192, β = 0.1"; "none".
std::string temperature_text(const LayerPlan& layer);

/// "1024 tokens (m − n < 1024)", in the meaning of LayerPlan::window; "none".
std::string window_text(const LayerPlan& layer);

/// "layers 0 to 3, 5 and 7": runs of numbers.
std::string numbers_text(const std::vector<int>& layers);

/// {"source", "format", "model_type", "layers": [{"layer", "type", "encoding", "pairing",
/// "head_dim", "rotary_dims", "rotary_begin", "base", "inv_freq": [in order of pairs, after
/// scaling], "first_channels", "second_channels": [as many], "attention_factor", "softmax_scale",
/// "window", "window_in_blocks", "causal", "temperature", "sections", "params", "reasons"}],
/// "assumed": [...]}, and "decoder" or "encoder" where PositionPlan::other has layers. What a layer
/// does not have is null.
///
/// inv_freq[t] turns channels first_channels[t] and second_channels[t] of a head, counted from 0.
/// They say what `pairing` and `rotary_dims` mean together: p-RoPE with 8 rotary_dims of 32
/// channels has half_split pairs (t, t + 16), of which the first four turn and the others have
/// inv_freq 0.
///
/// `window` w: a query at m sees keys at n with |m − n| < w, of causal layers those with n ≤ m;
/// with window_in_blocks only those with floor(n/w) = floor(m/w). Null: all keys.
std::string positions_json(const PositionPlan& plan);

}  // namespace orrery
