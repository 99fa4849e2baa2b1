#include "experiments/figure/equation/catalogue.h"

#include <array>
#include <map>

namespace orrery {
namespace {

// clang-format off
const std::map<std::string_view, std::vector<SetEquation>>& catalogue() {
  static const std::map<std::string_view, std::vector<SetEquation>> equations{
      {"long_term_decay",
       {{R"(\left|\mathbf{q}_m^\top \mathbf{k}_n\right| \le \max_i |h_{i+1} - h_i| \sum_{j=1}^{d/2} |S_j|)", "eq. (37)"},
        {R"(S_j = \sum_{i=0}^{j-1} e^{\mathrm{i} r \theta_i}, \quad r = m - n)", "eq. (35)"},
        {R"(\theta_i = \mathrm{base}^{-2i/d})", "sec. 3.3"}}},
      {"relative_invariance",
       {{R"(\langle f_q(\mathbf{x}_m, m), f_k(\mathbf{x}_n, n) \rangle = g(\mathbf{x}_m, \mathbf{x}_n, m - n))", "eq. (11)"},
        {R"(\mathrm{error}(s) = \max_{m,n<N} |\ell_{m+s,n+s} - \ell_{m,n}|, \quad s \le s_{\mathrm{max}})", ""}}},
      {"attention_map",
       {{R"(a_{m,n} = \frac{\exp(\mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d})}{\sum_{j=1}^{N} \exp(\mathbf{q}_m^\top \mathbf{k}_j / \sqrt{d})})", "eq. (2)"},
        {R"(\mathbf{o}_m = \sum_{n=1}^{N} a_{m,n} \mathbf{v}_n)", "eq. (2)"}}},
      {"score_decomposition",
       {{R"(\mathbf{q}_m^\top \mathbf{k}_n = \mathbf{x}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{x}_n + \mathbf{x}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{p}_n + \mathbf{p}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{x}_n + \mathbf{p}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{p}_n)", "eq. (6)"}}},
      {"rotation",
       {{R"(\begin{pmatrix} \cos m\theta & -\sin m\theta \\ \sin m\theta & \cos m\theta \end{pmatrix} \begin{pmatrix} q_1 \\ q_2 \end{pmatrix} = \mathbf{R}_{\theta,m} \mathbf{q})", "eq. (13)"},
        {R"(\mathbf{q}_m^\top \mathbf{k}_n = \mathrm{Re} \sum_{t=0}^{d/2-1} h_t e^{\mathrm{i}(m-n)\theta_t})", "eq. (35)"}}},
      {"encoding_matrix",
       {{R"(\begin{cases} p_{m,2t} = \sin(m\theta_t) \\ p_{m,2t+1} = \cos(m\theta_t) \end{cases})", "eq. (4)"},
        {R"(\theta_t = \mathrm{base}^{-2t/d})", "sec. 3.3"}}},
      {"spectrum",
       {{R"(\theta_t = \mathrm{base}^{-2t/d})", "sec. 3.3"},
        {R"(\lambda_t = \frac{2\pi}{\theta_t})", ""}}},
      {"norm_preservation",
       {{R"(\lVert \mathbf{R}_{\Theta,m} \mathbf{x} \rVert = \lVert \mathbf{x} \rVert)", "sec. 3.2"}}},
      {"linear_attention",
       {{R"(\mathbf{o}_m = \frac{\sum_{n=1}^{N} (\mathbf{R}_m \varphi(\mathbf{q}_m))^\top (\mathbf{R}_n \phi(\mathbf{k}_n)) \mathbf{v}_n}{\sum_{n=1}^{N} \varphi(\mathbf{q}_m)^\top \phi(\mathbf{k}_n)})", "eq. (19)"}}},
      {"sequence_length",
       {{R"(\ell_{m+s,n+s} = \ell_{m,n})", "eq. (11)"}}},
      {"equal_half_distance",
       {{R"(\frac{L(h)}{L(0)} = \frac{1}{2})", ""}}},
      {"equal_half_distance/weight",
       {{R"(e^{L(h) - L(0)} = \frac{1}{2})", ""}}}};
  return equations;
}

struct Meaning {
  std::string_view name;
  std::string_view words;
};
constexpr std::array kMeanings{
    Meaning{"m", "position of the query"},
    Meaning{"n", "position of the key"},
    Meaning{"r", "relative distance m − n"},
    Meaning{"d", "channels of a head"},
    Meaning{"N", "length of the sequence"},
    Meaning{"θ_i", "frequency of a pair of channels, in rad per token"},
    Meaning{"θ_t", "frequency of a pair of channels, in rad per token"},
    Meaning{"θ", "frequency of the pair, in rad per token"},
    Meaning{"λ_t", "wavelength of a pair of channels, in tokens"},
    Meaning{"S_j", "partial sum of the phasors of the first j pairs"},
    Meaning{"h_i", "product of the query's and the key's pair i, as complex numbers"},
    Meaning{"h_t", "product of the query's and the key's pair t, as complex numbers"},
    Meaning{"q_m", "query of the token at m"},
    Meaning{"k_n", "key of the token at n"},
    Meaning{"v_n", "value of the token at n"},
    Meaning{"o_m", "output at m"},
    Meaning{"x_m", "content of the token at m"},
    Meaning{"x_n", "content of the token at n"},
    Meaning{"p_m", "position vector at m"},
    Meaning{"p_n", "position vector at n"},
    Meaning{"a_m,n", "how much of token n goes into the output at m"},
    Meaning{"ℓ_m,n", "logit of query m and key n"},
    Meaning{"f_q", "what makes a query of content and position"},
    Meaning{"f_k", "what makes a key of content and position"},
    Meaning{"L", "mean logit of like tokens at a distance"},
    Meaning{"g", "any function of the contents and the relative position"},
    Meaning{"s", "shift of all positions"},
    Meaning{"W_q", "projection to queries"},
    Meaning{"W_k", "projection to keys"},
    Meaning{"R_m", "rotation by m times each pair's frequency"},
    Meaning{"R_n", "rotation by n times each pair's frequency"},
    Meaning{"φ", "feature map, positive"},
    Meaning{"e", "Euler's number"},
    Meaning{"i", "index of a pair; upright in an exponent, the imaginary unit"},
    Meaning{"j", "index of a partial sum, or of a key"},
    Meaning{"t", "index of a pair of channels"}};
// clang-format on

}  // namespace

const std::vector<SetEquation>& equations_of(std::string_view experiment) {
  static const std::vector<SetEquation> none;
  const auto found = catalogue().find(experiment);
  return found == catalogue().end() ? none : found->second;
}

const std::vector<SetEquation>& equations_of(
    std::string_view experiment, const std::vector<std::pair<std::string, std::string>>& params) {
  for (const auto& [key, choice] : params) {
    if (key != "measure") continue;  // the parameter that formulas may depend on
    const auto& chosen = equations_of(std::string(experiment) + "/" + choice);
    if (!chosen.empty()) return chosen;
  }
  return equations_of(experiment);
}

std::string_view symbol_meaning(std::string_view name) {
  for (const Meaning& known : kMeanings)
    if (known.name == name) return known.words;
  return {};
}

}  // namespace orrery
