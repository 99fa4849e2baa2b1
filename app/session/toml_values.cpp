#include "app/session/toml_values.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <sstream>
#include <utility>
#include <variant>

#include "experiments/files/file.h"
#include "experiments/text/enum_names.h"
#include "experiments/text/model_names.h"

namespace orrery::session {
namespace {

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::toml_formatter{toml::value<std::string>(text),
                              toml::format_flags::allow_unicode_strings};
  return out.str();
}

/// The shortest decimal that reads back as `value`; toml++ would write 0.1 with 17 digits. TOML
/// tells reals from integers by the point or the exponent.
std::string real_text(const double& value) {
  std::string text = number_text(value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

template <class List, class Write>
std::string list_text(const List& list, Write write) {
  std::string text;
  for (const auto& item : list) text += (text.empty() ? "" : ", ") + write(item);
  return "[" + text + "]";
}

std::string read_text(const toml::node& node, std::string_view key) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  throw UsageError(std::string(key), "must be text in quotes",
                   fmt::format("write {} = \"…\"", key));
}

double read_number(const toml::node& node, std::string_view key) {
  const auto number = node.value<double>();
  if (number && std::isfinite(*number)) return *number;
  throw UsageError(std::string(key), "must be a finite number", fmt::format("write {} = 1.0", key));
}

double read_number_in(const toml::node& node, std::string_view key, bool valid(double),
                      const std::string& rule) {
  const double number = read_number(node, key);
  if (valid(number)) return number;
  throw UsageError(fmt::format("{} = {}", key, number), rule, fmt::format("write {} = 1.0", key));
}

template <class Item>
std::vector<Item> read_list(const toml::node& node, std::string_view key,
                            Item read(const toml::node&, std::string_view)) {
  const toml::array* list = node.as_array();
  if (!list)
    throw UsageError(std::string(key), "must be a list", fmt::format("write {} = […]", key));
  std::vector<Item> items;
  for (const toml::node& item : *list) items.push_back(read(item, key));
  return items;
}

std::vector<std::string> read_words(const toml::node& node, std::string_view key) {
  return read_list<std::string>(node, key, read_text);
}

std::vector<double> read_numbers(const toml::node& node, std::string_view key) {
  return read_list<double>(node, key, read_number);
}

Range read_range(const toml::node& node, std::string_view key) {
  const toml::array* list = node.as_array();
  const auto end = [&](std::size_t i) { return list->get(i)->value<double>(); };
  if (list && list->size() == 2 && end(0) && end(1) && *end(0) < *end(1)) return {*end(0), *end(1)};
  throw UsageError(std::string(key), "must be a range, the lower end first",
                   fmt::format("write {} = [0.0, 1.0]", key));
}

std::array<double, 2> read_pair(const toml::node& node, std::string_view key) {
  const std::vector<double> numbers = read_numbers(node, key);
  if (numbers.size() == 2) return {numbers[0], numbers[1]};
  throw UsageError(std::string(key), "must be two numbers",
                   fmt::format("write {} = [0.0, 1.0]", key));
}

/// An enum by its name in the table that every other text uses.
template <class Value>
std::string named_text(const EnumNames<Value>& names, Value value) {
  return quoted(std::string(name_in(names, value)));
}

template <class Value>
Value read_named(const toml::node& node, std::string_view key, const EnumNames<Value>& names,
                 std::string_view kind) {
  return value_named(names, read_text(node, key), kind);
}

const EnumNames<Minification>& minification_names() {
  static const EnumNames<Minification> names{{Minification::mean, "mean"},
                                             {Minification::max, "max"}};
  return names;
}

bool read_flag(const toml::node& node, std::string_view key) {
  if (const auto flag = node.value_exact<bool>()) return *flag;
  throw UsageError(std::string(key), "must be true or false", "write it without quotes");
}

}  // namespace

const TomlCodec<std::string> toml_text{quoted, read_text};

const TomlCodec<bool> toml_flag{
    [](const bool& flag) { return std::string(flag ? "true" : "false"); }, read_flag};

const TomlCodec<double> toml_nonnegative{
    real_text, [](const toml::node& node, std::string_view key) {
      return read_number_in(
          node, key, [](double x) { return x >= 0; }, "must not be negative");
    }};

const TomlCodec<double> toml_positive{real_text, [](const toml::node& node, std::string_view key) {
                                        return read_number_in(
                                            node, key, [](double x) { return x > 0; },
                                            "must be above 0");
                                      }};

const TomlCodec<double> toml_screen_scale{
    real_text, [](const toml::node& node, std::string_view key) {
      return read_number_in(
          node, key, [](double x) { return x >= min_scale && x <= max_scale; },
          fmt::format("must lie in [{}, {}]", min_scale, max_scale));
    }};

const TomlCodec<Range> toml_range{[](const Range& range) {
                                    return list_text(std::array{range.min, range.max}, real_text);
                                  },
                                  read_range};

const TomlCodec<std::vector<double>> toml_numbers{
    [](const std::vector<double>& numbers) { return list_text(numbers, real_text); }, read_numbers};

const TomlCodec<std::array<double, 2>> toml_number_pair{
    [](const std::array<double, 2>& numbers) { return list_text(numbers, real_text); }, read_pair};

const TomlCodec<std::vector<std::string>> toml_words{
    [](const std::vector<std::string>& words) { return list_text(words, quoted); }, read_words};

const TomlCodec<std::set<std::string>> toml_word_set{
    [](const std::set<std::string>& words) { return list_text(words, quoted); },
    [](const toml::node& node, std::string_view key) {
      const std::vector<std::string> words = read_words(node, key);
      return std::set<std::string>(words.begin(), words.end());
    }};

const TomlCodec<Theme> toml_theme{
    [](const Theme& value) { return named_text(theme_names(), value); },
    [](const toml::node& node, std::string_view key) {
      return read_named(node, key, theme_names(), "a theme");
    }};

const TomlCodec<AxisScale> toml_axis_scale{
    [](const AxisScale& value) { return named_text(axis_scale_names(), value); },
    [](const toml::node& node, std::string_view key) {
      return read_named(node, key, axis_scale_names(), "an axis scale");
    }};

const TomlCodec<ViewLayout> toml_layout{
    [](const ViewLayout& value) { return named_text(layout_names(), value); },
    [](const toml::node& node, std::string_view key) {
      return read_named(node, key, layout_names(), "a layout");
    }};

const TomlCodec<Minification> toml_minification{
    [](const Minification& value) { return named_text(minification_names(), value); },
    [](const toml::node& node, std::string_view key) {
      return read_named(node, key, minification_names(), "a way to show cells that share a pixel");
    }};

std::string param_value_text(const ParamValue& value) {
  struct Visitor {
    std::string operator()(bool on) const { return toml_flag.write(on); }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return real_text(number); }
    std::string operator()(const std::string& text) const { return quoted(text); }
    std::string operator()(const std::vector<std::string>& list) const {
      return toml_words.write(list);
    }
    std::string operator()(const std::vector<double>& list) const {
      return quoted(to_text(ParamValue(list)));
    }
  };
  return std::visit(Visitor{}, value);
}

std::string read_param_value(const toml::node& node, std::string_view key) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto number = node.value_exact<double>()) return number_text(*number);
  if (const auto on = node.value_exact<bool>()) return *on ? "true" : "false";
  return to_text(ParamValue(read_words(node, key)));
}

const toml::table& read_table(const toml::node& node, std::string_view key) {
  if (const toml::table* table = node.as_table()) return *table;
  throw UsageError(std::string(key), "must be a section",
                   fmt::format("write [{}] on a line of its own", key));
}

}  // namespace orrery::session
