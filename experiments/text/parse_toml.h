#pragma once

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <string_view>

#include "core/errors.h"
#include "experiments/text/nesting.h"

namespace orrery {

/// The longest TOML that is read: sweep files, presets, lessons' states, cards and sessions.
inline constexpr std::size_t most_toml_bytes = std::size_t{4} << 20;

/// A text that is not read as TOML: "NAME, line 2, column 5: is not TOML (…)" or "… is nested deeper
/// than 64 levels".
class TomlFault : public DataError {
 public:
  TomlFault(std::string_view name, TextPlace place, std::string_view rule, std::string_view remedy);

  int line() const { return line_; }

 private:
  int line_;
};

/// Reads TOML from people, of most_toml_bytes and most_levels at most. Throws TomlFault.
/// @param name  of the text in messages: "sweep.toml"
toml::table parse_toml(std::string_view text, std::string_view name);

}  // namespace orrery
