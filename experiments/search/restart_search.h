#pragma once

#include "experiments/search/rope_search.h"

namespace orrery {

/// Ropes that count positions from 0 in each text of the tensor: behind padding at the left, or in
/// several texts that were packed into one row. A row at position 0 does not rotate under
/// any rope, which shows where texts begin; the rope is then estimated from the longest text. Adds
/// nothing if no text but that of the first row begins so.
void add_restarts(RopeSearch& search);

/// The same in a batch whose sequences are padded at the left by different numbers of rows: each is
/// read off for itself.
void add_paddings(RopeSearch& search);

/// Ropes at the numbers of the rows, where others are stated: a program that counts padding.
void add_row_numbers(RopeSearch& search);

}  // namespace orrery
