#pragma once

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "experiments/text/nesting.h"

namespace orrery::text {

/// The longest TOML that is read: sweep files, presets, lessons' states, cards and sessions.
inline constexpr std::size_t most_toml_bytes = std::size_t{4} << 20;

/// A text that is not read as TOML. what() is the rule that it breaks, "is not TOML (…)" or "is
/// nested deeper than 64 levels"; its reader names the file and throws one of the project's errors.
class TomlFault : public std::runtime_error {
 public:
  TomlFault(TextPlace place, const std::string& rule, std::string_view remedy)
      : std::runtime_error(rule), place_(place), remedy_(remedy) {}

  TextPlace place() const { return place_; }
  const std::string& remedy() const { return remedy_; }

 private:
  TextPlace place_;
  std::string remedy_;
};

/// Reads TOML from people, of most_toml_bytes and most_levels at most. Throws TomlFault.
toml::table parse_toml(std::string_view text);

}  // namespace orrery::text
