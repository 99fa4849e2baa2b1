#include "experiments/figure/plot/labels.h"

#include <catch2/catch.hpp>

#include "tests/support/layers.h"
#include "tests/support/recording_canvas.h"

using namespace orrery;

namespace {
const test::RecordingCanvas canvas;
TextStyle ten() {
  TextStyle style;
  style.size = 10.0;  // 6 per character
  return style;
}
}  // namespace

TEST_CASE("Text that fits is unchanged; other text is cut at a whole character") {
  CHECK(elided(canvas, "tokens", ten(), 36.0) == "tokens");
  CHECK(elided(canvas, "tokens", ten(), 24.0) == "tok…");
  CHECK(elided(canvas, "αβγδε", ten(), 18.0) == "αβ…");
  CHECK(elided(canvas, "tokens", ten(), 5.0) == "");
  CHECK(elided_middle(canvas, "RoPE, base 10⁴", ten(), 42.0) == "RoP…10⁴");
}

TEST_CASE("Captions are filled line by line and broken words stay readable") {
  using Lines = std::vector<std::string>;
  CHECK(wrapped(canvas, "one two  three", ten(), 42.0, 9) == Lines{"one two", "three"});
  CHECK(wrapped(canvas, "abcdefghij", ten(), 24.0, 9) == Lines{"abcd", "efgh", "ij"});
  CHECK(wrapped(canvas, "one two three four", ten(), 42.0, 2) == Lines{"one two", "three…"});
  CHECK(wrapped(canvas, "", ten(), 42.0, 2).empty());
  CHECK(wrapped(canvas, "x", ten(), 0.0, 2).empty());
}

TEST_CASE("Symbols have their subscripts and superscripts") {
  const Label label = parse_symbol("a_{mn}^2");
  REQUIRE(label.size() == 3);
  CHECK(label[0].text == "a");
  CHECK(label[1].text == "mn");
  CHECK(label[1].level == -1);
  CHECK(label[2].text == "2");
  CHECK(label[2].level == 1);
  CHECK(parse_symbol("a_").size() == 1);
  CHECK(parse_symbol("a_{mn").size() == 2);
}

TEST_CASE("An axis label is words, symbol and unit") {
  std::string text;
  for (const LabelRun& run : compose_label("relative distance", "m − n", "tokens")) {
    text += run.text;
  }
  CHECK(text == "relative distance  m − n (tokens)");
}
