// UTF-8 of any bytes: every character is found, every other byte replaced.
#include "experiments/text/utf8.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

using namespace orrery;

namespace {

std::vector<char32_t> characters_of(std::string_view text) {
  std::vector<char32_t> found;
  for (std::size_t at = 0; at < text.size();) found.push_back(next_character(text, at));
  return found;
}

/// Up to 12 bytes, most of which have a meaning in UTF-8.
std::string random_bytes(std::mt19937& random) {
  static constexpr unsigned char telling[]{0x00, 0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0,
                                           0xA0, 0xED, 0x9F, 0xEF, 0xF0, 0x90, 0xF4, 0x8F, 0xFF};
  std::string bytes;
  for (auto left = random() % 13; left > 0; --left)
    bytes += static_cast<char>(telling[random() % std::size(telling)]);
  return bytes;
}

}  // namespace

TEST_CASE("Characters of one to four bytes are read and written") {
  CHECK(characters_of("aθ層𝄞") == std::vector<char32_t>{U'a', U'θ', U'層', U'𝄞'});
  for (const char32_t character : {U'a', U'θ', U'層', U'𝄞', char32_t{0x10FFFF}})
    CHECK(characters_of(utf8_of(character)) == std::vector{character});
}

TEST_CASE("Bytes that are no character are seen as such, one by one") {
  CHECK(characters_of("\x80") == std::vector{not_utf8});
  CHECK(characters_of("\xC0\xAF") == std::vector{not_utf8, not_utf8});         // overlong
  CHECK(characters_of("\xED\xA0\x80").front() == not_utf8);                    // surrogate
  CHECK(characters_of("\xF4\x90\x80\x80").front() == not_utf8);                // above U+10FFFF
  CHECK(characters_of("\xE5\xB1z") == std::vector<char32_t>{not_utf8, U'z'});  // cut off
  CHECK(character_length("\xE5\xB1z", 0) == 2);
}

TEST_CASE("A drawable text has U+FFFD for every byte that is not part of a character") {
  CHECK(drawable_utf8("θ \xFF\xE5\xB1z") == "θ \uFFFD\uFFFD\uFFFDz");
  CHECK(drawable_utf8(std::string("a\0b", 3)) == "a\uFFFDb");
}

TEST_CASE("A drawable text has U+FFFD for every noncharacter, which are 66, and for no other") {
  std::size_t replaced = 0;
  for (char32_t character = 1; character <= 0x10FFFF; ++character) {
    if (character >= 0xD800 && character <= 0xDFFF) continue;
    const std::string text = utf8_of(character);
    const std::string drawable = drawable_utf8(text);
    if (drawable == text) continue;
    ++replaced;
    const bool last_of_plane = (character & 0xFFFF) >= 0xFFFE;
    const bool arabic = character >= 0xFDD0 && character <= 0xFDEF;
    CHECK((last_of_plane || arabic));
    CHECK(drawable == "\uFFFD");
  }
  CHECK(replaced == 66);
}

TEST_CASE("Any bytes at all become valid UTF-8 and valid XML, and valid text stays as it is") {
  std::mt19937 random(20170612);
  for (int i = 0; i < 20'000; ++i) {
    const std::string bytes = random_bytes(random);
    const std::string valid = drawable_utf8(bytes);
    const std::vector<char32_t> characters = characters_of(valid);
    INFO(i);
    CHECK(std::count(characters.begin(), characters.end(), not_utf8) == 0);
    CHECK(drawable_utf8(valid) == valid);
    std::string again;
    for (const char32_t character : characters) again += utf8_of(character);
    CHECK(again == valid);
    CHECK(xml_escaped(bytes).find_first_of(std::string("\0\x7f<>", 1)) == std::string::npos);
  }
}

TEST_CASE("Markup is escaped and control characters are replaced") {
  CHECK(xml_escaped("a<b & \"c\">\t\n") == "a&lt;b &amp; &quot;c&quot;&gt;\t\n");
  CHECK(xml_escaped("\x1B\uFFFE") == "\uFFFD\uFFFD");
}
