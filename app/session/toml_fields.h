#pragma once

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/toml_values.h"

namespace orrery::session {

/// A member of `Struct` that is one line of the text, with both directions.
template <class Struct>
struct TomlField {
  std::string_view key{};
  /// The value as TOML; empty when the line is left out.
  std::function<std::optional<std::string>(const Struct&)> write{};
  std::function<void(Struct&, const toml::node&)> read{};
};

template <class Struct>
using TomlFields = std::vector<TomlField<Struct>>;

/// A line that is left out while the member has its default value.
template <class Struct, class Value>
TomlField<Struct> field(std::string_view key, Value Struct::*member,
                        const TomlCodec<Value>& codec) {
  return {key,
          [=](const Struct& from) -> std::optional<std::string> {
            if (from.*member == Struct{}.*member) return std::nullopt;
            return codec.write(from.*member);
          },
          [=](Struct& to, const toml::node& node) { to.*member = codec.read(node, key); }};
}

/// A line that is left out while the member is empty.
template <class Struct, class Value>
TomlField<Struct> field(std::string_view key, std::optional<Value> Struct::*member,
                        const TomlCodec<Value>& codec) {
  return {key,
          [=](const Struct& from) -> std::optional<std::string> {
            if (!(from.*member)) return std::nullopt;
            return codec.write(*(from.*member));
          },
          [=](Struct& to, const toml::node& node) { to.*member = codec.read(node, key); }};
}

/// A line that is always there.
template <class Struct, class Value>
TomlField<Struct> fixed_field(std::string_view key, Value Struct::*member,
                              const TomlCodec<Value>& codec) {
  TomlField<Struct> fixed = field(key, member, codec);
  fixed.write = [=](const Struct& from) { return codec.write(from.*member); };
  return fixed;
}

/// A line of older files, which is read over.
template <class Struct>
TomlField<Struct> obsolete_field(std::string_view key) {
  return {key, [](const Struct&) { return std::nullopt; }, [](Struct&, const toml::node&) {}};
}

/// A field of the struct that is `member` of another.
template <class Outer, class Inner>
TomlField<Outer> field_within(Inner Outer::*member, TomlField<Inner> field) {
  return {field.key, [=](const Outer& from) { return field.write(from.*member); },
          [=](Outer& to, const toml::node& node) { field.read(to.*member, node); }};
}

/// The lines of all fields that are written.
template <class Struct>
std::string write_fields(const Struct& from, const TomlFields<Struct>& fields) {
  std::string text;
  for (const TomlField<Struct>& field : fields)
    if (const std::optional<std::string> value = field.write(from))
      text += fmt::format("{} = {}\n", field.key, *value);
  return text;
}

/// Reads the field of that key. Returns whether there is one.
template <class Struct>
bool read_field(Struct& to, const TomlFields<Struct>& fields, std::string_view key,
                const toml::node& node) {
  for (const TomlField<Struct>& field : fields) {
    if (field.key != key) continue;
    field.read(to, node);
    return true;
  }
  return false;
}

/// "x, y, color".
template <class Struct>
std::string field_names(const TomlFields<Struct>& fields) {
  std::string names;
  for (const TomlField<Struct>& field : fields)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", field.key);
  return names;
}

}  // namespace orrery::session
