#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery {

// UTF-8 by ICU's rules. Texts are shorter than 2^31 bytes.

/// Returned by next_character where the bytes are not UTF-8.
inline constexpr char32_t not_utf8 = 0xFFFFFFFF;
/// U+FFFD, shown in place of bytes that are not UTF-8.
inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

/// The character that begins at byte `at`, which then moves to the next one. Where no character
/// begins, returns not_utf8 and moves `at` past the bytes that cannot be part of one. Needs
/// at < utf8.size().
char32_t next_character(std::string_view utf8, std::size_t& at);

/// Length in bytes of the character that begins at byte `at`, or of the bytes there that cannot be
/// part of one. Needs at < utf8.size().
std::size_t character_length(std::string_view utf8, std::size_t at);

bool is_utf8(std::string_view text);

/// The UTF-8 of one Unicode character.
std::string utf8_of(char32_t character);

/// The text with U+FFFD for every null byte, every byte that is not part of a character and every
/// noncharacter (U+FDD0 … U+FDEF, and the last two of each plane, such as U+FFFE): Cairo refuses a
/// whole string for one of them.
std::string drawable_utf8(std::string_view text);

/// White space, or a character that Unicode defines as invisible (zero-width space, soft hyphen).
bool is_blank(char32_t character);

/// Text for the content or an attribute of an XML or HTML element: & < > " are escaped, and what
/// XML cannot contain (control characters, noncharacters, bytes that are not UTF-8) becomes U+FFFD.
std::string xml_escaped(std::string_view text);

}  // namespace orrery
