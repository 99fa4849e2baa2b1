#include "core/params.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/errors.h"
#include "core/unknown_name.h"

namespace orrery {
namespace {

std::string join(std::span<const std::string> words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

std::vector<std::string> names_of(const std::vector<Choice>& choices) {
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const Choice& choice : choices) names.push_back(choice.name);
  return names;
}

std::string assignment(const ParamSpec& spec, std::string_view text) {
  return fmt::format("{}={}", spec.key, text);
}

std::string range_rule(const ParamSpec& spec) {
  if (std::isinf(spec.min) && std::isinf(spec.max)) return "must be finite";
  if (std::isinf(spec.max)) return fmt::format("must be at least {}", number_text(spec.min));
  if (std::isinf(spec.min)) return fmt::format("must be at most {}", number_text(spec.max));
  return fmt::format("must lie in [{}, {}]", number_text(spec.min), number_text(spec.max));
}

void check_range(const ParamSpec& spec, double number, std::string_view text) {
  if (std::isfinite(number) && number >= spec.min && number <= spec.max) return;
  const double nearest = std::isnan(number) ? spec.min : std::clamp(number, spec.min, spec.max);
  throw UsageError(assignment(spec, text), range_rule(spec),
                   std::isfinite(nearest) ? fmt::format("try {}={}", spec.key, number_text(nearest))
                                          : fmt::format("give {} a finite number", spec.key));
}

void check_multiple(const ParamSpec& spec, std::int64_t number) {
  if (spec.multiple_of <= 1 || number % spec.multiple_of == 0) return;
  const std::int64_t above = (number / spec.multiple_of + 1) * spec.multiple_of;
  const std::int64_t below = above - spec.multiple_of;
  const bool below_fits = static_cast<double>(below) >= spec.min;
  const bool above_fits = static_cast<double>(above) <= spec.max;
  std::string remedy = "try ";
  if (below_fits) remedy += fmt::format("{}={}", spec.key, below);
  if (below_fits && above_fits) remedy += " or ";
  if (above_fits) remedy += fmt::format("{}={}", spec.key, above);
  throw UsageError(assignment(spec, std::to_string(number)),
                   spec.multiple_of == 2
                       ? std::string("must be even")
                       : fmt::format("must be a multiple of {}", spec.multiple_of),
                   remedy);
}

/// The remedy for a name that was given up; empty for any other.
std::string remedy_for(const std::vector<Retired>& retired, std::string_view name) {
  for (const Retired& old : retired)
    if (old.name == name) return old.remedy;
  return {};
}

std::string remedy_for_choice(const ParamSpec& spec, const std::string& name,
                              const std::vector<std::string>& names) {
  if (std::string remedy = remedy_for(spec.retired_values, name); !remedy.empty()) return remedy;
  const std::string near = nearest_name(name, names);
  return near.empty() ? std::string("take one of them")
                      : fmt::format("did you mean {}={}?", spec.key, near);
}

void check_choice(const ParamSpec& spec, const std::string& name) {
  const std::vector<std::string> names = names_of(spec.choices);
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw UsageError(assignment(spec, name), fmt::format("must be one of {}", join(names, ", ")),
                   remedy_for_choice(spec, name, names));
}

void check_list(const ParamSpec& spec, const std::vector<std::string>& names) {
  if (names.empty() && !spec.may_be_empty)
    throw UsageError(assignment(spec, ""), "must name at least one",
                     fmt::format("choose from {}", join(names_of(spec.choices), ", ")));
  for (std::size_t i = 0; i < names.size(); ++i) {
    check_choice(spec, names[i]);
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      throw UsageError(assignment(spec, join(names, "+")),
                       fmt::format("must not name {} twice", names[i]), "name each once");
  }
}

void check_numbers(const ParamSpec& spec, const std::vector<double>& numbers) {
  if (numbers.empty() && !spec.may_be_empty)
    throw UsageError(assignment(spec, ""), "must have at least one number",
                     fmt::format("write it like {}=1+1.5", spec.key));
  for (const double number : numbers) check_range(spec, number, number_text(number));
}

template <class Number>
bool parse_whole(std::string_view text, Number& number) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc() && end == text.data() + text.size();
}

std::int64_t parse_integer(const ParamSpec& spec, std::string_view text) {
  std::int64_t number{};
  if (parse_whole(text, number)) return number;
  double real{};  // 1e4 is a whole number too
  if (parse_whole(text, real) && std::abs(real) < 9.0e18 && real == std::trunc(real))
    return static_cast<std::int64_t>(real);
  throw UsageError(assignment(spec, text), "must be a whole number",
                   fmt::format("write it like {}={}", spec.key, to_text(spec.default_value)));
}

double parse_real(const ParamSpec& spec, std::string_view text) {
  double number{};
  if (parse_whole(text, number)) return number;
  throw UsageError(assignment(spec, text), "must be a number",
                   fmt::format("write it like {}={}", spec.key, to_text(spec.default_value)));
}

/// Numbers joined by +; that of an exponent, as in 1e+5, is part of its number.
std::vector<double> parse_numbers(const ParamSpec& spec, std::string_view text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    double number{};
    const auto [next, status] = std::from_chars(at, end, number);
    const bool goes_on = status == std::errc() && next != end && *next == '+' && next + 1 != end;
    if (status != std::errc() || (next != end && !goes_on))
      throw UsageError(assignment(spec, text), "must be numbers joined by +",
                       fmt::format("write it like {}=1+1.5", spec.key));
    numbers.push_back(number);
    at = goes_on ? next + 1 : end;
  }
  return numbers;
}

bool parse_boolean(const ParamSpec& spec, std::string_view text) {
  for (const char* yes : {"true", "yes", "on", "1"})
    if (text == yes) return true;
  for (const char* no : {"false", "no", "off", "0"})
    if (text == no) return false;
  throw UsageError(assignment(spec, text), "must be true or false",
                   fmt::format("write {}=true or {}=false", spec.key, spec.key));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

ParamValue parse(const ParamSpec& spec, std::string_view text) {
  switch (spec.kind) {
    case ParamKind::boolean:
      return parse_boolean(spec, text);
    case ParamKind::integer:
      return parse_integer(spec, text);
    case ParamKind::real:
      return parse_real(spec, text);
    case ParamKind::choice:
    case ParamKind::file:
    case ParamKind::text:
      return std::string(text);
    case ParamKind::choice_list:
      return split(text, '+');
    case ParamKind::number_list:
      return parse_numbers(spec, text);
  }
  check_invariant(false, "every ParamKind is parsed");
  return {};
}

void check(const ParamSpec& spec, const ParamValue& value) {
  const bool right_type = value.index() == spec.default_value.index();
  check_invariant(right_type,
                  fmt::format("parameter {} is given a value of its own type", spec.key));
  switch (spec.kind) {
    case ParamKind::integer: {
      const std::int64_t number = std::get<std::int64_t>(value);
      check_range(spec, static_cast<double>(number), std::to_string(number));
      check_multiple(spec, number);
      break;
    }
    case ParamKind::real:
      check_range(spec, std::get<double>(value), to_text(value));
      break;
    case ParamKind::choice:
      check_choice(spec, std::get<std::string>(value));
      break;
    case ParamKind::choice_list:
      check_list(spec, std::get<std::vector<std::string>>(value));
      break;
    case ParamKind::number_list:
      check_numbers(spec, std::get<std::vector<double>>(value));
      break;
    case ParamKind::boolean:
    case ParamKind::file:
    case ParamKind::text:
      break;
  }
}

/// Of a condition: as long as there is a value.
const std::vector<std::string> any_value{"*"};

bool is_before(const std::pair<std::size_t, ParamValue>& set, std::size_t place) {
  return set.first < place;
}

}  // namespace

ParamSet::ParamSet(std::vector<ParamSpec> specs) {
  for (const ParamSpec& spec : specs) check(spec, spec.default_value);
  specs_ = std::make_shared<const std::vector<ParamSpec>>(std::move(specs));
}

bool ParamSet::has(std::string_view key) const {
  return std::any_of(specs().begin(), specs().end(),
                     [&](const ParamSpec& spec) { return spec.key == key; });
}

std::size_t ParamSet::index(std::string_view key) const {
  for (std::size_t i = 0; i < specs().size(); ++i)
    if (specs()[i].key == key) return i;
  std::vector<std::string> keys;
  for (const ParamSpec& spec : specs()) {
    if (const std::string remedy = remedy_for(spec.retired_keys, key); !remedy.empty())
      throw UsageError(fmt::format("{}", key), "is no longer a parameter", remedy);
    keys.push_back(spec.key);
  }
  throw UsageError(
      key, "is not a parameter here",
      remedy_for_unknown(key, keys, fmt::format("the parameters are {}", join(keys, ", "))));
}

const ParamSpec& ParamSet::spec(std::string_view key) const { return specs()[index(key)]; }

const ParamSpec* ParamSet::with_role(ParamRole role) const {
  const auto found = std::find_if(specs().begin(), specs().end(),
                                  [&](const ParamSpec& spec) { return spec.role == role; });
  return found == specs().end() ? nullptr : &*found;
}

void ParamSet::set(std::string_view key, std::string_view text) {
  set_value(key, parse(spec(key), text));
}

void ParamSet::set_value(std::string_view key, ParamValue value) {
  const std::size_t i = index(key);
  check(specs()[i], value);
  const auto place = std::lower_bound(set_.begin(), set_.end(), i, is_before);
  if (place != set_.end() && place->first == i)
    place->second = std::move(value);
  else
    set_.emplace(place, i, std::move(value));
}

void ParamSet::reset(std::string_view key) {
  std::erase_if(set_, [i = index(key)](const auto& one) { return one.first == i; });
}

const ParamValue& ParamSet::value_at(std::size_t index) const {
  const auto found = std::lower_bound(set_.begin(), set_.end(), index, is_before);
  return found == set_.end() || found->first != index ? specs()[index].default_value
                                                      : found->second;
}

const ParamValue& ParamSet::value(std::string_view key) const { return value_at(index(key)); }

bool operator==(const ParamSet& a, const ParamSet& b) {
  if (a.specs().size() != b.specs().size()) return false;
  for (std::size_t i = 0; i < a.specs().size(); ++i)
    if (a.value_at(i) != b.value_at(i)) return false;
  return true;
}

bool ParamSet::boolean(std::string_view key) const { return std::get<bool>(value(key)); }

std::int64_t ParamSet::integer(std::string_view key) const {
  return std::get<std::int64_t>(value(key));
}

double ParamSet::real(std::string_view key) const { return std::get<double>(value(key)); }

const std::string& ParamSet::text(std::string_view key) const {
  return std::get<std::string>(value(key));
}

const std::vector<std::string>& ParamSet::list(std::string_view key) const {
  return std::get<std::vector<std::string>>(value(key));
}

const std::vector<double>& ParamSet::numbers(std::string_view key) const {
  return std::get<std::vector<double>>(value(key));
}

std::string ParamSet::to_text(std::string_view key) const { return orrery::to_text(value(key)); }

bool ParamSet::is_default(std::string_view key) const {
  const std::size_t i = index(key);
  return value_at(i) == specs()[i].default_value;
}

bool ParamSet::is_used(std::string_view key) const {
  const std::optional<Condition>& condition = spec(key).used_when;
  if (!condition) return true;
  if (!is_used(condition->key)) return false;
  const ParamValue& deciding = value(condition->key);
  if (condition->any_of == any_value) return !orrery::to_text(deciding).empty();
  const auto meets = [&](std::span<const std::string> present) {
    return std::find_first_of(present.begin(), present.end(), condition->any_of.begin(),
                              condition->any_of.end()) != present.end();
  };
  if (const auto* list = std::get_if<std::vector<std::string>>(&deciding)) return meets(*list);
  if (const auto* text = std::get_if<std::string>(&deciding)) return meets({text, 1});
  const std::string text = orrery::to_text(deciding);
  return meets({&text, 1});
}

bool ParamSet::is_stated(std::string_view key) const {
  if (!is_used(key)) return false;  // as most are of a plan's many points
  const ParamSpec& one = spec(key);
  return !(one.may_be_empty && to_text(key).empty()) && !(one.stated_if_set && is_default(key));
}

void ParamSet::require_all_set_are_used() const {
  for (const auto& [place, value] : set_) {
    const std::string& key = specs()[place].key;
    if (is_used(key)) continue;
    // Of conditions on conditions the first one that does not hold.
    const Condition* unmet = &*spec(key).used_when;
    while (!is_used(unmet->key)) unmet = &*spec(unmet->key).used_when;
    const Condition& condition = *unmet;
    const std::string& other = condition.key;
    const bool wants_none = condition.any_of == std::vector<std::string>{""};
    if (condition.any_of == any_value)
      throw UsageError(fmt::format("{}={}", key, to_text(key)),
                       fmt::format("is read only when {} is given", other),
                       fmt::format("give {} or leave {} out", other, key));
    throw UsageError(
        fmt::format("{}={}", key, to_text(key)),
        wants_none ? fmt::format("is read only when {} is not given, and {}={}", other, other,
                                 to_text(other))
                   : fmt::format("is read only when {} is {}, and {}={}", other,
                                 join(condition.any_of, " or "), other, to_text(other)),
        wants_none
            ? fmt::format("leave {} or {} out", key, other)
            : fmt::format("set {}={} or leave {} out", other, condition.any_of.front(), key));
  }
}

std::vector<std::string> ParamSet::overrides() const {
  std::vector<std::string> words;
  for (const auto& [place, value] : set_)
    if (const ParamSpec& spec = specs()[place]; value != spec.default_value && is_used(spec.key))
      words.push_back(fmt::format("{}={}", spec.key, orrery::to_text(value)));
  return words;
}

std::string number_text(double value) {
  const double size = std::abs(value);
  const bool plain = value == 0 || (size >= 1e-4 && size < 1e7) || !std::isfinite(value);
  if (plain) return fmt::format("{}", value);
  char buffer[32];
  const auto [end, status] =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  check_invariant(status == std::errc(), "32 characters hold any double");
  return std::string(buffer, end);
}

std::string to_text(const ParamValue& value) {
  struct Visitor {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return std::to_string(i); }
    std::string operator()(double d) const { return number_text(d); }
    std::string operator()(const std::string& s) const { return s; }
    std::string operator()(const std::vector<std::string>& l) const { return join(l, "+"); }
    std::string operator()(const std::vector<double>& l) const {
      std::vector<std::string> words(l.size());
      std::transform(l.begin(), l.end(), words.begin(), number_text);
      return join(words, "+");
    }
  };
  return std::visit(Visitor{}, value);
}

}  // namespace orrery
