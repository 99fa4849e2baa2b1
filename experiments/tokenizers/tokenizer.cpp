#include "experiments/tokenizers/tokenizer.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

std::string shown_character(std::string_view character) {
  if (character == " ") return "␣";
  if (character == "\n") return "↵";
  if (character == "\t") return "⇥";
  return without_controls(character);
}

}  // namespace

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, Special special) const {
  std::vector<std::int32_t> ids;
  for (const TokenSpan& span : spans(text, special)) ids.push_back(span.id);
  return ids;
}

std::vector<Token> Tokenizer::tokens(std::string_view text, Special special) const {
  std::vector<Token> all;
  for (const TokenSpan& span : spans(text, special))
    all.push_back({.id = span.id, .piece = piece(span.id), .begin = span.begin, .end = span.end});
  return all;
}

std::string label(const Tokenizer& tokenizer, std::int32_t id) {
  const std::string bytes = tokenizer.bytes(id);
  std::string shown;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t begin = at;
    if (next_character(bytes, at) != not_utf8)
      shown += shown_character(std::string_view(bytes).substr(begin, at - begin));
    else
      for (std::size_t i = begin; i < at; ++i)
        shown += fmt::format("0x{:02X}", static_cast<unsigned char>(bytes[i]));
  }
  return shown;
}

void require_text(std::string_view text, std::size_t most_bytes) {
  if (text.size() > most_bytes)
    throw DataError(
        "the text",
        fmt::format("has {} bytes, and at most {} are tokenized at once", text.size(), most_bytes),
        "tokenize it in parts");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (next_character(text, at) == not_utf8)
      throw DataError("the text",
                      fmt::format("is not valid UTF-8 (byte 0x{:02X} at byte offset {})",
                                  static_cast<unsigned char>(text[begin]), begin),
                      "convert it, for example with iconv -f WINDOWS-1252 -t UTF-8");
  }
}

}  // namespace orrery
