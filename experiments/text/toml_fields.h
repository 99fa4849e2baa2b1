#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/params.h"
#include "core/unknown_name.h"
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

// A struct as TOML: each member is named once, for writing and reading.

/// A member of `Struct` that is a line of the text or a section of it.
template <class Struct>
struct TomlField {
  std::string_view key{};
  std::function<void(Struct&, const toml::node&, const Guarded&)> read{};
  /// The value of its line; empty: the line is left out. Null where there is no line.
  std::function<std::string(const Struct&)> line{};
  /// Its sections, under the heading `path`. Null where there are none.
  std::function<std::string(const Struct&, const std::string& path)> sections{};
};

/// In the order in which they are read; lines are written before sections.
template <class Struct>
using TomlFields = std::vector<TomlField<Struct>>;

/// What `codec` reads goes to `set`; nothing is written.
template <class Struct, class Value, class Set>
TomlField<Struct> field_read(std::string_view key, const TomlCodec<Value>& codec, Set set) {
  return {key, [=](Struct& to, const toml::node& node, const Guarded& guarded) {
            guarded(line_of(node), [&] { set(to, codec.read(node, key)); });
          }};
}

/// A line that is left out while the member has its default value.
template <class Struct, class Value>
TomlField<Struct> field(std::string_view key, Value Struct::*member,
                        const TomlCodec<Value>& codec) {
  auto field = field_read<Struct>(key, codec,
                                  [=](Struct& to, Value value) { to.*member = std::move(value); });
  field.line = [=](const Struct& from) {
    return from.*member == Struct{}.*member ? std::string() : codec.write(from.*member);
  };
  return field;
}

/// A line that is left out while the member is empty.
template <class Struct, class Value>
TomlField<Struct> field(std::string_view key, std::optional<Value> Struct::*member,
                        const TomlCodec<Value>& codec) {
  auto field = field_read<Struct>(key, codec,
                                  [=](Struct& to, Value value) { to.*member = std::move(value); });
  field.line = [=](const Struct& from) {
    return from.*member ? codec.write(*(from.*member)) : std::string();
  };
  return field;
}

/// A line that is always there.
template <class Struct, class Value>
TomlField<Struct> fixed_field(std::string_view key, Value Struct::*member,
                              const TomlCodec<Value>& codec) {
  TomlField<Struct> fixed = field(key, member, codec);
  fixed.line = [=](const Struct& from) { return codec.write(from.*member); };
  return fixed;
}

/// A line of older files, which is read over.
template <class Struct>
TomlField<Struct> obsolete_field(std::string_view key) {
  return {key, [](Struct&, const toml::node&, const Guarded&) {}};
}

/// A field of the struct that is `member` of another.
template <class Outer, class Inner>
TomlField<Outer> field_within(Inner Outer::*member, const TomlField<Inner>& inner) {
  TomlField<Outer> field{inner.key, [=](Outer& to, const toml::node& node, const Guarded& guarded) {
                           inner.read(to.*member, node, guarded);
                         }};
  if (inner.line) field.line = [=](const Outer& from) { return inner.line(from.*member); };
  if (inner.sections)
    field.sections = [=](const Outer& from, const std::string& path) {
      return inner.sections(from.*member, path);
    };
  return field;
}

/// "[path]" and its lines; empty without lines.
inline std::string section_text(const std::string& path, const std::string& lines) {
  return lines.empty() || path.empty() ? lines : "\n[" + path + "]\n" + lines;
}

/// The lines and sections of all fields that are written, under a heading or, without one, at the
/// top of the text.
template <class Struct>
std::string write_fields(const Struct& from, const TomlFields<Struct>& fields,
                         const std::string& path = {}) {
  std::string lines, sections;
  for (const TomlField<Struct>& field : fields) {
    const std::string key(field.key), value = field.line ? field.line(from) : std::string();
    if (!value.empty()) lines += key + " = " + value + "\n";
    if (field.sections) sections += field.sections(from, path.empty() ? key : path + "." + key);
  }
  return section_text(path, lines) + sections;
}

/// Reads what the table holds, each entry under the guard. An entry that is none of the fields is
/// an error that names the nearest one.
/// @param kind  of the keys, with its article: "a key of a card"
template <class Struct>
void read_fields(Struct& to, const TomlFields<Struct>& fields, const toml::table& table,
                 std::string_view kind, const Guarded& guarded) {
  std::vector<std::string> keys;
  for (const TomlField<Struct>& field : fields) keys.emplace_back(field.key);
  for (const auto& [key, node] : entries_in(table))
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      guarded(line_of(*node), [&, &k = key] { throw_unknown_name(k, kind, keys); });
  for (const TomlField<Struct>& field : fields)
    if (const toml::node* node = table.get(field.key)) field.read(to, *node, guarded);
}

/// Reads the section [path]. Returns whether it is one.
template <class Struct>
bool read_section(Struct& to, const TomlFields<Struct>& fields, const toml::node& node,
                  const std::string& path, const Guarded& guarded) {
  const toml::table* table = section_in(node, path, guarded);
  if (table) read_fields(to, fields, *table, "a key of [" + path + "]", guarded);
  return table;
}

/// A member that is a section of its own.
template <class Struct, class Value>
TomlField<Struct> section_field(std::string_view key, Value Struct::*member,
                                const TomlFields<Value>& fields) {
  return {.key = key,
          .read =
              [=, &fields](Struct& to, const toml::node& node, const Guarded& guarded) {
                read_section(to.*member, fields, node, std::string(key), guarded);
              },
          .sections =
              [=, &fields](const Struct& from, const std::string& path) {
                return write_fields(from.*member, fields, path);
              }};
}

/// A member that has a section per id: [key."ID"].
template <class Struct, class Value>
TomlField<Struct> section_field(std::string_view key, std::map<std::string, Value> Struct::*member,
                                const TomlFields<Value>& fields) {
  return {.key = key,
          .read =
              [=, &fields](Struct& to, const toml::node& node, const Guarded& guarded) {
                const toml::table* table = section_in(node, key, guarded);
                if (!table) return;
                for (const auto& [id, entry] : entries_in(*table)) {
                  Value value;
                  if (read_section(value, fields, *entry, std::string(key) + "." + id, guarded))
                    (to.*member)[id] = std::move(value);
                }
              },
          .sections =
              [=, &fields](const Struct& from, const std::string& path) {
                std::string text;
                for (const auto& [id, value] : from.*member)
                  text += write_fields(value, fields, path + "." + toml_text().write(id));
                return text;
              }};
}

/// The section of the parameters that differ from their defaults.
template <class Struct>
TomlField<Struct> params_field(std::string_view key, ParamSet Struct::*member) {
  return {.key = key,
          .read =
              [=](Struct& to, const toml::node& node, const Guarded& guarded) {
                for_each_param(node, key, guarded,
                               [&](const std::string& name, const toml::node& value) {
                                 (to.*member).set(name, param_text_in(value, name));
                               });
              },
          .sections =
              [=](const Struct& from, const std::string& path) {
                return section_text(path, write_params(from.*member));
              }};
}

}  // namespace orrery
