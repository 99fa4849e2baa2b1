#include "app/session/number_scale.h"

#include <algorithm>
#include <cmath>

#include "experiments/setup/encoding_summary.h"

namespace orrery {
namespace {

// A linear scale over more steps than this cannot be aimed at the small ones.
constexpr double max_linear_steps = 4096;
// Of ends_around().
constexpr double ratio_around = 4.0, share_around = 0.25;

ParamValue value_near(const ParamSpec& spec, double number, bool is_end) {
  if (spec.kind == ParamKind::integer) {
    const auto whole = static_cast<std::int64_t>(std::llround(number));
    return is_end ? whole : nearest_allowed(spec, whole);
  }
  const double rounded = is_end ? number : to_digits(number, scale_digits);
  return std::clamp(rounded, spec.min, spec.max);
}

/// The value at `share` of the way, or the value of a paper or model that is nearer to it than half
/// a step of the scale: 10000 stands for 9 190 and 500000 for 478 000.
double known_or_at(const ParamSpec& spec, std::pair<double, double> ends, double share, double step,
                   bool by_ratios) {
  const auto at = [&](double x) { return at_share(ends.first, ends.second, x, by_ratios); };
  const auto place = [&](double number) { return by_ratios ? std::log(number) : number; };
  const double number = at(share), low = at(share - step / 2), high = at(share + step / 2);
  double best = number;
  for (const KnownValue& known : known_values(spec.key)) {
    if (known.value <= low || known.value >= high) continue;
    const double distance = std::abs(place(known.value) - place(number));
    if (best == number || distance < std::abs(place(best) - place(number))) best = known.value;
  }
  return best;
}

/// Known while the parameter has the value that the result was made with, or plays no part.
const ValueInUse* found_in_result(const Session& session, std::string_view key) {
  const ExperimentState& state = session.current();
  if (!state.result || !state.result_params) return nullptr;
  for (const ValueInUse& found : state.result->in_use) {
    if (found.key != key) continue;
    const bool same = state.result_params->value(key) == state.params.value(key);
    return !found.why.empty() || same ? &found : nullptr;
  }
  return nullptr;
}

/// The number in use where files decide it in place of a parameter of the experiment on screen;
/// empty where the parameter's own is.
std::optional<double> number_in_use(const Session& session, std::string_view key) {
  const ValueInUse* found = found_in_result(session, key);
  return found ? found->value : std::nullopt;
}

}  // namespace

double at_share(double from, double to, double share, bool by_ratios) {
  return by_ratios ? from * std::pow(to / from, share) : from + share * (to - from);
}

ParamValue nearest_value(const ParamSpec& spec, double number) {
  const double within = std::clamp(number, spec.min, spec.max);
  if (spec.kind == ParamKind::integer) return nearest_allowed(spec, std::llround(within));
  return within;
}

bool moves_by_ratios(const ParamSpec& spec) {
  const bool wide = spec.kind == ParamKind::integer && spec.max - spec.min > max_linear_steps;
  return spec.logarithmic || (wide && spec.min >= 0.0);
}

double to_digits(double value, int digits) {
  if (value == 0.0 || !std::isfinite(value)) return value;
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  const double power = std::pow(10.0, std::abs(digits - 1 - exponent));
  // Dividing by a whole power of ten gives the nearest double of the decimal; multiplying does not.
  return digits - 1 >= exponent ? std::round(value * power) / power
                                : std::round(value / power) * power;
}

std::int64_t nearest_allowed(const ParamSpec& spec, std::int64_t value) {
  const auto step = static_cast<double>(std::max<std::int64_t>(1, spec.multiple_of));
  const double low = std::ceil(spec.min / step), high = std::floor(spec.max / step);
  const double multiple = std::round(static_cast<double>(value) / step);
  return static_cast<std::int64_t>(std::clamp(multiple, low, std::max(low, high)) * step);
}

bool is_number(const ParamSpec& spec) {
  return spec.kind == ParamKind::integer || spec.kind == ParamKind::real;
}

double number_of(const ParamSet& params, const ParamSpec& spec) {
  return spec.kind == ParamKind::integer ? static_cast<double>(params.integer(spec.key))
                                         : params.real(spec.key);
}

std::vector<ParamValue> values_between(const ParamSpec& spec, double from, double to,
                                       std::size_t count) {
  const double low = std::min(from, to), high = std::max(from, to);
  const bool by_ratios = moves_by_ratios(spec) && low > 0.0;
  std::vector<ParamValue> values;
  const double step = 1.0 / static_cast<double>(count - 1);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_end = i == 0 || i + 1 == count;
    const double share = static_cast<double>(i) * step;
    const double number = i == 0           ? low
                          : i + 1 == count ? high
                                           : known_or_at(spec, {low, high}, share, step, by_ratios);
    ParamValue value = value_near(spec, number, is_end);
    if (std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(std::move(value));
  }
  std::sort(values.begin(), values.end());
  return values;
}

std::pair<double, double> ends_around(const ParamSpec& spec, double value) {
  const double step = share_around * (spec.max - spec.min);
  const bool by_ratios = moves_by_ratios(spec) && value > 0.0;
  const auto allowed = [&](double number) {
    const double within = std::clamp(number, spec.min, spec.max);
    if (spec.kind == ParamKind::integer)
      return static_cast<double>(nearest_allowed(spec, std::llround(within)));
    return to_digits(within, scale_digits);
  };
  return by_ratios ? std::pair{allowed(value / ratio_around), allowed(value * ratio_around)}
                   : std::pair{allowed(value - step), allowed(value + step)};
}

std::string why_fixed(const Session& session, std::string_view key) {
  const ValueInUse* found = found_in_result(session, key);
  return found ? found->why : "";
}

ParamSpec within_files(const Session& session, const ParamSpec& spec) {
  ParamSpec within = spec;
  const ExperimentState& state = session.current();
  if (!state.result || !state.result_params) return within;
  for (const ParamSpec& other : state.params.specs())
    if (other.kind == ParamKind::file &&
        state.result_params->value(other.key) != state.params.value(other.key))
      return within;  // nothing is known of another file yet
  for (const ValueInUse& found : state.result->in_use)
    if (found.key == spec.key && found.most) within.max = *found.most;
  return within;
}

std::string value_shown(const Session& session, const ParamSpec& spec) {
  const std::optional<double> number = number_in_use(session, spec.key);
  return number ? number_text(*number) : session.current().params.to_text(spec.key);
}

double number_shown(const Session& session, const ParamSpec& spec) {
  return number_in_use(session, spec.key).value_or(number_of(session.current().params, spec));
}

}  // namespace orrery
