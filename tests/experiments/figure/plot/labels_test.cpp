#include "experiments/figure/plot/labels.h"

#include <catch2/catch.hpp>

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

namespace {

/// What is drawn of a label within a width.
std::vector<test::RecordingCanvas::Text> drawn(const Label& label, double width,
                                               std::size_t most_lines) {
  test::RecordingCanvas on;
  draw_label(on, {0, 0}, label, ten(), width, most_lines);
  return on.texts;
}

std::string text_of(const std::vector<test::RecordingCanvas::Text>& texts) {
  std::string all;
  for (const auto& one : texts) all += one.utf8;
  return all;
}

}  // namespace

TEST_CASE("An axis label is words, a symbol as mathematics, and a unit") {
  const auto texts = drawn({"relative distance", "$m − n$", "tokens"}, 1000.0, 1);
  CHECK(text_of(texts) == "relative distance  m−n (tokens)");
  for (const auto& one : texts)
    if (one.utf8 == "m" || one.utf8 == "n") CHECK(one.style.face == Face::italic);
  CHECK(drawn({"length", "$N$", "tokens"}, 1000.0, 1)[1].style.face == Face::italic);
}

TEST_CASE("A label without room is set smaller, then on two lines, and loses words last") {
  const Label label{"entropy of the last query", "", "bits"};
  const double whole = label_width(canvas, label, ten());
  CHECK(drawn(label, whole, 2)[0].style.size == 10.0);
  const auto smaller = drawn(label, 0.9 * whole, 2);
  REQUIRE(smaller.size() == 1);
  CHECK(smaller[0].style.size == Approx(9.0));
  CHECK(label_lines(canvas, label, ten(), 0.6 * whole) == 2);
  const auto two = drawn(label, 0.6 * whole, 2);
  REQUIRE(two.size() == 2);
  CHECK(two[0].utf8 == "entropy of the");
  CHECK(two[1].utf8 == "last query (bits)");
  CHECK(two[1].box.y != two[0].box.y);
  CHECK(text_of(drawn(label, 0.5 * whole, 1)) == "entropy of th… (bits)");
  CHECK(drawn(label, 0.1 * whole, 2).empty());
}
