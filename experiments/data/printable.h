#pragma once

#include <string>
#include <string_view>

namespace orrery {

/// The text as a message shows it: cut at 40 characters, with \xNN for the bytes of what is not
/// UTF-8 or cannot be printed (controls, marks that turn the direction of writing).
std::string printable(std::string_view text);

/// printable(text) in single quotes.
std::string in_quotes(std::string_view text);

}  // namespace orrery
