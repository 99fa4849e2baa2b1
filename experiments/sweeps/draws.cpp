// Values that are drawn, in place of lists.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/sweeps/value_list.h"

namespace orrery {
namespace {

constexpr std::string_view uniform = "uniform(", loguniform = "loguniform(";

/// Numbers in [0, 1) by seed and name: the same on every machine.
class Draws {
 public:
  Draws(std::int64_t seed, const std::string& name)
      : engine_(std::stoull(sha256_hex(fmt::format("draws\n{}\n{}\n", seed, name)).substr(0, 15),
                            nullptr, 16)) {}
  double next() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  std::size_t below(std::size_t count) {
    return std::min(count - 1, static_cast<std::size_t>(next() * static_cast<double>(count)));
  }

 private:
  std::mt19937_64 engine_;
};

/// Places in [0, 1): independent, or one in each of `count` equal parts, in random order.
std::vector<double> places(std::size_t count, bool latin, Draws& draws) {
  std::vector<double> found(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double part = draws.next();
    found[i] = latin ? (static_cast<double>(i) + part) / static_cast<double>(count) : part;
  }
  for (std::size_t i = count; latin && i > 1; --i) std::swap(found[i - 1], found[draws.below(i)]);
  return found;
}

/// Whole numbers on the parameter's steps, others to six digits.
std::string value_at(const ParamSpec& spec, const SweepSpec::Draw& draw, double place) {
  double value = draw.logarithmic ? draw.low * std::pow(draw.high / draw.low, place)
                                  : draw.low + place * (draw.high - draw.low);
  if (spec.kind != ParamKind::integer) return fmt::format("{:.6g}", value);
  const auto step = static_cast<double>(spec.multiple_of);
  value = std::clamp(std::round(value / step) * step, std::ceil(draw.low / step) * step,
                     std::floor(draw.high / step) * step);
  return fmt::format("{:.0f}", value);
}

double end_in(const ParamSpec& spec, std::string_view text, std::string_view all) {
  const auto refuse = [&](const UsageError&) -> UsageError {
    return {fmt::format("{}={}", spec.key, all), "is not a range of this parameter",
            "write uniform(low, high) or loguniform(low, high) with values that it may have"};
  };
  try {
    ParamSet params({ParamSpec{.key = spec.key,
                               .kind = ParamKind::real,
                               .default_value = std::max(spec.min, std::min(spec.max, 1.0)),
                               .min = spec.min,
                               .max = spec.max}});
    params.set(spec.key, text);
    return params.real(spec.key);
  } catch (const UsageError& error) {
    throw refuse(error);
  }
}

}  // namespace

SweepSpec::Axis read_axis(const ParamSpec& spec, std::string_view text) {
  const bool is_number = spec.kind == ParamKind::integer || spec.kind == ParamKind::real;
  const bool is_log = text.starts_with(loguniform);
  if (!is_number || !(is_log || text.starts_with(uniform)))
    return {.key = spec.key, .values = value_list(spec, text)};
  const std::size_t open = text.find('('), comma = text.find(',');
  if (!text.ends_with(')') || comma == std::string_view::npos)
    throw UsageError(fmt::format("{}={}", spec.key, text), "is not a range",
                     "write uniform(low, high) or loguniform(low, high)");
  const auto part = [&](std::size_t from, std::size_t to) {
    std::string_view inside = text.substr(from, to - from);
    while (inside.starts_with(' ')) inside.remove_prefix(1);
    while (inside.ends_with(' ')) inside.remove_suffix(1);
    return inside;
  };
  const SweepSpec::Draw draw{end_in(spec, part(open + 1, comma), text),
                             end_in(spec, part(comma + 1, text.size() - 1), text), is_log};
  if (!(draw.low < draw.high) || (is_log && !(draw.low > 0)))
    throw UsageError(fmt::format("{}={}", spec.key, text),
                     is_log ? "does not go from a number above 0 to a larger one"
                            : "does not go from a number to a larger one",
                     "write uniform(low, high) or loguniform(low, high)");
  return {.key = spec.key, .values = {}, .draw = draw};
}

SweepSpec with_draws(const SweepSpec& spec) {
  SweepSpec drawn = spec;
  std::vector<std::string> keys;
  for (SweepSpec::Axis& axis : drawn.axes) {
    if (!axis.draw || !axis.values.empty()) continue;
    if (spec.draws < 1)
      throw UsageError(axis.key, "is drawn, and nothing says how often", "add --draws 50");
    const ParamSet params(spec.experiment->info.params);
    Draws draws(spec.seed, axis.key);
    for (const double place : places(static_cast<std::size_t>(spec.draws), spec.latin, draws))
      axis.values.push_back(value_at(params.spec(axis.key), *axis.draw, place));
    keys.push_back(axis.key);
  }
  const bool any = std::any_of(drawn.axes.begin(), drawn.axes.end(),
                               [](const SweepSpec::Axis& axis) { return axis.draw.has_value(); });
  if (spec.draws > 0 && !any)
    throw UsageError(fmt::format("draws = {}", spec.draws), "has no key that is drawn",
                     "write one like 'base=loguniform(1e3, 1e6)'");
  if (keys.size() > 1) drawn.zips.push_back(keys);
  return drawn;
}

}  // namespace orrery
