#pragma once

#include <string>
#include <string_view>

namespace orrery {

/// The text as glyphs stand on the line, left to right: right-to-left runs are turned round, Arabic
/// letters take their joined forms, and vowel marks stand before the letter that they are set on,
/// as DejaVu Sans wants them. For sinks that place one glyph a character; two marks on one letter
/// may touch there. Lines are turned one by one. Text without such letters is returned as it is; in
/// other text, bytes that are not UTF-8 become U+FFFD.
std::string in_visual_order(std::string_view utf8);

}  // namespace orrery
