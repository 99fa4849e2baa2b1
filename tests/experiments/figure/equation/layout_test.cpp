#include "experiments/figure/equation/layout.h"

#include <catch2/catch.hpp>

#include "experiments/figure/equation/parse.h"
#include "experiments/studies/formulas.h"
#include "tests/support/approved.h"
#include "tests/support/layers.h"
#include "tests/support/recording_canvas.h"

namespace orrery {
namespace {

constexpr double em = 20.0;

// The recording canvas sets every character 0.6 em wide.
constexpr double character_width = 0.6 * em;

EquationBox box_of(const char* tex, double size = em) {
  const test::RecordingCanvas canvas;
  return lay_out(parse_equation(tex), canvas, size);
}

const EquationBox::Glyphs& glyphs(const EquationBox& box, const std::string& text) {
  for (const EquationBox::Glyphs& one : box.glyphs)
    if (one.text == text) return one;
  FAIL("no " << text);
  return box.glyphs.front();
}

TEST_CASE("Letters are placed side by side, with space around relations") {
  CHECK(box_of("ab").width == Approx(2 * character_width));
  CHECK(box_of("a=b").width == Approx(3 * character_width + 2 * em * 5 / 18));
  CHECK(box_of("a+b").width == Approx(3 * character_width + 2 * em * 4 / 18));
  CHECK(box_of("-b").width == Approx(2 * character_width));  // a sign, not an operation
  CHECK(box_of("a=-b").width == Approx(box_of("a=cb").width));
  CHECK(box_of("").width == 0.0);
}

TEST_CASE("Every length is in proportion to the size") {
  for (const Formula& equation : formulas_of({"attention_map"})) {
    const EquationBox one = box_of(equation.tex.data(), 10),
                      three = box_of(equation.tex.data(), 30);
    CHECK(three.width == Approx(3 * one.width));
    CHECK(three.ascent == Approx(3 * one.ascent));
    CHECK(three.descent == Approx(3 * one.descent));
    CHECK(three.glyphs.size() == one.glyphs.size());
  }
}

TEST_CASE("Superscripts are smaller and higher, subscripts lower, and they do not touch") {
  const EquationBox box = box_of("x_i^2");
  const EquationBox::Glyphs &base = glyphs(box, "x"), &above = glyphs(box, "2"),
                            &below = glyphs(box, "i");
  CHECK(base.at.y == 0.0);
  CHECK(above.at.y < -0.3 * em);
  CHECK(below.at.y > 0.1 * em);
  CHECK(above.size == Approx(0.7 * em));
  CHECK(above.at.x == below.at.x);
  // The bottom of a digit and the top of an i.
  CHECK(above.at.y + 0.02 * above.size <= below.at.y - 0.76 * below.size);
  CHECK(glyphs(box_of("x^{2^2}"), "2").size > em * 0.49);
}

TEST_CASE("Numerator and denominator are centred above and below the fraction bar") {
  const EquationBox box = box_of(R"(\frac{abc}{d})");
  CHECK(box.lines.size() == 1);
  const double rule = box.lines[0].points[0].y;
  CHECK(rule < 0);
  const EquationBox::Glyphs &above = glyphs(box, "a"), &below = glyphs(box, "d");
  CHECK(above.at.y < rule);
  CHECK(below.at.y - 0.76 * below.size > rule);
  const double above_middle = above.at.x + 1.5 * 0.6 * above.size;
  const double below_middle = below.at.x + 0.5 * 0.6 * below.size;
  CHECK(above_middle == Approx(below_middle));
  CHECK(box.ascent > em);
  CHECK(box.descent > 0.4 * em);
}

TEST_CASE("The limits of a sum are below it, or beside it inside a fraction") {
  const EquationBox box = box_of(R"(\sum_{j=1}^{N} x)");
  const EquationBox::Glyphs& sum = glyphs(box, "∑");
  CHECK(sum.size > em);
  CHECK(glyphs(box, "j").at.y > glyphs(box, "x").at.y + 0.8 * em);
  CHECK(glyphs(box, "N").at.y < -em);
  const EquationBox inside = box_of(R"(e^{\sum_{j} x})");
  CHECK(glyphs(inside, "j").at.x > glyphs(inside, "∑").at.x);
}

TEST_CASE("Brackets grow with their content") {
  CHECK(box_of(R"(\left( x \right))").lines.empty());
  const EquationBox box = box_of(R"(\left( \frac{a}{b} \right))");
  CHECK(box.lines.size() == 3);
  double top = 0, bottom = 0;
  for (const Point& p : box.lines[0].points)
    top = std::min(top, p.y), bottom = std::max(bottom, p.y);
  const EquationBox inner = box_of(R"(\frac{a}{b})");
  CHECK(-top >= inner.ascent - 1e-9);
  CHECK(bottom >= inner.descent - 1e-9);
}

TEST_CASE("The cells of a matrix are aligned in rows and columns") {
  const EquationBox box = box_of(R"(\begin{matrix} a & bbb \\ c & d \end{matrix})");
  CHECK(glyphs(box, "a").at.y == glyphs(box, "b").at.y);
  CHECK(glyphs(box, "c").at.y > glyphs(box, "a").at.y + em * 0.9);
  CHECK(glyphs(box, "a").at.x == glyphs(box, "c").at.x);
  CHECK(glyphs(box, "d").at.x == Approx(glyphs(box, "b").at.x + character_width));
}

TEST_CASE("The smallest symbol under the mouse is named, with its index where it has one") {
  const EquationBox box = box_of(R"(\theta_t = \mathrm{base})");
  const EquationBox::Glyphs &theta = glyphs(box, "θ"), &index = glyphs(box, "t"),
                            &base = glyphs(box, "base");
  const auto within = [](const EquationBox::Glyphs& g) {
    return Point{g.at.x + 0.2 * g.size, g.at.y - 0.2 * g.size};
  };
  CHECK(symbol_at(box, within(base)) == "base");
  CHECK(symbol_at(box, within(index)) == "t");
  CHECK(symbol_at(box, {-5, 0}).empty());
  CHECK(theta.names == std::vector<std::string>{"θ", "θ_t"});
}

TEST_CASE("All parts of a highlighted symbol are drawn in the highlight's colour") {
  test::RecordingCanvas canvas;
  const EquationBox box = box_of(R"(\theta_t = \mathrm{base}^{-2t/d})");
  const Color ink{1, 2, 3}, light{200, 100, 0};
  draw_equation(canvas, box, {10, 50}, ink, {.names = {"θ_t", "d"}, .color = light});
  std::string apart;
  for (const test::RecordingCanvas::Text& text : canvas.texts)
    if (text.style.color == light) apart += text.utf8;
  CHECK(apart == "θtd");
}

TEST_CASE("No part of a formula is outside its box") {
  for (const char* experiment : {"long_term_decay", "relative_invariance", "attention_map",
                                 "rotation", "linear_attention", "encoding_matrix", "spectrum"}) {
    for (const Formula& equation : formulas_of({experiment})) {
      INFO(equation.tex);
      const EquationBox box = box_of(equation.tex.data());
      for (const EquationBox::Line& line : box.lines)
        for (const Point& p : line.points) {
          CHECK(p.x >= -1e-9);
          CHECK(p.x <= box.width + 1e-9);
          CHECK(p.y >= -box.ascent - 1e-9);
          CHECK(p.y <= box.descent + 1e-9);
        }
      for (const EquationBox::Region& region : box.regions) {
        CHECK(region.box.x >= -1e-9);
        CHECK(region.box.right() <= box.width + 1e-9);
        CHECK(region.box.y >= -box.ascent - 1e-9);
        CHECK(region.box.bottom() <= box.descent + 1e-9);
      }
    }
  }
}

TEST_CASE("The formulas of the paper are drawn as approved") {
  test::RecordingCanvas canvas;
  double y = 0;
  for (const char* experiment :
       {"long_term_decay", "attention_map", "rotation", "linear_attention"})
    for (const Formula& equation : formulas_of({experiment})) {
      const EquationBox box = lay_out(parse_equation(equation.tex), canvas, 16);
      draw_equation(canvas, box, {0, y + box.ascent}, {0, 0, 0});
      y += box.height() + 10;
    }
  CHECK(test::difference_from_approved("figure/equations.txt", canvas.log()) == "");
}

}  // namespace
}  // namespace orrery
