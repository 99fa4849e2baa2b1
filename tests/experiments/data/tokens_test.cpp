#include "experiments/data/tokens.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "experiments/files/assets.h"
#include "experiments/files/file.h"

using namespace orrery;
using Words = std::vector<std::string>;

namespace {

Words words(const std::string& utf8, std::size_t max_tokens = 1000) {
  return tokenize(Text{"a", utf8}, TokenUnit::words, max_tokens).types;
}

Words labels(const std::string& utf8, TokenUnit unit) {
  return tokenize(Text{"a", utf8}, unit, 1000).labels;
}

}  // namespace

TEST_CASE("English splits into words and punctuation, and white space is dropped") {
  CHECK(words("The orrery, the 3.5 gears:\n\tdon't turn!") ==
        Words{"The", "orrery", ",", "the", "3.5", "gears", ":", "don't", "turn", "!"});
}

TEST_CASE("Case makes another type") { CHECK(words("The the") == Words{"The", "the"}); }

TEST_CASE("Scripts without spaces are split by dictionary") {
  CHECK(words("我喜欢太阳。") == Words{"我", "喜欢", "太阳", "。"});
  CHECK(words("ภาษาไทย") == Words{"ภาษา", "ไทย"});
}

TEST_CASE("Right-to-left words stand in reading order") {
  CHECK(words("مرحبا بالعالم") == Words{"مرحبا", "بالعالم"});
}

TEST_CASE("What people see as one character is never split") {
  CHECK(words("e\u0301te\u0301 nai\u0308f") == Words{"e\u0301te\u0301", "nai\u0308f"});
  CHECK(words("👩‍🚀 🇨🇭 👍🏽") == Words{"👩‍🚀", "🇨🇭", "👍🏽"});
}

TEST_CASE("Invisible characters are no tokens") {
  CHECK(words("a\u200Bb \u00AD c") == Words{"a", "b", "c"});
}

TEST_CASE("Labels never hold a control character or turn the direction of the text") {
  CHECK(labels("a \x07 b\x7F", TokenUnit::words) == Words{"a", "U+0007", "b", "U+007F"});
  CHECK(labels("\u202Ex abc\u200F", TokenUnit::words).back() == "abc");
  for (int byte = 0; byte < 256; ++byte) {
    const std::string label = labels(std::string(1, static_cast<char>(byte)), TokenUnit::bytes)[0];
    for (const char c : label) CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7F));
  }
}

TEST_CASE("The label of a long word is cut between characters, and its type is the whole word") {
  const auto times = [](std::size_t count, const std::string& character) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += character;
    return text;
  };
  for (const char* letter : {"a", "ж", "𝒙"}) {
    INFO(letter);
    CHECK(words(times(64, letter)) == Words{times(64, letter)});
    const std::string text = times(65, letter) + " " + times(66, letter);
    const Tokens found = tokenize(Text{"a", text}, TokenUnit::words, 9);
    CHECK(found.labels == Words{times(63, letter) + "…", times(63, letter) + "…"});
    CHECK(found.types == Words{times(65, letter), times(66, letter)});
  }
}

TEST_CASE("Each byte is a token with a printable label") {
  CHECK(labels("a b\n\t\r~é", TokenUnit::bytes) ==
        Words{"a", "␣", "b", "↵", "⇥", "0x0D", "~", "0xC3", "0xA9"});
  const Tokens tokens = tokenize(Text{"a", "é"}, TokenUnit::bytes, 9);
  CHECK(tokens.types == Words{"\xC3", "\xA9"});
}

TEST_CASE("No more than max_tokens are made") {
  CHECK(words("a b c", 2) == Words{"a", "b"});
  CHECK(words("a b c", 0).empty());
  CHECK(tokenize(Text{"a", "abc"}, TokenUnit::bytes, 2).labels == Words{"a", "b"});
  const std::string long_text(std::size_t{32} << 20, 'x');
  CHECK(tokenize(Text{"a", "a b " + long_text}, TokenUnit::words, 2).types == Words{"a", "b"});
}

TEST_CASE("Tokens are counted without being kept, as far as is asked") {
  CHECK(count_tokens(Text{"a", "a b, c"}, TokenUnit::words, 100) == 4);
  CHECK(count_tokens(Text{"a", "a b, c"}, TokenUnit::words, 2) == 2);
  CHECK(count_tokens(Text{"a", "\u00e9 b"}, TokenUnit::bytes, 100) == 4);
  CHECK(count_tokens(Text{"a", "abc"}, TokenUnit::bytes, 2) == 2);
}

TEST_CASE("The bundled text has words that come again") {
  const auto path = asset_path("texts/the_orrery.txt");
  const Text text = parse_text(read_file(path, 1 << 20), "the_orrery.txt");
  const Words types = tokenize(text, TokenUnit::words, 10000).types;
  CHECK(std::count(types.begin(), types.end(), "angle") >= 5);
  CHECK(types.size() >= 350);
}
