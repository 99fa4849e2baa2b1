#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/head.h"
#include "core/params.h"
#include "experiments/model/layers.h"

namespace orrery::studies {

/// The inputs on which one encoding is measured: random contents, the same at all positions.
struct LengthInputs {
  std::unique_ptr<Encoding> encoding;
  Projections<double> projections;
  Matrix<double> queries;  ///< [draws, d]
  Matrix<double> keys;     ///< [max_length, d]
  int head{};
};

/// Contents are normals, scaled so that content logits have the deviation `spread` for every
/// encoding: some papers divide by √d, some by √(3d), T5 by nothing. The tables of learned
/// positions end at `train_length`. Throws UsageError for a head that is not there.
LengthInputs length_inputs(const std::string& name, const ParamSet& params);

/// Mean and deviation over queries.
struct MeanDeviation {
  double mean{};
  double deviation{};
};

/// How new queries at position N − 1 spread their attention over keys at 0 … N − 1.
struct LengthPoint {
  MeanDeviation entropy;  ///< bits; log2 N for equal weights
  MeanDeviation recent;   ///< weight on the last `window` keys
};
/// All NaN when position `length` − 1 is undefined.
LengthPoint attention_at_length(const LengthInputs& in, Index length, Index window);

/// logit(r) − logit(0) of one query with itself as key at position 0, r = 0 … count − 1, NaN where
/// the position is undefined.
std::vector<double> logit_change(const LengthInputs& in, Index count);

/// L(r) − L(0) of like tokens whose logit by content is `match`, mean over all directions of the
/// content: see mean_logits. NaN where a position is undefined. distances ≥ 0.
std::vector<double> mean_logit_change(const LengthInputs& in, double match, PositionsIn distances);

/// The first index from which on nothing changes by more than `tolerance`, among the values before
/// the first NaN; nullopt when only the last of them is left.
std::optional<std::size_t> constant_from(const std::vector<double>& values, double tolerance);

/// How far values[from …] leave the range of values[0 … from), up to the first NaN; 0 when they
/// stay, NaN when there are none.
double beyond_seen(const std::vector<double>& values, std::size_t from);

/// Whether the encoding is defined at the positions of the first `window` tokens shifted by s.
bool knows_offset(const LengthInputs& in, Index window, Position s);

/// Mean over queries of ½ Σ|difference| of the causal weights of the first `window` tokens when all
/// their positions are shifted by s. NaN where these are undefined.
double change_under_offset(const LengthInputs& in, Index window, Position s);

/// The largest change of the logarithm of a ratio of two weights of a query, which is that of the
/// difference of two logits, when the first `window` tokens are shifted by s. Unlike a weight it
/// does not vanish where one key has nearly all of them. NaN where positions are undefined.
double log_ratio_change(const LengthInputs& in, Index window, Position s);

/// The largest difference of an output between attention over all `window` tokens at once and token
/// by token with cached keys, the first token at position `first`.
double decoding_gap(const LengthInputs& in, Index window, Position first);

/// Bound of the rounding of a weight, and with `values` the largest |v|, of an output: logits to
/// 2(d + 10)u·(max‖q‖ max‖k‖ + the largest |logit|), twice for two maps. Source: Higham 2002 §3.1.
double length_rounding(const LengthInputs& in, Index window);

}  // namespace orrery::studies
