#include "experiments/text/toml_fields.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <variant>

#include "experiments/text/printable.h"

namespace orrery {
namespace {

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::toml_formatter{toml::value<std::string>(text),
                              toml::format_flags::allow_unicode_strings};
  return out.str();
}

/// The shortest decimal that reads back as `value`; toml++ would write 0.1 with 17 digits. TOML
/// tells reals from integers by the point or the exponent.
std::string real_text(double value) {
  std::string text = number_text(value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string pair_text(double first, double second) {
  return fmt::format("[{}, {}]", real_text(first), real_text(second));
}

std::optional<double> finite_in(const toml::node& node) {
  std::optional<double> number = node.value_exact<double>();
  if (const auto whole = node.value_exact<std::int64_t>()) number = static_cast<double>(*whole);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::array<double, 2>> two_in(const toml::node& node) {
  const toml::array* list = node.as_array();
  if (!list || list->size() != 2) return std::nullopt;
  const auto first = finite_in(*list->get(0)), second = finite_in(*list->get(1));
  if (!first || !second) return std::nullopt;
  return std::array{*first, *second};
}

std::string param_toml(const ParamValue& value) {
  struct Visitor {
    std::string operator()(bool on) const { return toml_flag().write(on); }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return real_text(number); }
    std::string operator()(const std::string& text) const { return quoted(text); }
    std::string operator()(const std::vector<std::string>& list) const {
      return toml_words().write(list);
    }
    std::string operator()(const std::vector<double>& list) const {
      return quoted(to_text(ParamValue(list)));
    }
  };
  return std::visit(Visitor{}, value);
}

}  // namespace

TomlFault::TomlFault(std::string_view name, TextPlace place, std::string_view rule,
                     std::string_view remedy)
    : DataError(fmt::format("{}, line {}, column {}", name, place.line, place.column), rule,
                remedy),
      line_(static_cast<int>(place.line)) {}

toml::table parse_toml(std::string_view text, std::string_view name) try {
  if (text.size() > most_toml_bytes)
    throw TomlFault(name, {}, fmt::format("is longer than the limit of {} bytes", most_toml_bytes),
                    "write fewer values");
  if (const auto place = first_deep_place_in_toml(text))
    throw TomlFault(name, *place, too_deep(),
                    "write shorter keys, and fewer brackets within brackets");
  return toml::parse(text);
} catch (const toml::parse_error& error) {
  const toml::source_position at = error.source().begin;
  throw TomlFault(name, {.line = at.line, .column = at.column},
                  fmt::format("is not TOML ({})", without_controls(error.description())),
                  "write lines like dim = 128, and text in quotes");
}

TomlCodec<std::string> toml_text() {
  return {quoted, [](const toml::node& node, std::string_view key) {
            if (const auto text = node.value_exact<std::string>()) return *text;
            throw UsageError(key, "must be text in quotes", fmt::format("write {} = \"…\"", key));
          }};
}

TomlCodec<bool> toml_flag() {
  return {[](bool on) { return std::string(on ? "true" : "false"); },
          [](const toml::node& node, std::string_view key) {
            if (const auto flag = node.value_exact<bool>()) return *flag;
            throw UsageError(key, "must be true or false", "write it without quotes");
          }};
}

TomlCodec<double> toml_number() {
  return {real_text, [](const toml::node& node, std::string_view key) {
            if (const auto number = finite_in(node)) return *number;
            throw UsageError(key, "must be a finite number", fmt::format("write {} = 1.0", key));
          }};
}

TomlCodec<double> toml_number(bool valid(double), const std::string& rule) {
  return {real_text, [=](const toml::node& node, std::string_view key) {
            const double number = toml_number().read(node, key);
            if (valid(number)) return number;
            throw UsageError(fmt::format("{} = {}", key, number), rule,
                             fmt::format("write {} = 1.0", key));
          }};
}

TomlCodec<std::array<double, 2>> toml_number_pair() {
  return {[](const std::array<double, 2>& pair) { return pair_text(pair[0], pair[1]); },
          [](const toml::node& node, std::string_view key) {
            if (const auto pair = two_in(node)) return *pair;
            throw UsageError(key, "must be two numbers", fmt::format("write {} = [0.0, 1.0]", key));
          }};
}

TomlCodec<Range> toml_range() {
  return {[](const Range& range) { return pair_text(range.min, range.max); },
          [](const toml::node& node, std::string_view key) {
            const auto ends = two_in(node);
            if (ends && (*ends)[0] < (*ends)[1]) return Range{(*ends)[0], (*ends)[1]};
            throw UsageError(key, "must be a range, the lower end first",
                             fmt::format("write {} = [0.0, 1.0]", key));
          }};
}

std::int64_t whole_number_in(const toml::node& node, std::string_view key, std::int64_t min,
                             std::int64_t max) {
  const auto value = node.value_exact<std::int64_t>();
  if (value && *value >= min && *value <= max) return *value;
  throw UsageError(key, fmt::format("must be a whole number from {} to {}", min, max),
                   fmt::format("write {} = {}", key, min));
}

const toml::array& list_in(const toml::node& node, std::string_view key) {
  if (const toml::array* list = node.as_array()) return *list;
  throw UsageError(key, "must be a list", fmt::format("write {} = […]", key));
}

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

const toml::table* section_in(const toml::node& node, std::string_view key,
                              const Guarded& guarded) {
  if (!node.is_table())
    guarded(line_of(node), [&] {
      throw UsageError(key, "must be a section",
                       fmt::format("write [{}] on a line of its own", key));
    });
  return node.as_table();
}

std::vector<std::pair<std::string, const toml::node*>> entries_in(const toml::table& table) {
  std::vector<std::pair<std::string, const toml::node*>> entries;
  for (const auto& [key, node] : table) entries.emplace_back(std::string(key.str()), &node);
  const auto place = [](const auto& entry) {
    const toml::source_position at = entry.second->source().begin;
    return std::pair(at.line, at.column);
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return entries;
}

std::string scalar_text_in(const toml::node& node, std::string_view key) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto whole = node.value_exact<std::int64_t>()) return std::to_string(*whole);
  if (const auto real = node.value_exact<double>()) return number_text(*real);
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  throw UsageError(key, "is neither text, a number, true nor false", "write one of these");
}

std::string param_text_in(const toml::node& node, std::string_view key) {
  const toml::array* list = node.as_array();
  if (!list) return scalar_text_in(node, key);
  std::vector<std::string> items;
  for (const toml::node& item : *list) items.push_back(scalar_text_in(item, key));
  return fmt::format("{}", fmt::join(items, "+"));
}

void for_each_param(const toml::node& node, std::string_view name, const Guarded& guarded,
                    const std::function<void(const std::string& key, const toml::node&)>& take) {
  const std::function<void(const toml::table&, const std::string&)> take_all =
      [&](const toml::table& table, const std::string& before) {
        for (const auto& [key, entry] : entries_in(table)) {
          const std::string whole = before + key;
          if (const toml::table* inner = entry->as_table())
            take_all(*inner, whole + ".");
          else
            guarded(line_of(*entry), [&, &e = *entry] { take(whole, e); });
        }
      };
  if (const toml::table* table = section_in(node, name, guarded)) take_all(*table, "");
}

std::string write_params(const ParamSet& params) {
  std::string text;
  for (const ParamSpec& spec : params.specs())
    if (!params.is_default(spec.key))
      text += fmt::format("{} = {}\n", spec.key, param_toml(params.value(spec.key)));
  return text;
}

}  // namespace orrery
