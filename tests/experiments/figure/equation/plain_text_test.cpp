#include "experiments/figure/equation/plain_text.h"

#include <catch2/catch.hpp>

#include "core/errors.h"

namespace orrery {
namespace {

struct Case {
  const char* tex;
  const char* text;
};

TEST_CASE("Formulas read on one line of plain text") {
  const Case cases[] = {
      {R"(\theta_t = \mathrm{base}^{-2t/d})", "θₜ = base^(−2t/d)"},
      {R"(\mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d})", "qₘᵀkₙ/√d"},
      {R"(\mathbf{x}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{x}_n)", "xₘᵀW_qᵀWₖxₙ"},
      {R"(\mathbf{W}_q \mathbf{x}_m)", "W_q xₘ"},
      {R"(1 / \sqrt{2d})", "1/√(2d)"},
      {R"(a_{m,n} = b_{\mathrm{bucket}(m-n),h})", "aₘ,ₙ = b_(bucket(m−n),h)"},
      {R"(s_h = 2^{-8(h+1)/H} \quad (H = 2^a))", "sₕ = 2^(−8(h+1)/H) (H = 2ᵃ)"},
      {R"(\frac{\exp(x)}{\sum_{j=1}^{N} \exp(y_j)})", "exp(x)/(Σ_(j=1..N) exp(yⱼ))"},
      {R"(\frac{a+b}{2\pi} - \frac{L(h)}{L(0)})", "(a + b)/(2π) − L(h)/L(0)"},
      {R"(\left|x\right| \le \max_i |h_{i+1} - h_i|)", "|x| ≤ maxᵢ |hᵢ₊₁ − hᵢ|"},
      {R"(-x \cdot (-y) = {} - 1)", "−x · (−y) = −1"},
      {R"(\begin{pmatrix} \cos m\theta & -1 \\ 0 & 1 \end{pmatrix})", "(cos mθ, −1; 0, 1)"},
      {R"(\begin{cases} a = 1 \\ b = 2 \end{cases})", "a = 1; b = 2"},
      {R"(\mathrm{Re} \sum_{t=0}^{d/2-1} h_t e^{\mathrm{i}(m-n)\theta_t})",
       "Re Σ_(t=0..d/2−1) hₜe^(i(m−n)θₜ)"},
      {R"(\text{with } m_0 \text{ tokens})", "with m₀ tokens"},
      {R"(\lVert \mathbf{x} \rVert^2, \quad f'(\bar{x}))", "‖x‖², f′(x̄)"},
      {R"(\mathbf{R}_{\Theta,m} \mathbf{q})", "R_(Θ,m) q"},
      {R"(\log_2 N)", "log₂ N"},
      {R"(2^{\lfloor x \rfloor})", "2^⌊x⌋"},
      {R"(\mathrm{cov}(a, b) / \mathrm{var}(b))", "cov(a, b)/var(b)"},
      {R"(S_j = \sum_{i<j} e^{\mathrm{i} r \theta_i})", "Sⱼ = Σ_(i<j) e^(irθᵢ)"},
      {"", ""}};
  for (const auto& [tex, text] : cases) CHECK(formula_text(tex) == text);
}

TEST_CASE("A formula that cannot be read is refused with its place") {
  CHECK_THROWS_AS(formula_text(R"(\frc{1}{2})"), UsageError);
}

}  // namespace
}  // namespace orrery
