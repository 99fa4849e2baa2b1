// Values that are drawn, in place of lists.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <random>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr std::size_t max_values = 1'000'000;
constexpr std::string_view grammar =
    "write a,b,c, range(start, stop, step), pow2(a..b), linspace(a, b, n), logspace(a, b, n) or "
    "geomspace(a, b, n)";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Splits at commas outside of parentheses.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> items;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != ',' || depth > 0) continue;
    items.push_back(trimmed(text.substr(start, i - start)));
    start = i + 1;
  }
  items.push_back(trimmed(text.substr(start)));
  return items;
}

/// One call such as "range(0, 256, 8)".
class Call {
 public:
  Call(const ParamSpec& spec, std::string_view text) : spec_(spec), text_(text) {
    const std::size_t open = text.find('(');
    name_ = trimmed(text.substr(0, open));
    if (text.back() != ')') refuse("has no closing parenthesis");
    const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
    if (name_ == "pow2")
      read_exponents(inside);
    else
      for (const std::string_view item : split(inside)) arguments_.push_back(number(item));
  }

  std::vector<std::string> values() const {
    if (name_ == "range") return range();
    if (name_ == "pow2")
      return sequence(arguments_[1] - arguments_[0] + 1,
                      [this](double i) { return std::exp2(arguments_[0] + i); });
    if (name_ == "linspace") return spaced([](double x) { return x; }, [](double x) { return x; });
    if (name_ == "logspace") require_exponents();
    if (name_ == "logspace")
      return spaced([](double x) { return x; }, [](double x) { return std::pow(10.0, x); });
    if (name_ == "geomspace") {
      if (arguments_.size() == 3 && !(arguments_[0] > 0 && arguments_[1] > 0))
        refuse("needs ends above 0");
      return spaced([](double x) { return std::log10(x); },
                    [](double x) { return std::pow(10.0, x); });
    }
    refuse("is not a kind of list");
  }

 private:
  [[noreturn]] void refuse(std::string_view rule) const {
    throw UsageError(fmt::format("{}={}", spec_.key, text_), rule, grammar);
  }

  double number(std::string_view text) const {
    const std::optional<double> value = number_in(text);
    if (!value) refuse(fmt::format("has '{}' in place of a number", text));
    return *value;
  }

  void read_exponents(std::string_view inside) {
    const std::size_t dots = inside.find("..");
    if (dots == std::string_view::npos) refuse("has no '..' between two exponents");
    arguments_ = {number(trimmed(inside.substr(0, dots))),
                  number(trimmed(inside.substr(dots + 2)))};
    const auto whole = [](double x) { return x == std::trunc(x) && std::abs(x) <= 62; };
    if (!whole(arguments_[0]) || !whole(arguments_[1]))
      refuse("has exponents that are not whole numbers up to 62");
  }

  /// logspace(1e3, 1e6, 4) means what geomspace does.
  void require_exponents() const {
    constexpr double most = 308;
    if (arguments_.size() != 3 || std::min(arguments_[0], arguments_[1]) <= most) return;
    std::string meant = fmt::format("geomspace({}, {}, {})", number_text(arguments_[0]),
                                    number_text(arguments_[1]), number_text(arguments_[2]));
    throw UsageError(fmt::format("{}={}", spec_.key, text_),
                     fmt::format("takes exponents: its numbers are 10^{} to 10^{}",
                                 number_text(arguments_[0]), number_text(arguments_[1])),
                     fmt::format("write {}={}, or the exponents", spec_.key, meant));
  }

  std::vector<std::string> range() const {
    if (arguments_.empty() || arguments_.size() > 3) refuse("takes one to three numbers");
    const double start = arguments_.size() == 1 ? 0 : arguments_[0];
    const double stop = arguments_.size() == 1 ? arguments_[0] : arguments_[1];
    const double step = arguments_.size() == 3 ? arguments_[2] : 1;
    if (step == 0) refuse("has a step of 0");
    // The stop is excluded also when rounding lets the last step miss it by a little.
    constexpr double slack = 1e-9;
    return sequence(std::ceil((stop - start) / step - slack),
                    [=](double i) { return start + i * step; });
  }

  std::vector<std::string> spaced(const std::function<double(double)>& into,
                                  const std::function<double(double)>& back) const {
    if (arguments_.size() != 3) refuse("takes three numbers: first, last, count");
    const double count = arguments_[2];
    if (count != std::trunc(count) || count < 1) refuse("needs a whole number as its count");
    const double from = into(arguments_[0]);
    const double width = count > 1 ? (into(arguments_[1]) - from) / (count - 1) : 0;
    return sequence(count, [&](double i) { return back(from + i * width); });
  }

  std::vector<std::string> sequence(double count, const std::function<double(double)>& at) const {
    if (!(count >= 1)) refuse("is empty");
    if (count > static_cast<double>(max_values)) refuse("has more than a million values");
    std::vector<std::string> values;
    values.reserve(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      values.push_back(rounded(at(static_cast<double>(i))));
    return values;
  }

  std::string rounded(double value) const {
    constexpr double plain_below = 1e7;  // in number_text; most lists are such numbers
    if (value == std::trunc(value) && std::abs(value) < plain_below)
      return fmt::format("{}", static_cast<std::int64_t>(value));
    const std::optional<double> short_value = number_in(fmt::format("{:.15g}", value));
    if (!short_value) refuse("exceeds the range of double");
    return number_text(*short_value == 0 ? 0.0 : *short_value);
  }

  const ParamSpec& spec_;
  std::string_view text_;
  std::string_view name_{};
  std::vector<double> arguments_{};
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_number(const ParamSpec& spec) {
  return spec.kind == ParamKind::integer || spec.kind == ParamKind::real;
}

/// Lists of other programs: "[64,128]".
void refuse_brackets(const ParamSpec& spec, std::string_view text) {
  if (!text.starts_with('[')) return;
  const std::string_view inside = text.substr(1, text.find(']') - 1);
  const bool joins = spec.kind == ParamKind::choice_list || spec.kind == ParamKind::number_list;
  std::string joined(inside);
  std::replace(joined.begin(), joined.end(), ',', '+');
  throw UsageError(fmt::format("{}={}", spec.key, text),
                   "is in brackets, and lists are written without",
                   fmt::format("write {}={}{}", spec.key, inside,
                               joins ? fmt::format(", or {} for all at once", joined) : ""));
}

/// "10,000" would be 10 and 0.
void refuse_thousands(const ParamSpec& spec, std::string_view text,
                      const std::vector<std::string_view>& items) {
  const auto is_group = [](std::string_view item) {
    return item.size() == 3 && std::all_of(item.begin(), item.end(), is_digit);
  };
  const bool grouped = items.size() > 1 && !items[0].empty() && items[0].size() <= 3 &&
                       std::all_of(items[0].begin(), items[0].end(), is_digit) &&
                       std::all_of(items.begin() + 1, items.end(), is_group);
  const bool has_zero = std::any_of(items.begin() + 1, items.end(),
                                    [](std::string_view item) { return item.starts_with('0'); });
  if (!grouped || !has_zero) return;
  throw UsageError(
      fmt::format("{}={}", spec.key, text), "lists several values, as commas do",
      fmt::format("write the number without commas, {}={}", spec.key, fmt::join(items, "")));
}

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
  try {
    ParamSet params({ParamSpec{.key = spec.key,
                               .kind = ParamKind::real,
                               .default_value = std::max(spec.min, std::min(spec.max, 1.0)),
                               .min = spec.min,
                               .max = spec.max}});
    params.set(spec.key, text);
    return params.real(spec.key);
  } catch (const UsageError&) {
    throw UsageError(
        fmt::format("{}={}", spec.key, all), "is not a range of this parameter",
        "write uniform(low, high) or loguniform(low, high) with values that it may have");
  }
}

}  // namespace

std::vector<std::string> value_list(const ParamSpec& spec, std::string_view text) {
  if (spec.kind == ParamKind::file || spec.kind == ParamKind::text) return {std::string(text)};
  refuse_brackets(spec, text);
  const std::vector<std::string_view> items = split(text);
  if (is_number(spec)) refuse_thousands(spec, text, items);
  std::vector<std::string> values;
  for (const std::string_view item : items) {
    if (is_number(spec) && item.find('(') != std::string_view::npos) {
      std::vector<std::string> made = Call(spec, item).values();
      values.insert(values.end(), std::move_iterator(made.begin()), std::move_iterator(made.end()));
    } else {
      values.emplace_back(item);
    }
    if (values.size() > max_values)
      throw UsageError(spec.key, "has more than a million values", "split the sweep");
  }
  return values;
}

SweepSpec::Axis read_axis(const ParamSpec& spec, std::string_view text) {
  const bool is_log = text.starts_with(loguniform);
  if (!is_number(spec) || !(is_log || text.starts_with(uniform)))
    return {.key = spec.key, .values = value_list(spec, text)};
  const std::size_t open = text.find('('), comma = text.find(',');
  if (!text.ends_with(')') || comma == std::string_view::npos)
    throw UsageError(fmt::format("{}={}", spec.key, text), "is not a range",
                     "write uniform(low, high) or loguniform(low, high)");
  const auto part = [&](std::size_t from, std::size_t to) {
    return trimmed(text.substr(from, to - from));
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
