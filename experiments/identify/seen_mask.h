#pragma once

#include <string>
#include <vector>

#include "core/types.h"

namespace orrery {

/// A rule by which positions hide cells.
enum class MaskRule {
  none,           ///< nothing is hidden
  causal,         ///< n > m
  causal_window,  ///< n > m, and m − n ≥ width
  window,         ///< |m − n| ≥ width
  band,           ///< m − n ≥ width, and n − m ≥ ahead
  chunks,         ///< n > m, and keys of other chunks of `width` tokens
  texts,          ///< n > m, and keys of other texts, which begin at `starts`
  blocks,         ///< keys of other texts
  without_self,   ///< n ≥ m: the query does not see itself
  with_next,      ///< n > m + 1: the query sees the next token
  top_left,       ///< query i sees keys 0 … i, wherever it is
  whole_blocks,   ///< n > m, but not within blocks of tokens that see each other
  sinks,          ///< n > m, and m − n ≥ width but for the first `ahead` keys
  columns,        ///< whole columns, not those of one side alone
  everything,     ///< all cells
  other,          ///< none of these
};

struct SeenMask {
  MaskRule rule{MaskRule::none};
  Position width{0};  ///< of windows and chunks
  Position ahead{0};  ///< of a band; of sinks their number
  /// First key of each packed text, ascending; of whole blocks the first and the last of each.
  std::vector<Position> starts{};
  Index left{0};            ///< keys before the others that every query hides: padding
  Index right{0};           ///< the same behind them; the rule is that of the others
  Index hidden{0};          ///< cells
  double value{0};          ///< what hides: −inf, or a large negative number
  bool same_for_all{true};  ///< whether every head hides the same cells
};

/// The cells that are hidden, and the rule that hides just these. values [heads·N_q, N_k].
SeenMask seen_mask(const MatrixIn<double>& values, Index heads, const Positions& queries,
                   const Positions& keys);

/// Whether only 0 and 1 are there, and a 1: 1 is where a query sees a key, as of
/// scaled_dot_product_attention and Transformers.
bool is_boolean_mask(const std::vector<double>& values);

/// Whether a number hides its cell: −inf and the lowest numbers of formats (Mask::hides), −10⁸ and
/// below, and the −10000 of BERT.
bool hides_cell(double value);

/// Whether all other numbers are finite.
bool is_finite_where_seen(const MatrixIn<double>& values);

}  // namespace orrery
