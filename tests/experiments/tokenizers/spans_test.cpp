#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/text/utf8.h"
#include "experiments/tokenizers/read_tokenizer.h"
#include "tests/support/sampled.h"
#include "tests/support/tokenizer_golden.h"

using namespace orrery;

namespace {

std::unique_ptr<Tokenizer> golden_tokenizer(const std::string& name) {
  return parse_tokenizer_json(test::tokenizer_text(name), name);
}

template <class Check>
void each_text(const Check& check) {
  test::each_known_text(test::ids_file().at("texts"),
                        [&](const std::string& text, const std::string&) { check(text); });
}

}  // namespace

TEST_CASE("The pieces of a byte-level tokenizer put together are the text") {
  const auto tokenizer = golden_tokenizer("deepseek3");
  each_text([&](const std::string& text) {
    std::string together;
    for (const Token& token : tokenizer->tokens(text)) together += tokenizer->bytes(token.id);
    CHECK(together == text);
  });
}

TEST_CASE("Tokens lie in the text, in order, and name whole characters") {
  for (const char* name : {"gpt2", "normalizer_nfkc", "t5", "deberta3", "bert_uncased",
                           "clip_suffix", "metaspace_first_split", "llama2_byte_fallback"}) {
    const auto tokenizer = golden_tokenizer(name);
    each_text([&](const std::string& text) {
      std::size_t begin = 0;
      for (const TokenSpan& span : tokenizer->spans(text)) {
        CHECK(span.begin <= span.end);
        CHECK(span.end <= text.size());
        CHECK(span.begin >= begin);
        begin = span.begin;
        CHECK(is_utf8(text.substr(span.begin, span.end - span.begin)));
      }
    });
  }
}

TEST_CASE("A token tells where it stands and how the vocabulary writes it") {
  const auto tokenizer = golden_tokenizer("bert_uncased");
  std::string shown;
  for (const Token& token : tokenizer->tokens("The  THEORYS"))
    shown += fmt::format("{}[{},{}) ", token.piece, token.begin, token.end);
  CHECK(shown == "[CLS][0,0) the[0,3) the[5,8) ##or[8,10) ##y[10,11) ##s[11,12) [SEP][12,12) ");
}

TEST_CASE("Labels can be printed: white space is visible, and parts of characters are numbers") {
  const auto tokenizer = golden_tokenizer("gpt2");
  const auto labels = [&](std::string_view text) {
    std::string all;
    for (const std::int32_t id : tokenizer->encode(text)) all += label(*tokenizer, id) + "|";
    return all;
  };
  CHECK(labels(" \n\t") == "␣|↵|⇥|");
  CHECK(labels("\x01") == "\\x01|");
  CHECK(labels("\xE2\x84\xAB") == "0xE2|0x84|0xAB|");
}

TEST_CASE("Ids that are none, and texts that are not UTF-8, are refused by name") {
  const auto tokenizer = golden_tokenizer("gpt2");
  CHECK_THROWS_WITH(tokenizer->piece(-1), "token -1: ids are 0 to 426; give one of them");
  CHECK_THROWS_AS(tokenizer->piece(static_cast<std::int32_t>(tokenizer->size())), UsageError);
  CHECK_THROWS_WITH(
      tokenizer->encode("ab\xFF"),
      "the text: is not valid UTF-8 (byte 0xFF at byte offset 2); convert it, for example "
      "with iconv -f WINDOWS-1252 -t UTF-8");
  CHECK_THROWS_AS(tokenizer->encode(std::string(max_text_bytes + 1, 'a')), DataError);
}

TEST_CASE("A long text is encoded in steps that grow with it, a single word as well") {
  const std::size_t megabyte = test::all_is_tried() ? 1 << 20 : 1 << 16;
  const std::string word(megabyte, 'a');
  for (const char* name : {"llama2_byte_fallback", "gpt4o", "bert_uncased", "t5"})
    CHECK(!golden_tokenizer(name)->encode(word).empty());
}
