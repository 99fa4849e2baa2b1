#include "experiments/data/utf8.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <cstdint>

namespace orrery {

// ICU's macros convert between int and unsigned char on purpose.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
char32_t next_character(std::string_view utf8, std::size_t& at) {
  auto i = static_cast<std::int32_t>(at);
  const auto length = static_cast<std::int32_t>(utf8.size());
  UChar32 character{};
  U8_NEXT(utf8.data(), i, length, character);
  at = static_cast<std::size_t>(i);
  return character < 0 ? not_utf8 : static_cast<char32_t>(character);
}
#pragma GCC diagnostic pop

bool is_blank(char32_t character) {
  const auto c = static_cast<UChar32>(character);
  return u_isUWhiteSpace(c) || u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT);
}

}  // namespace orrery
