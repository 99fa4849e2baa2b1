#pragma once

#include <vector>

#include "core/precision.h"
#include "experiments/identify/written_rope.h"

namespace orrery {

/// Bases, factors and lengths of released models: what a fitted number is taken for when it is as
/// near as its error.
const std::vector<double>& known_bases();
const std::vector<double>& known_factors();
const std::vector<double>& known_lengths();

/// Whether the number is in the list, to 1e-9.
bool is_known(const std::vector<double>& list, double value);

/// The nearest number with so many significant decimal digits. The value is positive.
double rounded_to_digits(double value, int digits);
/// The number of the fewest digits within the relative tolerance, at most 12.
double with_few_digits(double value, double tolerance);

/// How unusual a rope is: 0 for RoPE on half-split pairs with base 10000, about 1 for each property
/// that few programs have and 1.5 for one that none should. Ties are ordered by it.
double cost_of(const WrittenRope& rope);

/// Whether the format rounds more than fp32, in which programs form their tables.
bool is_coarser_than_fp32(Precision format);

/// Whether the stage is coarser than it may be: cos and sin than the tensor's own numbers, the
/// others than fp32.
bool is_coarse(const StageRounding& rounding, Stage stage, Precision tensor);

/// The number of properties in which the rope deviates from the expected one; each stage that is
/// coarse for a tensor of that format is one, unless the expected rope has it so.
int deviations(const WrittenRope& expected, const WrittenRope& rope, Precision tensor);
/// Whether these are base, scaling, factor, channels and exponents alone, by which a rope turns a
/// little more or less.
bool differ_in_numbers(const WrittenRope& expected, const WrittenRope& rope, Precision tensor);

/// The rope with some properties of the expected one in place of its own, one for each choice of
/// them: what is wrong with a tensor leaves the others as they should be. Without the two ropes
/// themselves.
std::vector<WrittenRope> with_expected_parts(const WrittenRope& rope, const WrittenRope& expected);

}  // namespace orrery
