#include "experiments/text/parse_toml.h"

#include <fmt/format.h>

#include "experiments/text/printable.h"

namespace orrery {

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

}  // namespace orrery
