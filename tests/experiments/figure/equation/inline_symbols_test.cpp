#include "experiments/figure/equation/inline_symbols.h"

#include <catch2/catch.hpp>
#include <string>

#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/equation/rich_text.h"
#include "tests/support/layers.h"
#include "tests/support/recording_canvas.h"

namespace orrery {
namespace {

/// The line with its formulas in dollars, as plain text.
std::string read(std::string_view text, Reading reading = Reading::prose) {
  std::string shown;
  for (const EquationNode& part : read_text(text, reading).children)
    shown +=
        part.letters == EquationNode::Letters::words ? part.text : "$" + plain_text(part) + "$";
  return shown;
}

TEST_CASE("Symbols in a line of text are found, in the forms in which people write them") {
  CHECK(read("Re Σ h_t e^{i(m−n)θ_t} equals the product") ==
        "$Re Σ hₜe^(i(m−n)θₜ)$ equals the product");
  CHECK(read("mean |S_j| and B_m by distance") == "mean $|Sⱼ|$ and $Bₘ$ by distance");
  CHECK(read("R_m R_n = R_{m+n}") == "$RₘRₙ = Rₘ₊ₙ$");
  CHECK(read("k = R_64 q") == "$k = R₆₄q$");
  CHECK(read("bound (37) and |q_mᵀk_n|, unscaled") == "bound (37) and $|qₘᵀkₙ|$, unscaled");
  CHECK(read("a function of m − n (change)") == "a function of $m − n$ (change)");
  CHECK(read("(d is even)") == "($d$ is even)");
  CHECK(read("θ_t = base^(−2t/d)") == "$θₜ = base^(−2t/d)$");
  CHECK(read("σ√d, ‖f(x, m)‖/‖x‖") == "$σ√d$, $‖f(x, m)‖/‖x‖$");
  CHECK(read("d = 128, q = k = 1") == "$d$ = 128, $q = k$ = 1");
  CHECK(read("H ≤ log₂ N") == "$H ≤ log₂ N$");
  CHECK(read("N = 32 tokens · d = 64") == "$N$ = 32 tokens · $d$ = 64");
}

TEST_CASE("Words, names, numbers, units and quotations stay what they are") {
  for (const char* text :
       {"a token attends to what I say", "press R, or Ctrl+C", "T5 and eager_fp32",
        "2k to 128k tokens", "3 s at 5 h", "head 0 of 8", "elu + 1, FAVOR+", "panels (b) and (c)",
        "C++ and I/O", "q.npy and /home/x/y", "the token “m” and “a b c”", "pairs 0–7",
        "rope.muted = 1+3", "share = 0.31 ≤ 0.5", "x-axis", "base = 3.46e+11 or 1e-5", "",
        "  two  spaces "})
    CHECK(read(text) == text);
  CHECK_FALSE(has_symbols("x and m", Reading::words));
}

TEST_CASE("Any bytes are read and drawn") {
  test::RecordingCanvas canvas;
  for (const std::string text :
       {"m \xC3 n", "x_\xFF", "m − ", "_", "^{", "a_{", "√", "√(", "θ_", "\xE2\x88", "m\nn\n",
        "x^^2", "((((m", "m))))", "x_{y_{z_{a_{b_{c_{d_{e_{f_{g}}}}}}}}}", "ₘ", "Σ",
        "= = =", "\t m \t"}) {
    INFO(text);
    CHECK(rich_size(canvas, text, {}).width >= 0.0);
    CHECK_NOTHROW(draw_rich(canvas, {0, 0}, text, {}));
    CHECK_NOTHROW(draw_rich(canvas, {0, 0}, text, {}, Reading::symbol));
  }
}

TEST_CASE("A quantity's symbol is a variable even where prose would have a word") {
  CHECK(read("N", Reading::symbol) == "$N$");
  CHECK(read("a", Reading::symbol) == "$a$");
  CHECK(read("Re", Reading::symbol) == "$Re$");
  CHECK(read("L(r)/L(0)", Reading::symbol) == "$L(r)/L(0)$");
  CHECK(read("e^(L(r) − L(0))", Reading::symbol) == "$e^(L(r)−L(0))$");
  CHECK(read("mean ½ Σ|Δa|", Reading::symbol) == "mean $½ Σ |Δa|$");
  CHECK(read("B_m < 0", Reading::symbol) == "$Bₘ < 0$");
}

TEST_CASE("A line with symbols is as wide as it is drawn, and stands on one baseline") {
  test::RecordingCanvas canvas;
  const TextStyle style{.size = 10.0, .vertical = VerticalAlign::middle};
  draw_rich(canvas, {0, 50}, "mean |S_j| here", style);
  CHECK(canvas.texts.front().utf8 == "mean ");
  CHECK(canvas.texts.back().utf8 == " here");
  CHECK(canvas.texts.front().box.y == canvas.texts.back().box.y);
  const double width = rich_size(canvas, "mean |S_j| here", style).width;
  CHECK(canvas.texts.back().box.right() == Approx(width));
  test::RecordingCanvas plain;
  draw_rich(plain, {0, 50}, "mean", style);
  REQUIRE(plain.texts.size() == 1);
  CHECK(plain.texts[0].style.vertical == VerticalAlign::middle);
}

}  // namespace
}  // namespace orrery
