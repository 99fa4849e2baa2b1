#include "experiments/figure/plot/ticks.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/figure/plot/axis_map.h"
#include "experiments/figure/plot/tick_values.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

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
  return std::count_if(ticks.major.begin(), ticks.major.end(),
                       [](const Tick& tick) { return !tick.label.empty(); });
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
  std::sort(ticks.minor.begin(), ticks.minor.end());
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
