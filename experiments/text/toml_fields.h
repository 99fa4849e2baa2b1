#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/unknown_name.h"
#include "experiments/text/toml_values.h"

namespace orrery {

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
