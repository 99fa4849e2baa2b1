#pragma once

#include <string>
#include <string_view>

namespace orrery {

/// A regular expression of Oniguruma, as tokenizer.json holds them, in the syntax of ICU.
///
/// White space (\s) is Unicode's White_Space, which ICU's lacks two of; \w, \h, \v and \b mean
/// Oniguruma's; {n,m}+ repeats there and is possessive in ICU; ^ and $ are those of lines that end
/// with \n, for which ICU has flags (Regex sets them).
///
/// Throws DataError, naming `name`: an escape or a group that no known tokenizer uses, such as \K,
/// (?~…) or options other than i; too long; nested deeper than most_levels.
std::string icu_pattern(std::string_view oniguruma, std::string_view name);

/// A pattern that matches a text itself.
std::string literal_pattern(std::string_view text);

}  // namespace orrery
