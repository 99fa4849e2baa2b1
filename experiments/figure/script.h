#pragma once

#include <string>
#include <string_view>

namespace orrery {

/// The text as glyphs stand on the line, left to right: right-to-left runs are turned round and
/// Arabic letters take their joined forms. For sinks that place one glyph a character. Text without
/// such letters is returned as it is; so is text that is not UTF-8.
std::string in_visual_order(std::string_view utf8);

}  // namespace orrery
