// Reads texts, divides them into tokens and prepares them for printing.
#include <algorithm>
#include <string>

#include "experiments/data/tokens.h"
#include "experiments/text/bidi.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"
#include "tests/fuzz/harness.h"

using namespace orrery;

namespace {

constexpr std::size_t most_tokens = 256;

void require_printable(std::string_view text, const std::string& which) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t character = next_character(text, at);
    fuzz::require(character != not_utf8, which + " is UTF-8");
    fuzz::require(character >= 0x20 && (character < 0x7F || character >= 0xA0),
                  which + " has no control code");
  }
}

/// Each word is found after the one before it.
void require_in_order(const Tokens& words, std::string_view text) {
  fuzz::require(!words.types.empty(), "a visible text has a token");
  for (const std::string& word : words.types) {
    const std::size_t at = text.find(word);
    fuzz::require(!word.empty() && at != std::string_view::npos, "a token is part of the text");
    text.remove_prefix(at + word.size());
  }
}

void require_tokens(const Text& text) {
  // White space alone has no words.
  const auto words =
      fuzz::accepted_file([&] { return tokenize(text, TokenUnit::words, most_tokens); });
  if (words) require_in_order(*words, text.utf8);
  const Tokens bytes = tokenize(text, TokenUnit::bytes, most_tokens);
  fuzz::require(bytes.types.size() == std::min(most_tokens, text.utf8.size()),
                "each byte is a token");
  std::string joined;
  for (const std::string& byte : bytes.types) joined += byte;
  fuzz::require(text.utf8.starts_with(joined), "bytes are in order");
  for (const Tokens* tokens : {words ? &*words : &bytes, &bytes}) {
    fuzz::require(tokens->labels.size() == tokens->types.size(), "each token has a label");
    for (const std::string& label : tokens->labels) require_printable(label, "a label");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  require_printable(printable(bytes), "printable text");
  fuzz::require(is_utf8(xml_escaped(bytes)), "XML is UTF-8");
  const auto text = fuzz::accepted_file([&] { return parse_text(std::string(bytes), "text"); });
  fuzz::require(!text || is_utf8(text->utf8), "a text is UTF-8");
  if (!text) return 0;
  fuzz::require(is_utf8(in_visual_order(text->utf8)), "a reordered text is UTF-8");
  require_tokens(*text);
  return 0;
}
