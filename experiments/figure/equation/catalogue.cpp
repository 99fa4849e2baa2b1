#include "experiments/figure/equation/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace orrery {
namespace {

// clang-format off
constexpr SetEquation kSinusoid{R"(\begin{cases} p_{m,2t} = \sin(m\theta_t) \\ p_{m,2t+1} = \cos(m\theta_t) \end{cases})", "eq. (4)"};
constexpr SetEquation kFrequency{R"(\theta_t = \mathrm{base}^{-2t/d})", "sec. 3.3"};
constexpr SetEquation kRotatedScore{R"(\mathbf{q}_m^\top \mathbf{k}_n = \mathrm{Re} \sum_{t=0}^{d/2-1} h_t e^{\mathrm{i}(m-n)\theta_t})", "eq. (35)"};
constexpr SetEquation kFourTerms{R"(\mathbf{q}_m^\top \mathbf{k}_n = \mathbf{x}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{x}_n + \mathbf{x}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{p}_n + \mathbf{p}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{x}_n + \mathbf{p}_m^\top \mathbf{W}_q^\top \mathbf{W}_k \mathbf{p}_n)", "eq. (6)"};

// Scores as their authors compute them.
constexpr SetEquation kPlainScore{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d})", "eq. (2)"};
constexpr SetEquation kAlibi{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d} - s_h |m - n|, \quad s_h = 2^{-8(h+1)/H} \quad (H = 2^a))", "Press et al. 2022"};
constexpr SetEquation kShaw{R"(\ell_{m,n} = \mathbf{q}_m^\top (\mathbf{k}_n + \mathbf{a}_r) / \sqrt{d}, \quad r = \mathrm{clip}(n - m, -k, k))", "Shaw et al. 2018"};
constexpr SetEquation kTransformerXl{R"(\ell_{m,n} = (\mathbf{q}_m^\top \mathbf{k}_n + \mathbf{q}_m^\top \mathbf{r}_{m-n} + \mathbf{u}^\top \mathbf{k}_n + \mathbf{v}^\top \mathbf{r}_{m-n}) / \sqrt{d})", "Dai et al. 2019"};
constexpr SetEquation kT5{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n + b_{\mathrm{bucket}(m-n)})", "eq. (8)"};
constexpr SetEquation kTupe{R"(\ell_{m,n} = (\mathbf{q}_m^\top \mathbf{k}_n + \mathbf{p}_m^\top \mathbf{U}_q^\top \mathbf{U}_k \mathbf{p}_n) / \sqrt{2d} + b_{m,n})", "Ke et al. 2021"};
constexpr SetEquation kDeberta{R"(\ell_{m,n} = (\mathbf{q}_m^\top \mathbf{k}_n + \mathbf{q}_m^\top \mathbf{K}_{\delta(m,n)} + \mathbf{k}_n^\top \mathbf{Q}_{\delta(n,m)}) / \sqrt{3d})", "He et al. 2021"};

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
       {kFourTerms}},
      {"score_decomposition/none", {kPlainScore}},
      {"score_decomposition/sinusoidal", {kFourTerms}},
      {"score_decomposition/learned", {kFourTerms}},
      {"score_decomposition/rope", {kRotatedScore}},
      {"score_decomposition/alibi", {kAlibi}},
      {"score_decomposition/shaw", {kShaw}},
      {"score_decomposition/transformer_xl", {kTransformerXl}},
      {"score_decomposition/t5", {kT5}},
      {"score_decomposition/tupe", {kTupe}},
      {"score_decomposition/deberta", {kDeberta}},
      {"rotation",
       {{R"(\begin{pmatrix} \cos m\theta & -\sin m\theta \\ \sin m\theta & \cos m\theta \end{pmatrix} \begin{pmatrix} q_1 \\ q_2 \end{pmatrix} = \mathbf{R}_{\theta,m} \mathbf{q})", "eq. (13)"},
        kRotatedScore}},
      {"encoding_matrix",
       {kSinusoid, kFrequency}},
      {"encoding_matrix/none", {}},
      {"encoding_matrix/sinusoidal", {kSinusoid, kFrequency}},
      {"encoding_matrix/learned", {{R"(\mathbf{q}_m = \mathbf{W}_q (\mathbf{x}_m + \mathbf{p}_m))", "eq. (3)"}}},
      {"encoding_matrix/rope", {{R"(\mathbf{q}_m = \mathbf{R}_{\Theta,m} \mathbf{W}_q \mathbf{x}_m, \quad \varphi_t = m\theta_t)", "eq. (14)"}, kFrequency}},
      {"encoding_matrix/alibi", {kAlibi}},
      {"encoding_matrix/shaw", {kShaw}},
      {"encoding_matrix/transformer_xl", {kTransformerXl}},
      {"encoding_matrix/t5", {kT5}},
      {"encoding_matrix/tupe", {kTupe}},
      {"encoding_matrix/deberta", {kDeberta}},
      {"encoding_matrix/staircases", {kShaw, kT5, kDeberta}},
      {"spectrum",
       {kFrequency,
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
    Meaning{"φ_t", "angle that pair t is turned by, in rad"},
    Meaning{"s_h", "slope of the head"},
    Meaning{"φ", "feature map of the queries, positive"},
    Meaning{"ϕ", "feature map of the keys, positive"},
    Meaning{"e", "Euler's number"},
    Meaning{"i", "index of a pair; upright in an exponent, the imaginary unit"},
    Meaning{"j", "index of a partial sum, or of a key"},
    Meaning{"t", "index of a pair of channels"}};
// clang-format on

using Params = std::vector<std::pair<std::string, std::string>>;

std::string entry_of(std::string_view experiment, std::string_view choice) {
  return fmt::format("{}/{}", experiment, choice);
}

/// "rope" is a word of "term_rope_content", and "transformer_xl" of "bias_transformer_xl".
bool has_word(std::string_view id, std::string_view word) {
  return fmt::format("_{}_", id).find(fmt::format("_{}_", word)) != std::string::npos;
}

/// The choices with formulas of their own that a figure's id names.
std::vector<std::string> named_choices(std::string_view experiment, std::string_view figure) {
  const std::string prefix = entry_of(experiment, "");
  std::vector<std::string> choices;
  for (const auto& [entry, equations] : catalogue())
    if (entry.starts_with(prefix) && has_word(figure, entry.substr(prefix.size())))
      choices.emplace_back(entry.substr(prefix.size()));
  return choices;
}

/// "sinusoidal+rope" to its words.
std::vector<std::string> words_of(std::string_view value) {
  std::vector<std::string> words;
  while (!value.empty()) {
    words.emplace_back(value.substr(0, value.find('+')));
    value.remove_prefix(std::min(value.size(), words.back().size() + 1));
  }
  return words;
}

std::vector<std::string> choices_of(std::string_view experiment, const Params& params,
                                    std::string_view figure) {
  std::vector<std::string> choices = named_choices(experiment, figure);
  if (!choices.empty()) return choices;
  for (const auto& [key, value] : params) {
    if (key != "measure" && key != "encoding") continue;
    for (std::string& word : words_of(value))
      if (catalogue().contains(entry_of(experiment, word))) choices.push_back(std::move(word));
  }
  return choices;
}

bool holds(const std::vector<SetEquation>& equations, const SetEquation& one) {
  return std::any_of(equations.begin(), equations.end(),
                     [&](const SetEquation& known) { return known.tex == one.tex; });
}

}  // namespace

const std::vector<SetEquation>& equations_of(std::string_view experiment) {
  static const std::vector<SetEquation> none;
  const auto found = catalogue().find(experiment);
  return found == catalogue().end() ? none : found->second;
}

std::vector<SetEquation> equations_of(std::string_view experiment, const Params& params,
                                      std::string_view figure) {
  const std::vector<std::string> choices = choices_of(experiment, params, figure);
  if (choices.empty()) return equations_of(experiment);
  std::vector<SetEquation> equations;
  for (const std::string& choice : choices)
    for (const SetEquation& equation : catalogue().find(entry_of(experiment, choice))->second)
      if (!holds(equations, equation)) equations.push_back(equation);
  return equations;
}

std::string_view symbol_meaning(std::string_view name) {
  for (const Meaning& known : kMeanings)
    if (known.name == name) return known.words;
  return {};
}

}  // namespace orrery
