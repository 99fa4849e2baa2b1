#include "experiments/data/text_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "core/errors.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";

struct ForeignMark {
  std::string_view bytes;
  std::string_view shown;
  std::string_view encoding;
};

// UTF-32 comes first because its little-endian mark begins with the one of UTF-16.
constexpr ForeignMark foreign_marks[] = {
    {{"\xFF\xFE\0\0", 4}, "FF FE 00 00", "UTF-32"},
    {{"\0\0\xFE\xFF", 4}, "00 00 FE FF", "UTF-32"},
    {{"\xFF\xFE", 2}, "FF FE", "UTF-16"},
    {{"\xFE\xFF", 2}, "FE FF", "UTF-16"},
};

void refuse_foreign_marks(std::string_view bytes, const std::string& name) {
  for (const ForeignMark& mark : foreign_marks)
    if (bytes.starts_with(mark.bytes))
      throw DataError(name,
                      fmt::format("is {} (it begins with the byte order mark {}), and texts are "
                                  "read as UTF-8",
                                  mark.encoding, mark.shown),
                      fmt::format("convert it with iconv -f {} -t UTF-8", mark.encoding));
}

void refuse_binary(std::string_view bytes, const std::string& name) {
  const std::size_t at = bytes.find('\0');
  if (at == std::string_view::npos) return;
  throw DataError(name, fmt::format("looks like a binary file (NUL at byte offset {})", at),
                  "give a plain text in UTF-8");
}

void refuse_too_long(std::string_view bytes, const std::string& name) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  if (bytes.size() > most)
    throw DataError(name, fmt::format("is longer than {} bytes", most), "give a smaller file");
}

DataError malformed(std::string_view bytes, std::size_t at, const std::string& name) {
  return DataError(name,
                   fmt::format("is not valid UTF-8 (byte 0x{:02X} at byte offset {})",
                               static_cast<unsigned char>(bytes[at]), at),
                   "convert it, for example with iconv -f WINDOWS-1252 -t UTF-8");
}

/// Whether there is a visible character; throws when the bytes are not UTF-8.
bool has_visible_text(std::string_view bytes, std::size_t from, const std::string& name) {
  bool visible = false;
  for (std::size_t at = from; at < bytes.size();) {
    const std::size_t start = at;
    const char32_t character = next_character(bytes, at);
    if (character == not_utf8) throw malformed(bytes, start, name);
    visible = visible || !is_blank(character);
  }
  return visible;
}

}  // namespace

Text parse_text(std::string bytes, std::string name) {
  refuse_foreign_marks(bytes, name);
  refuse_binary(bytes, name);
  refuse_too_long(bytes, name);
  const std::size_t mark = bytes.starts_with(utf8_mark) ? utf8_mark.size() : 0;
  if (!has_visible_text(bytes, mark, name))
    throw DataError(name, bytes.size() == mark ? "is empty" : "holds only white space",
                    "give a text with at least one word");
  bytes.erase(0, mark);
  return Text{.name = std::move(name), .utf8 = std::move(bytes)};
}

}  // namespace orrery
