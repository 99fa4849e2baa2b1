#include "experiments/figure/plot/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include "experiments/figure/plot/axis_map.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

/// Candidate ticks, before their labels are measured.
struct TickValues {
  std::vector<double> major{};
  std::vector<std::string> labels{};  ///< one per major tick
  std::vector<double> minor{};
};

inline constexpr int coarseness_levels = 12;

/// Rounding error, in steps, within which the end of an axis is included.
constexpr double slack = 1e-9;

/// m·10^e with m one of 1, 2, 5.
struct Step {
  int mantissa{1};
  int exponent{0};
  double value() const { return times(1.0); }
  /// count · step, correctly rounded: 0.3 and not 0.30000000000000004.
  double times(double count) const {
    const double power = std::pow(10.0, std::abs(exponent));
    return exponent < 0 ? count * mantissa / power : count * mantissa * power;
  }
  Step next() const {
    if (mantissa == 5) return {1, exponent + 1};
    return {mantissa == 1 ? 2 : 5, exponent};
  }
  int subdivisions() const { return mantissa == 2 ? 4 : 5; }
};

Step step_at_least(double size) {
  Step step{1, static_cast<int>(std::floor(std::log10(size))) - 1};
  while (step.value() < size * (1.0 - slack)) step = step.next();
  return step;
}

std::vector<double> multiples(const Step& step, const Range& range, int parts) {
  const double size = step.value() / parts;
  const double first = std::ceil(range.min / size - slack);
  const double last = std::floor(range.max / size + slack);
  std::vector<double> values;
  for (double k = first; k <= last && values.size() < 1000; ++k) {
    const double value = step.times(k) / parts;
    values.push_back(value == 0.0 ? 0.0 : value);
  }
  return values;
}

TickValues linear_values(const Range& range, int at_most, int coarseness, bool integers) {
  const double span = range.max - range.min;
  if (!(span > 0.0)) return {{range.min}, {short_label(range.min)}, {}};
  Step step = step_at_least(span / at_most);
  for (int level = 0; level < coarseness; ++level) step = step.next();
  if (integers && step.exponent < 0) step = {1, 0};
  TickValues ticks{multiples(step, range, 1), {}, {}};
  ticks.labels = stepped_labels(ticks.major, step.value());
  if (!integers || step.value() >= step.subdivisions())
    ticks.minor = multiples(step, range, step.subdivisions());
  return ticks;
}

struct Exponents {
  long first{};
  long last{};
};

Exponents exponents_within(const Range& range, AxisScale scale) {
  const double low = scale_forward(scale, 1.0, range.min);
  const double high = scale_forward(scale, 1.0, range.max);
  return {std::lround(std::ceil(low - slack)), std::lround(std::floor(high + slack))};
}

/// Whether to write 1000 instead of 10³: all labels of the axis are short.
bool plain_powers(int base, const Exponents& e) {
  return base == 10 ? e.first >= -3 && e.last <= 4 : e.first >= 0 && e.last <= 16;
}

std::string label_of_power(int base, long exponent, bool plain) {
  if (!plain) return power_label(base, exponent);
  const int decimals = static_cast<int>(std::max(0L, -exponent));
  return decimal_label(std::pow(base, static_cast<double>(exponent)), decimals);
}

TickValues power_values(int base, const Exponents& e, long stride) {
  const bool plain = plain_powers(base, e);
  TickValues ticks;
  for (long k = e.first; k <= e.last; ++k) {
    const double value = std::pow(base, static_cast<double>(k));
    if (k % stride == 0) {
      ticks.major.push_back(value);
      ticks.labels.push_back(label_of_power(base, k, plain));
    } else {
      ticks.minor.push_back(value);
    }
  }
  return ticks;
}

void add_decade_minors(TickValues& ticks, const Exponents& e, const Range& range) {
  for (long k = e.first - 1; k <= e.last; ++k) {
    for (int m = 2; m <= 9; ++m) {
      const double value = m * std::pow(10.0, static_cast<double>(k));
      if (value > range.min && value < range.max) ticks.minor.push_back(value);
    }
  }
}

std::string label_within_decade(int mantissa, long exponent, bool plain) {
  if (plain)
    return decimal_label(mantissa * std::pow(10.0, static_cast<double>(exponent)),
                         static_cast<int>(std::max(0L, -exponent)));
  if (mantissa == 1) return power_label(10, exponent);
  return std::to_string(mantissa) + "×" + power_label(10, exponent);
}

/// 1, 2, 5, 10, 20, … for a log axis of few decades.
TickValues one_two_five_values(const Range& range) {
  const Exponents e = exponents_within(range, AxisScale::log10);
  const bool plain = plain_powers(10, {e.first - 1, e.last});
  TickValues ticks;
  for (long k = e.first - 1; k <= e.last; ++k) {
    for (const int m : {1, 2, 5}) {
      const double value = m * std::pow(10.0, static_cast<double>(k));
      if (value < range.min * (1.0 - slack) || value > range.max * (1.0 + slack)) continue;
      ticks.major.push_back(value);
      ticks.labels.push_back(label_within_decade(m, k, plain));
    }
  }
  add_decade_minors(ticks, e, range);
  return ticks;
}

constexpr std::array<long, 9> strides{1, 2, 3, 5, 10, 20, 50, 100, 200};

/// On fewer decades than this the powers alone are too few to read values between them.
constexpr double few_decades = 2.5;
constexpr double fraction_of_decade = 0.4;

TickValues log10_values(const AxisMap& axis, int at_most, int coarseness) {
  const double decades = std::log10(axis.data.max / axis.data.min);
  if (decades < fraction_of_decade) return linear_values(axis.data, at_most, coarseness, false);
  if (decades < few_decades && coarseness == 0) return one_two_five_values(axis.data);
  const std::size_t level = static_cast<std::size_t>(coarseness) - (decades < few_decades ? 1 : 0);
  if (level >= strides.size()) return {};
  const Exponents e = exponents_within(axis.data, AxisScale::log10);
  TickValues ticks = power_values(10, e, strides[level]);
  if (strides[level] == 1) add_decade_minors(ticks, e, axis.data);
  return ticks;
}

TickValues log2_values(const AxisMap& axis, int at_most, int coarseness) {
  const Exponents e = exponents_within(axis.data, AxisScale::log2);
  if (e.last - e.first < 1) return linear_values(axis.data, at_most, coarseness, false);
  if (static_cast<std::size_t>(coarseness) >= strides.size()) return {};
  return power_values(2, e, strides[static_cast<std::size_t>(coarseness)]);
}

/// `origin` is the exponent from which labelled powers are counted: with 0 on the axis, 0 takes the
/// label of the power below the threshold.
void add_symlog_side(TickValues& ticks, const Exponents& e, long origin, long stride, int sign,
                     const Range& range) {
  for (long k = e.first; k <= e.last; ++k) {
    const double value = sign * std::pow(10.0, static_cast<double>(k));
    if (value < range.min || value > range.max) continue;
    if ((k - origin) % stride != 0) {
      ticks.minor.push_back(value);
      continue;
    }
    ticks.major.push_back(value);
    ticks.labels.push_back((sign < 0 ? "−" : "") + label_of_power(10, k, plain_powers(10, e)));
  }
}

/// Adds 1, 2, 5, 10, … times the sign, as far as the range goes.
void add_one_two_five_side(TickValues& ticks, double threshold, int sign, const Range& range) {
  const double end = sign < 0 ? -range.min : range.max;
  if (end < threshold) return;
  const TickValues side = one_two_five_values({threshold, end});
  const auto is_seen = [&](double value) {
    return sign * value >= range.min && sign * value <= range.max;
  };
  for (std::size_t i = 0; i < side.major.size(); ++i) {
    if (!is_seen(side.major[i])) continue;
    ticks.major.push_back(sign * side.major[i]);
    ticks.labels.push_back((sign < 0 ? "−" : "") + side.labels[i]);
  }
  for (const double value : side.minor)
    if (is_seen(value)) ticks.minor.push_back(sign * value);
}

TickValues symlog_values(const AxisMap& axis, int at_most, int coarseness) {
  const double threshold = axis.symlog_threshold;
  const double largest = std::max(std::abs(axis.data.min), std::abs(axis.data.max));
  const bool has_zero = axis.data.min <= 0.0 && axis.data.max >= 0.0;
  if (largest <= threshold) return linear_values(axis.data, at_most, coarseness, false);
  if (static_cast<std::size_t>(coarseness) >= strides.size()) return {};
  const Exponents e = exponents_within({threshold, largest}, AxisScale::log10);
  const bool few = std::log10(largest / threshold) < few_decades;
  const long stride = strides[static_cast<std::size_t>(std::max(0, coarseness - few))];
  const long origin = has_zero ? e.first - 1 : e.first;
  TickValues ticks;
  const auto add_side = [&](int sign) {
    if (few && coarseness == 0)
      add_one_two_five_side(ticks, threshold, sign, axis.data);
    else
      add_symlog_side(ticks, e, origin, stride, sign, axis.data);
  };
  add_side(-1);
  std::ranges::reverse(ticks.major);
  std::ranges::reverse(ticks.labels);
  if (has_zero) {
    ticks.major.push_back(0.0);
    ticks.labels.push_back("0");
  }
  add_side(1);
  // Too narrow a range for two powers has plain numbers.
  if (coarseness == 0 && ticks.major.size() < 2)
    return linear_values(axis.data, at_most, coarseness, false);
  return ticks;
}

/// Candidates at one level of coarseness: level 0 has up to about `at_most` ticks, each further
/// level fewer. Empty when the scale has none at this level.
TickValues tick_values(const AxisMap& axis, int at_most, int coarseness, bool integers) {
  switch (axis.scale) {
    case AxisScale::linear:
      return linear_values(axis.data, at_most, coarseness, integers);
    case AxisScale::log2:
      return log2_values(axis, at_most, coarseness);
    case AxisScale::log10:
      return log10_values(axis, at_most, coarseness);
    case AxisScale::symlog:
      return symlog_values(axis, at_most, coarseness);
  }
  return {};
}

Ticks placed(const AxisMap& axis, const TickValues& values, const TickRoom& room) {
  const ScaleMap map(axis);
  Ticks ticks;
  for (std::size_t i = 0; i < values.major.size(); ++i) {
    const double at = map.to_canvas(values.major[i]);
    const double half = 0.5 * room.extent(values.labels[i]);
    const double low = room.bounds.min + half, high = room.bounds.max - half;
    const bool fits = low <= high;
    ticks.major.push_back({values.major[i], at, fits ? values.labels[i] : std::string{},
                           fits ? std::clamp(at, low, high) : at});
  }
  for (const double value : values.minor) ticks.minor.push_back(map.to_canvas(value));
  return ticks;
}

bool apart(const Tick& a, const Tick& b, const TickRoom& room) {
  const double needed = 0.5 * (room.extent(a.label) + room.extent(b.label)) + room.gap;
  return std::abs(a.label_at - b.label_at) >= needed;
}

bool all_apart(const Ticks& ticks, const TickRoom& room) {
  for (std::size_t i = 1; i < ticks.major.size(); ++i) {
    const Tick &a = ticks.major[i - 1], &b = ticks.major[i];
    if (std::abs(a.at - b.at) < 0.5 * room.spacing || !apart(a, b, room)) return false;
  }
  return true;
}

/// Keeps the first label, then each one that does not overlap the last one kept.
void thin_labels(Ticks& ticks, const TickRoom& room) {
  const Tick* kept = nullptr;
  for (Tick& tick : ticks.major) {
    if (tick.label.empty()) continue;
    if (kept && !apart(*kept, tick, room)) {
      tick.label.clear();
    } else {
      kept = &tick;
    }
  }
}

std::ptrdiff_t labelled(const Ticks& ticks) {
  return std::ranges::count_if(ticks.major, [](const Tick& tick) { return !tick.label.empty(); });
}

/// The finest candidates whose labels fit, with at least two ticks where possible.
Ticks finest_fitting(const AxisMap& axis, const TickRoom& room, int at_most) {
  Ticks ticks;
  for (int coarseness = 0; coarseness < coarseness_levels; ++coarseness) {
    const TickValues values = tick_values(axis, at_most, coarseness, room.integers);
    if (values.major.empty()) continue;
    Ticks candidate = placed(axis, values, room);
    const bool better = candidate.major.size() > 1 || ticks.major.empty();
    const bool fits = all_apart(candidate, room);
    if (better) ticks = std::move(candidate);
    if (better && fits) break;
  }
  return ticks;
}

void keep_minor_apart(Ticks& ticks, double least) {
  std::ranges::sort(ticks.minor);
  for (std::size_t i = 1; i < ticks.minor.size(); ++i) {
    if (ticks.minor[i] - ticks.minor[i - 1] < least) return ticks.minor.clear();
  }
}

std::string pi_label(long halves) {
  if (halves == 0) return "0";
  const std::string sign = halves < 0 ? "−" : "";
  const long size = std::labs(halves);
  const long count = size % 2 == 0 ? size / 2 : size;
  return sign + (count == 1 ? "" : std::to_string(count)) + (size % 2 == 0 ? "π" : "π/2");
}

// Fewer words of a text say less than numbers.
constexpr std::size_t least_names = 3;

/// The names in view whose place is a multiple of `stride`, so that they stay while a map is moved;
/// the others have small ticks.
TickValues every(std::size_t stride, const AxisMap& axis, const std::vector<std::string>& names,
                 double first) {
  TickValues values;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double value = first + static_cast<double>(i);
    if (value < axis.data.min || value > axis.data.max) continue;
    if (i % stride != 0) {
      values.minor.push_back(value);
      continue;
    }
    values.major.push_back(value);
    values.labels.push_back(names[i]);
  }
  return values;
}

}  // namespace

Ticks choose_ticks(const AxisMap& axis, const TickRoom& room) {
  const double length = std::abs(axis.at_max - axis.at_min);
  const int preferred = std::clamp(static_cast<int>(length / std::max(room.spacing, 1.0)), 1, 100);
  Ticks ticks = finest_fitting(axis, room, preferred);
  // A single label gives no scale: on a short axis two close labels are better.
  for (int at_most = preferred + 1; labelled(ticks) < 2 && at_most <= preferred + 3; ++at_most) {
    Ticks closer = finest_fitting(axis, room, at_most);
    thin_labels(closer, room);
    if (labelled(closer) > labelled(ticks)) ticks = std::move(closer);
  }
  thin_labels(ticks, room);
  keep_minor_apart(ticks, 0.12 * room.spacing);
  return ticks;
}

Ticks choose_angle_ticks(const AxisMap& axis, const TickRoom& room) {
  constexpr double half_pi = std::numbers::pi / 2.0;
  const auto whole = [](double v) { return std::abs(v - std::round(v)) < 1e-6; };
  const double low = axis.data.min / half_pi, high = axis.data.max / half_pi;
  if (!whole(low) || !whole(high) || high - low > 16.0) return choose_ticks(axis, room);
  for (const long step : {1L, 2L, 4L}) {
    TickValues values;
    for (long k = std::lround(low); k <= std::lround(high); k += step) {
      values.major.push_back(static_cast<double>(k) * half_pi);
      values.labels.push_back(pi_label(k));
    }
    Ticks ticks = placed(axis, values, room);
    if (all_apart(ticks, room)) return ticks;
  }
  return choose_ticks(axis, room);
}

Ticks name_ticks(const AxisMap& axis, const std::vector<std::string>& names, const TickRoom& room,
                 double first) {
  for (const std::size_t stride : {1U, 2U, 3U, 4U, 6U, 8U}) {
    const TickValues values = every(stride, axis, names, first);
    Ticks ticks = placed(axis, values, room);
    const bool enough = stride == 1 || ticks.major.size() >= least_names;
    if (enough && all_apart(ticks, room)) return ticks;
  }
  return {};
}

}  // namespace orrery
