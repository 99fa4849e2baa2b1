#include "experiments/text/parse_toml.h"

#include <fmt/format.h>

#include "experiments/text/printable.h"

namespace orrery::text {

toml::table parse_toml(std::string_view text) try {
  if (text.size() > most_toml_bytes)
    throw TomlFault({}, fmt::format("is longer than the limit of {} bytes", most_toml_bytes),
                    "write fewer values");
  if (const auto place = first_deep_place_in_toml(text))
    throw TomlFault(*place, too_deep(), "write shorter keys, and fewer brackets within brackets");
  return toml::parse(text);
} catch (const toml::parse_error& error) {
  const toml::source_position at = error.source().begin;
  throw TomlFault({.line = at.line, .column = at.column},
                  fmt::format("is not TOML ({})", without_controls(error.description())),
                  "correct that line");
}

}  // namespace orrery::text
