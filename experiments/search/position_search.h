#pragma once

#include "experiments/search/rope_search.h"

namespace orrery {

/// Looks for positions other than the stated ones, as long as nothing fits: rules that begin at a
/// row, found from the first rows; a common offset; positions in bf16 and fp16, doubled, or the
/// numbers of heads. What is found is estimated once more, from all rows.
void search_positions(RopeSearch& search);

/// Once more, at the positions that were found: now all rows count.
void estimate_again(RopeSearch& search);

}  // namespace orrery
