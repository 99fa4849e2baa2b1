#include "experiments/text/bidi.h"

#include <catch2/catch.hpp>

#include "experiments/text/utf8.h"

using namespace orrery;

// Expected forms are those of the Unicode charts (Arabic Presentation Forms-B), worked by hand.

TEST_CASE("Text that runs to the right is left as it is") {
  for (const char* text : {"", "plain", "m − n, θ_t, 位置", "é ﬁ Ж ﾊ 한 😀", "a\u2032 … “quoted”",
                           "two\nlines", "\xff\xe4\xb8", "\xd6"}) {
    INFO(text);
    CHECK(in_visual_order(text) == text);
  }
}

TEST_CASE("Hebrew runs to the left, numbers within it to the right") {
  CHECK(in_visual_order("אבג") == "גבא");
  CHECK(in_visual_order("אב 12") == "12 בא");
  CHECK(in_visual_order("(אב)") == "(בא)");  // brackets are mirrored
}

TEST_CASE("Arabic letters take their joined forms") {
  // beh, beh: initial form at the right, final form at the left.
  CHECK(in_visual_order("\u0628\u0628") == "\uFE90\uFE91");
  // seen initial, lam and alef one final ligature, meem isolated: alef joins nothing behind it.
  CHECK(in_visual_order("\u0633\u0644\u0627\u0645") == "\uFEE1\uFEFC\uFEB3");
  // ain initial, alef final, lam initial, meem final.
  CHECK(in_visual_order("\u0639\u0627\u0644\u0645") == "\uFEE2\uFEDF\uFE8E\uFECB");
  // seen isolated.
  CHECK(in_visual_order("\u0633") == "\uFEB1");
  // Persian peh medial between behs; Urdu tteh initial and heh doachashmee final.
  CHECK(in_visual_order("\u0628\u067E\u0628") == "\uFE90\uFB59\uFE91");
  CHECK(in_visual_order("\u0679\u06BE") == "\uFBAB\uFB68");
}

TEST_CASE("Vowel marks join what is around them and stand before their letter") {
  CHECK(in_visual_order("\u0628\u064E\u0628") == "\uFE90\u064E\uFE91");
  CHECK(in_visual_order("\u0645\u064F") == "\u064F\uFEE1");
  // Shadda and fatha on one letter.
  CHECK(in_visual_order("\u0628\u0651\u064E\u0628") == "\uFE90\u064E\u0651\uFE91");
  CHECK(in_visual_order("\u05E9\u05C1") == "\u05C1\u05E9");
}

TEST_CASE("Words of both directions keep the order of the first") {
  // feh initial, yeh final; the number behind Arabic words stands at their left.
  CHECK(in_visual_order("RoPE \u0641\u064A") == "RoPE \uFEF2\uFED3");
  CHECK(in_visual_order("RoPE \u0641\u064A 12") == "RoPE 12 \uFEF2\uFED3");
  CHECK(in_visual_order("\u0641\u064A RoPE") == "RoPE \uFEF2\uFED3");
  CHECK(in_visual_order("query אב: 0.25") == "query 0.25 :בא");
}

TEST_CASE("Digits of Arabic run to the right") {
  CHECK(in_visual_order("\u0663\u0664") == "\u0663\u0664");
  CHECK(in_visual_order("\u0628 \u0663\u0664") == "\u0663\u0664 \uFE8F");
}

TEST_CASE("Lines stay where they are") {
  CHECK(in_visual_order("אב\nגד\nabc") == "בא\nדג\nabc");
  CHECK(in_visual_order("אב\n") == "בא\n");
}

TEST_CASE("Marks of direction are followed and not drawn") {
  CHECK(in_visual_order("a\u200Fb") == "ab");
  CHECK(in_visual_order("\u202Eabc\u202C") == "cba");
}

TEST_CASE("Bytes that are not UTF-8 harm nothing") {
  for (const char* text : {"\xD7\x90\xFF", "\xD7\x90\xD7", "\xD7\x90\xE0\xA0", "\xD8\xFF\xD8\xA8",
                           "\xF0\x90\xD7\x90", "\xED\xA0\x80\xD7\x90"}) {
    const std::string shown = in_visual_order(text);
    CHECK(shown == drawable_utf8(shown));
    CHECK(shown.find("\uFFFD") != std::string::npos);
  }
  using namespace std::string_literals;
  CHECK(in_visual_order("א\0ב"s).size() == "א\0ב"s.size());
}
