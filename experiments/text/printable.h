#pragma once

#include <string>
#include <string_view>

#include "experiments/model/layers.h"

namespace orrery::text {

/// The text for a message: cut at 40 characters, with \xNN for bytes that are not UTF-8 or cannot
/// be printed (control characters, marks that change the writing direction).
std::string printable(std::string_view text);

/// printable(text) in single quotes.
std::string in_quotes(std::string_view text);

/// The whole text, with \xNN in place of each control character but line breaks, and of bytes that
/// are not UTF-8: no name or argument clears the screen of whoever reads a message.
std::string without_controls(std::string_view text);

}  // namespace orrery::text
