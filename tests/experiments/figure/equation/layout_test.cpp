#include "experiments/figure/equation/layout.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "experiments/figure/canvas/symbol_font.h"
#include "experiments/figure/equation/box.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/text/utf8.h"
#include "tests/support/approved.h"
#include "tests/support/recording_canvas.h"

namespace orrery {
namespace {

constexpr double text_em = 20.0;
double em() { return symbol_scale() * text_em; }

EquationBox box_of(const char* tex, double size = text_em) {
  const test::RecordingCanvas canvas;
  return lay_out(parse_equation(tex), canvas, size);
}

const EquationBox::Glyphs& glyphs(const EquationBox& box, const std::string& text) {
  for (const EquationBox::Glyphs& one : box.glyphs)
    if (one.text == text) return one;
  FAIL("no " << text);
  return box.glyphs.front();
}

/// Where the ink of some letters lies.
Rect ink_of(const EquationBox::Glyphs& glyphs) {
  double x = glyphs.at.x, left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  for (std::size_t at = 0; at < glyphs.text.size();) {
    const char32_t c = next_character(glyphs.text, at);
    const LetterExtent e = letter_extent(c, glyphs.face, glyphs.bold);
    left = std::min(left, x + e.left * glyphs.size);
    right = std::max(right, x + e.right * glyphs.size);
    top = std::min(top, glyphs.at.y - e.ascent * glyphs.size);
    bottom = std::max(bottom, glyphs.at.y + e.descent * glyphs.size);
    x += e.advance * glyphs.size;
  }
  return {left, top, right - left, bottom - top};
}

double thick_spaces(const char* tex, const char* without) {
  return (box_of(tex).width - box_of(without).width) / (em() * 5 / 18);
}

/// Every formula that figures set.
std::vector<Formula> catalogue() {
  std::vector<Formula> all;
  const auto add = [&](const auto& formulas) {
    for (const Formula& formula : formulas) all.push_back(formula);
  };
  for (const Experiment* experiment : experiment_catalogue()) {
    add(experiment->info.formulas);
    for (const FormulasOfChoice& choice : experiment->info.formulas_of_choices)
      add(choice.formulas);
  }
  for (const EncodingSummary& encoding : encoding_list()) add(encoding.formulas);
  return all;
}

TEST_CASE("Variables lean, digits, functions and capital Greek letters stand upright") {
  const EquationBox box = box_of(R"(\theta_t = 2 \cos \Delta \mathrm{T} W)");
  CHECK(glyphs(box, "θ").face == Face::italic);
  CHECK(glyphs(box, "t").face == Face::italic);
  CHECK(glyphs(box, "W").face == Face::italic);
  for (const char* upright : {"2", "cos", "Δ", "=", "T"}) {
    INFO(upright);
    CHECK(glyphs(box, upright).face == Face::roman);
  }
  CHECK(box_of(R"(\mathbf{q})").glyphs[0].face == Face::roman);
  CHECK(box_of(R"(\mathbf{q})").glyphs[0].bold);
}

TEST_CASE("Letters are placed side by side, with TeX's space around signs") {
  const double x = box_of("x").width;
  CHECK(box_of("xx").width == Approx(2 * x));
  CHECK(thick_spaces("x=x", "xx") == Approx(2 + letter_extent(U'=', Face::roman).advance * 18 / 5));
  CHECK(box_of("x+x").width - box_of("x{+}x").width == Approx(2 * em() * 4 / 18));
  CHECK(box_of("-x").width == Approx(box_of("{-}x").width));  // a sign, not an operation
  CHECK(box_of("x=-x").width == Approx(box_of("x={-}x").width));
  CHECK(box_of("x,x").width - box_of("x{,}x").width == Approx(em() * 3 / 18));
  CHECK(box_of("x_{x,x}").width == Approx(box_of("x_{x{,}x}").width));
  CHECK(box_of("").width == 0.0);
}

TEST_CASE("An x of a formula is as high as one of the text around it") {
  const double symbol = letter_extent(U'x', Face::italic).ascent * glyphs(box_of("x"), "x").size;
  CHECK(symbol == Approx(letter_extent(U'x', Face::sans).ascent * text_em).epsilon(0.03));
}

TEST_CASE("Without the font of symbols formulas are set in the font of text") {
  const WithoutSymbolFonts none;
  CHECK(symbol_scale() == 1.0);
  for (const Formula& formula : catalogue())
    for (const EquationBox::Glyphs& one : box_of(formula.tex.data()).glyphs)
      CHECK(one.face == Face::sans);
}

TEST_CASE("Every letter of the catalogue is in the font of symbols") {
  for (const Formula& formula : catalogue())
    for (const EquationBox::Glyphs& one : box_of(formula.tex.data()).glyphs) {
      INFO(formula.tex << " has " << one.text);
      CHECK(one.face != Face::sans);
    }
}

/// Whether ink of two sets of letters meets; letters that lean may reach over their neighbour.
bool collide(const EquationBox::Glyphs& a, const EquationBox::Glyphs& b) {
  const Rect one = ink_of(a), other = ink_of(b);
  const double slack = 0.2 * std::min(a.size, b.size);
  const double across = std::min(one.right(), other.right()) - std::max(one.x, other.x);
  const double down = std::min(one.bottom(), other.bottom()) - std::max(one.y, other.y);
  return across > slack && down > 0.02 * std::min(a.size, b.size);
}

TEST_CASE("No two letters of a formula collide, none lies on a line, at any size") {
  for (const double size : {7.0, 11.0, 16.0, 29.0})
    for (const Formula& formula : catalogue()) {
      INFO(formula.tex << " at " << size);
      const EquationBox box = box_of(formula.tex.data(), size);
      for (std::size_t i = 0; i < box.glyphs.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          INFO(box.glyphs[j].text << " and " << box.glyphs[i].text);
          CHECK_FALSE(collide(box.glyphs[j], box.glyphs[i]));
        }
        const Rect ink = ink_of(box.glyphs[i]);
        for (const EquationBox::Line& line : box.lines) {
          const Point a = line.points.front(), b = line.points.back();
          if (line.points.size() != 2 || a.y != b.y) continue;
          const bool beside = b.x <= ink.x || a.x >= ink.right();
          CHECK((beside || a.y + line.width / 2 < ink.y || a.y - line.width / 2 > ink.bottom()));
        }
      }
    }
}

TEST_CASE("Letters of scripts stay legible beside the smallest text of the screen") {
  constexpr double small_text = 11.0, least = 7.0;
  for (const Formula& formula : catalogue())
    for (const EquationBox::Glyphs& one : box_of(formula.tex.data(), small_text).glyphs) {
      INFO(formula.tex << " has " << one.text);
      CHECK(one.size >= least);
    }
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
  CHECK(above.at.y < -0.3 * em());
  CHECK(below.at.y > 0.1 * em());
  CHECK(above.size == Approx(0.72 * em()));
  CHECK(ink_of(above).bottom() <= ink_of(below).y);
  CHECK(glyphs(box_of("x^{y^{z}}"), "z").size == Approx(0.56 * em()));
  // The superscript stands clear of a letter that leans, the subscript is tucked under it.
  const EquationBox leaning = box_of("f_i^2");
  CHECK(glyphs(leaning, "2").at.x > glyphs(leaning, "i").at.x);
}

TEST_CASE("Numerator and denominator are centred above and below the fraction bar") {
  const EquationBox box = box_of(R"(\frac{abc}{d})");
  REQUIRE(box.lines.size() == 1);
  const EquationBox::Line& bar = box.lines[0];
  CHECK(-bar.points[0].y == Approx(axis_height() * em()));
  const Rect above = ink_of(glyphs(box, "b")), below = ink_of(glyphs(box, "d"));
  CHECK(above.bottom() < bar.points[0].y);
  CHECK(below.y > bar.points[0].y);
  const double middle = (bar.points[0].x + bar.points[1].x) / 2;
  CHECK(below.x + below.width / 2 == Approx(middle).margin(0.06 * em()));
}

TEST_CASE("The limits of a sum are below it, or beside it inside a fraction") {
  const EquationBox box = box_of(R"(\sum_{j=1}^{N} x)");
  const EquationBox::Glyphs& sum = glyphs(box, "∑");
  CHECK(sum.size > em());
  CHECK(ink_of(glyphs(box, "j")).y > ink_of(sum).bottom());
  CHECK(ink_of(glyphs(box, "N")).bottom() < ink_of(sum).y);
  for (const char* tex : {R"(e^{\sum_{j} x})", R"(\frac{\sum_{j} x}{2})"}) {
    const EquationBox inside = box_of(tex);
    CHECK(glyphs(inside, "j").at.x > glyphs(inside, "∑").at.x);
  }
}

TEST_CASE("Brackets grow with their content, as letters and then as strokes") {
  CHECK(glyphs(box_of(R"(\left( x \right))"), "(").size == Approx(em()));
  const EquationBox root = box_of(R"(\left( x^{y^z} \right))");
  CHECK(glyphs(root, "(").size > em());
  const EquationBox box = box_of(R"(\left( \frac{a}{b} \right))");
  CHECK(box.lines.size() == 5);
  double top = 0, bottom = 0;
  for (const Point& p : box.lines[0].points)
    top = std::min(top, p.y), bottom = std::max(bottom, p.y);
  const EquationBox inner = box_of(R"(\frac{a}{b})");
  CHECK(-top >= inner.ascent - 1e-9);
  CHECK(bottom >= inner.descent - 1e-9);
}

TEST_CASE("The cells of a matrix are aligned in rows and columns") {
  const EquationBox box = box_of(R"(\begin{matrix} a & bbb \\ a & b \end{matrix})");
  REQUIRE(box.glyphs.size() == 6);
  const auto &first = box.glyphs[0], &below = box.glyphs[4];
  CHECK(first.at.x == below.at.x);
  CHECK(below.at.y > first.at.y + em() * 0.9);
  CHECK(box.glyphs[1].at.y == first.at.y);
  CHECK(box.glyphs[5].at.x == Approx(box.glyphs[2].at.x));
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
