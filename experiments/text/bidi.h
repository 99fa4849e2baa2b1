#pragma once

#include <string>
#include <string_view>

namespace orrery {

/// The text in the order in which glyphs appear on a line, left to right: right-to-left runs are
/// reversed, Arabic letters take their joined forms, and vowel marks precede their letter, as
/// DejaVu Sans expects. For sinks that place one glyph per character; two marks on one letter may
/// touch there. Each line is reordered by itself. Text without such letters is returned unchanged;
/// in other text, bytes that are not UTF-8 become U+FFFD.
std::string in_visual_order(std::string_view utf8);

}  // namespace orrery
