#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

/// How deep TOML and JSON from people may be nested: parsers, and what they return, recurse
/// into each level, and a file of 70 KB can have more levels than a stack has room for.
inline constexpr std::size_t most_levels = 64;

/// A place in a text, counted from 1; the column in bytes.
struct TextPlace {
  std::size_t line{1};
  std::size_t column{1};
};

/// Where a JSON text goes deeper than most_levels, each { and [ being a level. Exact up to the
/// first place at which the text is not JSON. Cost: one pass.
std::optional<TextPlace> first_deep_place_in_json(std::string_view text);

/// Where an object's own key stands in its JSON, at its quote; npos without it. Exact up to the first
/// place at which the text is not JSON. Cost: one pass.
std::size_t own_key_in_json(std::string_view text, std::string_view key);

/// What first_deep_place_in_json finds, in TOML, where each part of a dotted key or heading is a level too.
std::optional<TextPlace> first_deep_place_in_toml(std::string_view text);

/// "is nested deeper than 64 levels": the rule that such a text breaks.
std::string too_deep();

}  // namespace orrery
