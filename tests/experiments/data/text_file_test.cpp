#include "experiments/data/tokens.h"

#include <catch2/catch.hpp>

#include "core/errors.h"

using namespace orrery;
using Catch::Matchers::Contains;
using namespace std::string_literals;

TEST_CASE("A UTF-8 text is kept as it is, without its byte order mark") {
  CHECK(parse_text("plain\r\n", "a.txt").utf8 == "plain\r\n");
  CHECK(parse_text("plain", "a.txt").name == "a.txt");
  CHECK(parse_text("\xEF\xBB\xBFκύκλος 轨道 🪐", "a").utf8 == "κύκλος 轨道 🪐");
}

TEST_CASE("Malformed UTF-8 is refused with the byte and its offset in the file") {
  const auto refusal = [](const std::string& bytes, const std::string& part) {
    INFO(part);
    CHECK_THROWS_WITH(parse_text(bytes, "a.txt"), Contains("is not valid UTF-8 (" + part + ")"));
  };
  refusal("caf\xE9 noir", "byte 0xE9 at byte offset 3");       // Latin-1
  refusal("\xEF\xBB\xBF\x80", "byte 0x80 at byte offset 3");   // behind the mark
  refusal("a\xC0\xAF", "byte 0xC0 at byte offset 1");          // overlong
  refusal("a\xED\xA0\x80", "byte 0xED at byte offset 1");      // surrogate
  refusal("a\xF4\x90\x80\x80", "byte 0xF4 at byte offset 1");  // above U+10FFFF
  refusal("ab\xE8\xBD", "byte 0xE8 at byte offset 2");         // cut off
  CHECK_THROWS_WITH(parse_text("\xFF", "a"), Contains("convert it, for example with iconv -f"));
  CHECK_THROWS_AS(parse_text("\xFF", "a"), DataError);
}

TEST_CASE("UTF-16 and UTF-32 are recognised by their byte order marks") {
  CHECK_THROWS_WITH(parse_text("\xFF\xFEh\0i\0"s, "a"),
                    "a: is UTF-16 (it begins with the byte order mark FF FE), and texts are read "
                    "as UTF-8; convert it with iconv -f UTF-16 -t UTF-8");
  CHECK_THROWS_WITH(parse_text("\xFE\xFF\0h"s, "a"), Contains("mark FE FF"));
  CHECK_THROWS_WITH(parse_text("\xFF\xFE\0\0h\0\0\0"s, "a"), Contains("is UTF-32"));
  CHECK_THROWS_WITH(parse_text("\0\0\xFE\xFF"s, "a"), Contains("is UTF-32"));
}

TEST_CASE("A NUL byte says that the file is not a text") {
  CHECK_THROWS_WITH(parse_text("ab\0c"s, "a"),
                    Contains("looks like a binary file (NUL at byte offset 2)"));
}

TEST_CASE("An empty text is refused, and white space has bytes but no words") {
  CHECK_THROWS_WITH(parse_text("", "a"), Contains("a: is empty; give a text with at least one"));
  CHECK_THROWS_WITH(parse_text("\xEF\xBB\xBF", "a"), Contains("is empty"));
  for (const char* blank : {" \t\r\n\xC2\xA0\xE3\x80\x80", "\u200B\u00AD"}) {
    const Text text = parse_text(blank, "a");
    CHECK(tokenize(text, TokenUnit::bytes, 100).types.size() == text.utf8.size());
    CHECK_THROWS_WITH(tokenize(text, TokenUnit::words, 100), Contains("only white space"));
  }
}
