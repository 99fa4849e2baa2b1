
#include <catch2/catch.hpp>
#include <string>

#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/equation/rich_text.h"
#include "experiments/text/marked_text.h"
#include "tests/support/recording_canvas.h"

namespace orrery {
namespace {

/// The line with its formulas in brackets, as formula_text writes them.
std::string read(std::string_view text) {
  std::string shown;
  for (const EquationNode& part : read_text(text).children)
    shown +=
        part.letters == EquationNode::Letters::words ? part.text : "⟦" + formula_text(part) + "⟧";
  return shown;
}

TEST_CASE("Formulas stand between dollar signs, all else is words") {
  CHECK(read("mean $|S_j|$ and $B_m$ by distance") == "mean ⟦|Sⱼ|⟧ and ⟦Bₘ⟧ by distance");
  CHECK(read("$θ_t = \\mathrm{base}^{−2t/d}$") == "⟦θₜ = base^(−2t/d)⟧");
  CHECK(read("A/B, I/O and m − n") == "A/B, I/O and m − n");
  CHECK(read("costs \\$5, \\\\server, C:\\x") == "costs $5, \\server, C:\\x");
  CHECK(read("one $ alone, and $$ two") == "one ⟦alone, and⟧$ two");
  CHECK(read("a $ alone") == "a $ alone");
  CHECK(read("") == "");
}

TEST_CASE("Letters and signs of Unicode are read as TeX's commands are") {
  CHECK(read("$q_mᵀk_n$") == read("$q_m^\\top k_n$"));
  CHECK(read("$10⁻⁶$") == read("$10^{-6}$"));
  CHECK(read("$\\log₂ N ≤ L₀ · θ_t$") == read("$\\log_2 N \\leq L_0 \\cdot \\theta_t$"));
  CHECK(read("$Σ_n a_{mn}$") == read("$\\sum_n a_{mn}$"));
}

TEST_CASE("A formula that cannot be parsed stands as it was written") {
  CHECK(read("see $\\frc{1}{2}$ here") == "see $\\frc{1}{2}$ here");
  CHECK(plain_text("see $\\frc{1}{2}$ here") == "see $\\frc{1}{2}$ here");
}

TEST_CASE("Plain text has the formulas as they were typed") {
  CHECK(plain_text("Re of $q_mᵀk_n/\\sqrt{d}$, \\$5") == "Re of q_mᵀk_n/√d, $5");
  CHECK(plain_text("$θ_t = \\mathrm{base}^{−2t/d_\\mathrm{head}}$") == "θ_t = base^(−2t/d_head)");
  CHECK(plain_text("$B_m = Σ \\cos(m θ_t)$") == "B_m = Σ cos(m θ_t)");
  CHECK(plain_text("$k = R_{64} q$, $a_{mn}$, $\\sqrt{2d}$") == "k = R_64 q, a_mn, √(2d)");
  CHECK(plain_text("$\\frac{1}{\\sqrt{d}}$") == "1/√d");
}

TEST_CASE("Words of others are shown as they are") {
  for (const std::string words : {"$x$.txt", "a\\$b", "C:\\", "\\\\", "$", "plain"}) {
    INFO(words);
    CHECK(plain_text(as_marked(words)) == words);
    CHECK_FALSE(has_formula(as_marked(words)));
    CHECK(plain_text(as_marked(words) + "$m$") == words + "m");
  }
}

TEST_CASE("LaTeX has the formulas as mathematics") {
  CHECK(latex_text("50 % of $θ_t ≤ L₀$") == "50 \\% of $\\theta _t \\le  L_{0}$");
}

TEST_CASE("Any bytes are read and drawn") {
  test::RecordingCanvas canvas;
  for (const std::string text :
       {"m \xC3 n",   "$x_\xFF$", "$m − $", "$_$",     "$^{$",    "$a_{$",  "$√$",
        "$\xE2\x88$", "m\nn\n",   "$x^^2$", "$((((m$", "$$",      "$",      "\\",
        "\\$",        "$\\$",     "$ₘ$",    "$Σ$",     "$= = =$", "\t m \t"}) {
    INFO(text);
    CHECK(rich_size(canvas, text, {}).width >= 0.0);
    CHECK_NOTHROW(draw_rich(canvas, {0, 0}, text, {}));
    CHECK_NOTHROW(plain_text(text));
  }
}

TEST_CASE("A line with formulas is as wide as it is drawn, and stands on one baseline") {
  test::RecordingCanvas canvas;
  const TextStyle style{.size = 10.0, .vertical = VerticalAlign::middle};
  draw_rich(canvas, {0, 50}, "mean $|S_j|$ here", style);
  CHECK(canvas.texts.front().utf8 == "mean ");
  CHECK(canvas.texts.back().utf8 == " here");
  CHECK(canvas.texts.front().box.y == canvas.texts.back().box.y);
  const double width = rich_size(canvas, "mean $|S_j|$ here", style).width;
  CHECK(canvas.texts.back().box.right() == Approx(width));
  test::RecordingCanvas plain;
  draw_rich(plain, {0, 50}, "mean", style);
  REQUIRE(plain.texts.size() == 1);
  CHECK(plain.texts[0].style.vertical == VerticalAlign::middle);
}

}  // namespace
}  // namespace orrery
