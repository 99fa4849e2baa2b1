#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "experiments/model/experiment.h"

namespace orrery {

// The scale along which a number is changed, whether by a slider or by a sweep.

/// Whether it moves by ratios: it is logarithmic, or a whole number of a range so wide that its
/// small values could not be aimed at otherwise.
bool moves_by_ratios(const ParamSpec& spec);

/// `value` to `digits` significant digits, so that captions stay readable.
double to_digits(double value, int digits);
inline constexpr int scale_digits = 3;

/// The nearest multiple that the specification allows.
std::int64_t nearest_allowed(const ParamSpec& spec, std::int64_t value);

bool is_number(const ParamSpec& spec);
/// The number that a parameter has.
double number_of(const ParamSet& params, const ParamSpec& spec);

/// At most `count` values from `from` to `to`, both among them, in equal steps of the scale: by
/// ratios where it moves by ratios and both are above 0. Between the ends the value of a paper or a
/// model takes the place of one that is within half a step. Whole numbers are multiples that are
/// allowed, each once; others are rounded to scale_digits between the ends.
std::vector<ParamValue> values_between(const ParamSpec& spec, double from, double to,
                                       std::size_t count);

/// Ends of a range around `value`: a quarter and four times of it where the scale moves by ratios,
/// else a quarter of the range to either side; within what is allowed.
struct Ends {
  double from{};
  double to{};
};
Ends ends_around(const ParamSpec& spec, double value);

}  // namespace orrery
