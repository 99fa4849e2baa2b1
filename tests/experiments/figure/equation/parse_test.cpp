#include "experiments/figure/equation/parse.h"

#include <catch2/catch.hpp>

#include "core/errors.h"
#include "experiments/studies/catalogue.h"

namespace orrery {
namespace {

using Kind = EquationNode::Kind;

TEST_CASE("A formula becomes a tree") {
  const EquationNode row = parse_equation(R"(a_{m,n}^2 = \frac{1}{\sqrt{d}})");
  REQUIRE(row.children.size() == 3);
  const EquationNode& scripts = row.children[0];
  CHECK(scripts.kind == Kind::scripts);
  CHECK(scripts.children[1].children.size() == 1);
  CHECK(equation_name(scripts) == "a_m,n");
  CHECK(row.children[1].role == EquationNode::Class::relation);
  const EquationNode& fraction = row.children[2];
  CHECK(fraction.kind == Kind::fraction);
  CHECK(fraction.children[0].children[0].text == "1");
  CHECK(fraction.children[1].children[0].kind == Kind::root);
}

TEST_CASE("Greek letters, signs, numbers and words are symbols of their own") {
  const EquationNode row = parse_equation(R"(\theta-10.5\le\mathrm{base}\cdot\cos x)");
  std::string all;
  for (const EquationNode& child : row.children) all += child.text + " ";
  CHECK(all == "θ − 10.5 ≤ base · cos x ");
}

TEST_CASE("Superscripts, subscripts and primes may come in any order") {
  CHECK(equation_name(parse_equation("x_i^2")) == equation_name(parse_equation("x^2_i")));
  const EquationNode prime = parse_equation("f'_k(x)").children[0];
  CHECK(prime.children[1].children[0].text == "′");
  CHECK(equation_name(prime) == "f_k");
  CHECK(parse_equation("{}^3").children[0].kind == Kind::scripts);
}

TEST_CASE("A matrix has rows and columns; short rows are filled with empty cells") {
  const EquationNode fence =
      parse_equation(R"(\begin{pmatrix} a & b \\ c \\ \end{pmatrix})").children[0];
  CHECK(fence.kind == Kind::fence);
  CHECK(fence.open == "(");
  const EquationNode& matrix = fence.children[0];
  CHECK(matrix.columns == 2);
  CHECK(matrix.children.size() == 4);
  CHECK(matrix.children[3].children.empty());
  CHECK(parse_equation(R"(\begin{cases} a \\ b \end{cases})").children[0].close.empty());
}

TEST_CASE("Brackets that grow may be of two kinds, or missing on one side") {
  const EquationNode fence = parse_equation(R"(\left\lfloor x \right.)").children[0];
  CHECK(fence.open == "⌊");
  CHECK(fence.close.empty());
}

TEST_CASE("Mistakes are refused with position, rule and remedy") {
  const std::pair<const char*, const char*> cases[] = {
      {R"(\thetta)", "\\theta"},
      {R"(\frak{1}{2})", "\\frac"},
      {"a}", "out of place"},
      {"{a", "never closed"},
      {"a^", "needs an argument"},
      {"a^b^c", "appears twice"},
      {"a_b_c", "appears twice"},
      {R"(\frac{1})", "needs an argument"},
      {R"(\left( x)", "has no \\right"},
      {R"(x \right))", "has no \\left"},
      {R"(\begin{pmatrix} a)", "never closed"},
      {R"(\begin{pmatrix} a \end{bmatrix})", "\\end{pmatrix}"},
      {R"(\begin{tabular} a \end{tabular})", "pmatrix"},
      {R"(\mathrm x)", "needs words"},
      {R"(a & b)", "out of place"},
      {R"(\)", "needs a name"}};
  for (const auto& [tex, complaint] : cases) {
    INFO(tex);
    CHECK_THROWS_WITH(parse_equation(tex), Catch::Contains(complaint));
    CHECK_THROWS_WITH(parse_equation(tex), Catch::Contains("character"));
  }
  CHECK_THROWS_AS(parse_equation(std::string(100'000, '{')), UsageError);
}

TEST_CASE("Truncated formulas and arbitrary bytes do not crash") {
  for (const Formula& equation : formulas_of({"attention_map"})) {
    for (std::size_t i = 0; i < equation.tex.size(); ++i) {
      for (const std::string& tex :
           {std::string(equation.tex.substr(0, i)), std::string(equation.tex.substr(i)),
            std::string(equation.tex.substr(0, i)) + "\xFF" +
                std::string(equation.tex.substr(i))}) {
        try {
          parse_equation(tex);
        } catch (const UsageError& refusal) {
          CHECK(std::string(refusal.what()).find("formula") == 0);
        }
      }
    }
  }
}

}  // namespace
}  // namespace orrery
