#pragma once

#include <cstddef>
#include <string_view>

namespace orrery {

/// What next_character returns where the bytes are not UTF-8.
inline constexpr char32_t not_utf8 = 0xFFFFFFFF;

/// The character that begins at byte `at`, which moves behind it; not_utf8 where none does, and
/// then `at` moves behind the bytes that cannot be part of one. Needs at < utf8.size() < 2^31.
char32_t next_character(std::string_view utf8, std::size_t& at);

/// White space, or a character that Unicode says is never seen (zero-width space, soft hyphen).
bool is_blank(char32_t character);

}  // namespace orrery
