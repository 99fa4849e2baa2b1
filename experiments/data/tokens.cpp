#include "experiments/data/tokens.h"

#include <fmt/format.h>
#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
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

DataError malformed(std::string_view bytes, std::size_t at, const std::string& name) {
  return DataError(name,
                   fmt::format("is not valid UTF-8 (byte 0x{:02X} at byte offset {})",
                               static_cast<unsigned char>(bytes[at]), at),
                   "convert it, for example with iconv -f WINDOWS-1252 -t UTF-8");
}

void require_utf8(std::string_view bytes, std::size_t from, const std::string& name) {
  for (std::size_t at = from; at < bytes.size();) {
    const std::size_t start = at;
    if (next_character(bytes, at) == not_utf8) throw malformed(bytes, start, name);
  }
}

using TextHandle = std::unique_ptr<UText, decltype(&utext_close)>;

TextHandle open_utf8(const std::string& utf8) {
  UErrorCode status = U_ZERO_ERROR;
  UText* text =
      utext_openUTF8(nullptr, utf8.data(), static_cast<std::int64_t>(utf8.size()), &status);
  check_invariant(U_SUCCESS(status), "ICU opens any UTF-8 text");
  return TextHandle(text, &utext_close);
}

std::unique_ptr<icu::BreakIterator> word_boundaries(UText& text) {
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<icu::BreakIterator> boundaries(
      icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
  if (U_FAILURE(status))
    throw IoError("word boundaries", fmt::format("ICU cannot load them ({})", u_errorName(status)),
                  "reinstall ICU, or take bytes as tokens");
  boundaries->setText(&text, status);
  check_invariant(U_SUCCESS(status), "ICU finds boundaries in any UTF-8 text");
  return boundaries;
}

bool is_blank_word(std::string_view word) {
  for (std::size_t at = 0; at < word.size();)
    if (!is_blank(next_character(word, at))) return false;
  return true;
}

/// The label of a longer word ends after most_label_characters − 1 of its characters, in "…".
constexpr std::size_t most_label_characters = 64;

/// Control characters are named; marks that would change the writing direction around them are left
/// out.
std::string word_label(std::string_view word) {
  std::string label;
  std::size_t characters = 0;
  std::size_t before_last = 0;  // bytes of the label without its last character
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t start = at;
    const char32_t character = next_character(word, at);
    const auto c = static_cast<UChar32>(character);
    if (u_hasBinaryProperty(c, UCHAR_BIDI_CONTROL)) continue;
    if (characters == most_label_characters) return label.substr(0, before_last) + "…";
    ++characters;
    before_last = label.size();
    if (u_charType(c) == U_CONTROL_CHAR)
      label += fmt::format("U+{:04X}", static_cast<std::uint32_t>(character));
    else
      label += word.substr(start, at - start);
  }
  return label;
}

std::string byte_label(char byte) {
  switch (byte) {
    case ' ':
      return "␣";
    case '\n':
      return "↵";
    case '\t':
      return "⇥";
    default:
      break;
  }
  const bool printable = byte > ' ' && byte <= '~';
  return printable ? std::string(1, byte)
                   : fmt::format("0x{:02X}", static_cast<unsigned char>(byte));
}

/// Calls `take` with each of the first max_tokens words. Returns how many there were.
template <class Take>
std::size_t for_each_word(const std::string& utf8, std::size_t max_tokens, const Take& take) {
  const TextHandle text = open_utf8(utf8);
  const std::unique_ptr<icu::BreakIterator> boundaries = word_boundaries(*text);
  std::int32_t start = boundaries->first();
  std::size_t count = 0;
  while (count < max_tokens) {
    const std::int32_t end = boundaries->next();
    if (end == icu::BreakIterator::DONE) break;
    const std::string_view word(utf8.data() + start, static_cast<std::size_t>(end - start));
    start = end;
    if (is_blank_word(word)) continue;
    take(word);
    ++count;
  }
  return count;
}

Tokens words_of(const std::string& utf8, std::size_t max_tokens) {
  Tokens tokens;
  for_each_word(utf8, max_tokens, [&](std::string_view word) {
    tokens.labels.push_back(word_label(word));
    tokens.types.emplace_back(word);
  });
  return tokens;
}

Tokens bytes_of(const std::string& utf8, std::size_t max_tokens) {
  Tokens tokens;
  for (const char byte : std::string_view(utf8).substr(0, max_tokens)) {
    tokens.labels.push_back(byte_label(byte));
    tokens.types.emplace_back(1, byte);
  }
  return tokens;
}

}  // namespace

Text parse_text(std::string bytes, std::string name) {
  for (const ForeignMark& mark : foreign_marks)
    if (bytes.starts_with(mark.bytes))
      throw DataError(name,
                      fmt::format("is {} (it begins with the byte order mark {}), and texts are "
                                  "read as UTF-8",
                                  mark.encoding, mark.shown),
                      fmt::format("convert it with iconv -f {} -t UTF-8", mark.encoding));
  if (const std::size_t at = bytes.find('\0'); at != std::string::npos)
    throw DataError(name, fmt::format("looks like a binary file (NUL at byte offset {})", at),
                    "give a plain text in UTF-8");
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max());
  if (bytes.size() > most)
    throw DataError(name, fmt::format("is longer than {} bytes", most), "give a smaller file");
  const std::size_t mark = bytes.starts_with(utf8_mark) ? utf8_mark.size() : 0;
  require_utf8(bytes, mark, name);
  if (bytes.size() == mark) throw DataError(name, "is empty", "give a text with at least one word");
  bytes.erase(0, mark);
  return Text{.name = std::move(name), .utf8 = std::move(bytes)};
}

Tokens tokenize(const Text& text, TokenUnit unit, std::size_t max_tokens) {
  if (unit == TokenUnit::bytes) return bytes_of(text.utf8, max_tokens);
  Tokens words = words_of(text.utf8, max_tokens);
  if (words.types.empty() && max_tokens > 0)
    throw DataError(text.name, "holds only white space", "give a text with at least one word");
  return words;
}

std::size_t count_tokens(const Text& text, TokenUnit unit, std::size_t up_to) {
  if (unit == TokenUnit::bytes) return std::min(up_to, text.utf8.size());
  return for_each_word(text.utf8, up_to, [](std::string_view) {});
}

}  // namespace orrery
