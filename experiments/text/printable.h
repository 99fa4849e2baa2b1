#pragma once

#include <string>
#include <string_view>

namespace orrery {

// What a terminal would obey, or a reader would not see as it is, is shown escaped: control
// characters (C0, DEL, C1), marks that change the writing direction (U+202A to U+202E, U+2066 to
// U+2069), line and paragraph separators, what Unicode does not assign, and bytes that are not
// UTF-8. ASCII and stray bytes are \xNN, others \uNNNN as JSON writes them, so that escaped JSON is
// the same JSON.

/// The text for a message: cut at 40 characters, and escaped.
std::string printable(std::string_view text);

/// printable(text) in single quotes.
std::string in_quotes(std::string_view text);

/// The whole text, escaped but for its line breaks: no name or argument clears the screen of
/// whoever reads it. Twice is as once.
std::string without_controls(std::string_view text);

/// The same with \x0a for line breaks: what stands in a comment ends with its line.
std::string in_one_line(std::string_view text);

}  // namespace orrery
