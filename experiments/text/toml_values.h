#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/params.h"
#include "experiments/model/figure.h"
#include "experiments/text/enum_names.h"
#include "experiments/text/guarded.h"
#include "experiments/text/parse_toml.h"

namespace orrery {

/// Writes the values of one type as TOML, and reads them. read() throws UsageError naming `key` when
/// the node does not hold such a value.
template <class Value>
struct TomlCodec {
  std::function<std::string(const Value&)> write{};
  std::function<Value(const toml::node&, std::string_view key)> read{};
};

TomlCodec<std::string> toml_text();
TomlCodec<bool> toml_flag();
/// Finite numbers.
TomlCodec<double> toml_number();
/// @param rule  that valid numbers keep: "must be above 0"
TomlCodec<double> toml_number(bool valid(double), const std::string& rule);
TomlCodec<std::array<double, 2>> toml_number_pair();
/// Two finite numbers, the lower one first.
TomlCodec<Range> toml_range();

/// Throws UsageError for what is not a whole number in [min, max].
std::int64_t whole_number_in(const toml::node& node, std::string_view key, std::int64_t min,
                             std::int64_t max);
const toml::array& list_in(const toml::node& node, std::string_view key);
int line_of(const toml::node& node);
/// Null when the guard has taken the error of a node that is no section.
const toml::table* section_in(const toml::node& node, std::string_view key, const Guarded& guarded);

template <class Integer>
TomlCodec<Integer> toml_whole_number(Integer min, Integer max) {
  return {[](const Integer& value) { return std::to_string(value); },
          [=](const toml::node& node, std::string_view key) {
            return static_cast<Integer>(whole_number_in(node, key, static_cast<std::int64_t>(min),
                                                        static_cast<std::int64_t>(max)));
          }};
}

/// A list or a set of what `item` reads.
template <class List>
TomlCodec<List> toml_list(const TomlCodec<typename List::value_type>& item) {
  return {[=](const List& list) {
            std::string text;
            for (const auto& one : list) text += (text.empty() ? "" : ", ") + item.write(one);
            return "[" + text + "]";
          },
          [=](const toml::node& node, std::string_view key) {
            List list;
            for (const toml::node& one : list_in(node, key))
              list.insert(list.end(), item.read(one, key));
            return list;
          }};
}

inline TomlCodec<std::vector<std::string>> toml_words() {
  return toml_list<std::vector<std::string>>(toml_text());
}

/// The value of an enum, by its name.
/// @param kind  with its article: "a theme"
template <class Value>
TomlCodec<Value> toml_name(const EnumNames<Value>& names, std::string_view kind) {
  return {[=](const Value& value) { return toml_text().write(std::string(name_in(names, value))); },
          [=](const toml::node& node, std::string_view key) {
            return value_named(names, toml_text().read(node, key), kind);
          }};
}

/// The entries of a section in the order of the text, as toml++ sorts keys.
std::vector<std::pair<std::string, const toml::node*>> entries_in(const toml::table& table);

/// One word, number or flag as ParamSet::set reads it. Throws UsageError.
std::string scalar_text_in(const toml::node& node, std::string_view key);
/// The same of a list too, whose items are joined: "rope+alibi". Throws UsageError.
std::string param_text_in(const toml::node& node, std::string_view key);
/// Takes each entry of [params] under the guard. To TOML, rope.scaling = "yarn" is an entry of a
/// section "rope"; here its key is "rope.scaling".
void for_each_param(const toml::node& node, std::string_view name, const Guarded& guarded,
                    const std::function<void(const std::string& key, const toml::node&)>& take);
/// The lines of the parameters that differ from their defaults.
std::string write_params(const ParamSet& params);

}  // namespace orrery
