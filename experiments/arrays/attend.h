#pragma once

#include <string>
#include <vector>

#include "experiments/arrays/attend_inputs.h"
#include "experiments/data/array_sink.h"
#include "experiments/model/progress.h"

namespace orrery {

/// encoding, kernel, scale, mask, causal, window, weights, heads, head, first_position, precision,
/// seed, and all encodings' own.
std::vector<ParamSpec> attend_params();

/// The tables that the encoding of the parameters reads.
std::vector<std::string> encoding_table_names(const ParamSet& params);

/// The tables that attend reads beside the encoding's: W_q, W_k, W_v [d_model, heads·d] of contents
/// x with their biases b_q, b_k, b_v [heads·d]; W_o [heads·d_v, d_model] and b_o of the output,
/// each W transposed with weights=torch_linear; and linear.projection [M, d] of FAVOR+.
std::vector<std::string> attention_table_names(const ParamSet& params, bool contents);

/// Softmax or linear attention of one head or of all heads of a layer. Arrays of one head are
/// [N_q, N_k] and [N_q, d_v]; of several [H, …]; of batch entries [B, …]. W_k and W_v may have
/// fewer heads than W_q. Linear attention takes an encoding that rotates q and k or adds to x,
/// none that adds to scores; it has the rounded stages of the encoding and qk, and the masks
/// causal and padding.
///
/// Without positions the keys are at first_position, first_position + 1, …; queries are at the
/// last N_q of the keys' positions, as in decoding with cached keys, whichever of the two lists is
/// given. The arrays go to the sink some queries at a time: no map is held. The values of q, k, v
/// and x are freed when they have been read; give the inputs with std::move.
///
/// Throws UsageError and DataError for what does not fit, and for a table that nothing reads, and
/// Stopped.
AttendResult attend(const ParamSet& params, AttendInputs inputs, ArraySink& sink,
                    Progress& progress);

}  // namespace orrery
