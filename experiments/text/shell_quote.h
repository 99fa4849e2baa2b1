#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// The word as a POSIX shell reads it back; in single quotes only where it needs them. A word with
/// line breaks or with what a terminal would obey is $'…' (POSIX.1-2024; bash, zsh, ksh, and not
/// older versions of dash), so that every word is one line of printable text.
std::string shell_quoted(std::string_view word);

/// The words, each quoted as needed, separated by spaces.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace orrery
