#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

// Letters that Unicode has as sub- or superscripts: "ₘ", "ᵀ".

enum class Script { below, above };

/// Every character in its script form; empty when one of them has none.
std::optional<std::string> as_script(std::string_view text, Script where);

struct ScriptLetter {
  std::string_view plain{};  ///< "m"
  Script where{};
};

/// The letter that a character is the script form of, if it is one.
std::optional<ScriptLetter> script_letter(std::string_view character);

}  // namespace orrery
