// Reads tokenizer.json, tokenizer.model and GGUF vocabularies, and tokenizes hard texts with them.
#include "experiments/tokenizers/tokenizer.h"

#include "experiments/model_files/gguf_file.h"
#include "experiments/tokenizers/read_tokenizer.h"
#include "tests/fuzz/harness.h"

using namespace orrery;

namespace {

constexpr std::string_view texts[] = {
    "",
    " the  the\r\n\n they're 12345 'S <s>a [CLS] <|endoftext|>x",
    "na\xC3\xAFve e\xCC\x81\xCC\x81 \xE6\x97\xA5\xE6\x9C\xAC "
    "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7 "
    "\xE0\xB8\x81\xE0\xB8\xB3 \xEF\xBC\xA1\xEF\xAC\x81\xC2\xA0\xE2\x96\x81 \xEA\xB0\x81",
    {"\0\x01\x7F\t\xC2\x85\xE2\x80\xA9", 9},
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};

std::unique_ptr<Tokenizer> parsed(std::string_view bytes) {
  if (is_gguf(bytes)) return parse_gguf_vocabulary(bytes, "a.gguf");
  if (bytes.starts_with('{')) return parse_tokenizer_json(bytes, "tokenizer.json");
  return parse_sentencepiece(bytes, "tokenizer.model", {});
}

void require_spans(const Tokenizer& tokenizer, std::string_view text) {
  const auto spans = fuzz::accepted_file([&] { return tokenizer.spans(text); });
  if (!spans) return;
  for (const TokenSpan& span : *spans) {
    fuzz::require(span.begin <= span.end && span.end <= text.size(), "a token lies in the text");
    fuzz::require(span.id >= 0, "an id is not negative");
    if (static_cast<std::size_t>(span.id) < tokenizer.size())
      fuzz::require(is_utf8(label(tokenizer, span.id)), "a label is UTF-8");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = fuzz::text_of(data, size);
  const auto tokenizer = fuzz::accepted_file([&] { return parsed(bytes); });
  if (!tokenizer) return 0;
  for (const std::string_view text : texts) require_spans(**tokenizer, text);
  return 0;
}
