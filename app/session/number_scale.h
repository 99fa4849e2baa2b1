#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/session/session.h"
#include "experiments/model/experiment.h"

namespace orrery {

// The scale along which a number is changed, whether by a slider or by a sweep.

/// Whether it moves by ratios: it is logarithmic, or a whole number of a range so wide that its
/// small values could not be aimed at otherwise.
bool moves_by_ratios(const ParamSpec& spec);

/// `value` to `digits` significant digits, so that captions stay readable.
double to_digits(double value, int digits);
inline constexpr int scale_digits = 3;

/// The value at `share` of the way from one end to the other, by ratios or by differences.
double at_share(double from, double to, double share, bool by_ratios);

/// The value that the specification allows and that is nearest to a number.
ParamValue nearest_value(const ParamSpec& spec, double number);
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
std::pair<double, double> ends_around(const ParamSpec& spec, double value);

/// Why files decide it whatever the parameter says, "The file says 8192."; empty where they do not.
std::string why_fixed(const Session& session, std::string_view key);

/// The parameter within what the files on screen have: its largest head is that of the model.
ParamSpec within_files(const Session& session, const ParamSpec& spec);

/// What the parameter's control shows: the number in use.
std::string value_shown(const Session& session, const ParamSpec& spec);
/// The same of a number.
double number_shown(const Session& session, const ParamSpec& spec);

}  // namespace orrery
