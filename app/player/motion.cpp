#include "app/player/motion.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include "app/session/number_scale.h"

namespace orrery {
namespace {

double number_between(const ParamSpec& spec, double from, double to, double share) {
  if (moves_by_ratios(spec) && from > 0 && to > 0) return from * std::pow(to / from, share);
  return from + share * (to - from);
}

void set_number(ParamSet& params, const ParamSpec& spec, double value) {
  const double within = std::clamp(value, spec.min, spec.max);
  if (spec.kind == ParamKind::integer)
    params.set_value(spec.key, nearest_allowed(spec, std::llround(within)));
  else
    params.set_value(spec.key, within);
}

}  // namespace

double eased(double share) {
  const double t = std::clamp(share, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

bool can_move(const ParamSet& from, const ParamSet& to) {
  if (&from.specs() != &to.specs() && from.specs().size() != to.specs().size()) return false;
  bool differs = false;
  for (const ParamSpec& spec : to.specs()) {
    if (!from.has(spec.key)) return false;
    if (is_number(spec)) differs = differs || from.value(spec.key) != to.value(spec.key);
  }
  return differs;
}

ParamSet part_way(const ParamSet& from, const ParamSet& to, double share) {
  if (share >= 1) return to;
  ParamSet params = to;
  for (const ParamSpec& spec : to.specs()) {
    if (!is_number(spec) || from.value(spec.key) == to.value(spec.key)) continue;
    const double number =
        number_between(spec, number_of(from, spec), number_of(to, spec), eased(share));
    if (std::isfinite(number)) set_number(params, spec, number);
  }
  return params;
}

}  // namespace orrery
