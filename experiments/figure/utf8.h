#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery {

/// Length in bytes of the UTF-8 character that starts at `position` (1 for a stray byte).
std::size_t character_length(std::string_view utf8, std::size_t position);

/// The text with U+FFFD for every byte that belongs to no character: Cairo refuses a whole string
/// for one of them.
std::string valid_utf8(std::string_view text);

}  // namespace orrery
