// Eq. (2), (3), (4), (6): attention, and sinusoids added before the projections.
#include "core/encodings/none.h"
#include "core/encodings/sinusoidal.h"
#include "experiments/verify/cases.h"
#include "experiments/verify/literal.h"

namespace orrery::verify {
namespace {

template <class T>
AttentionOutput<T> attended(const Encoding& encoding, const Case<T>& c) {
  return attention_head<T>(encoding, c.w, {c.x, c.x, c.at, c.at});
}

template <class T>
void softmax_claim(const VerifyOptions& options, std::vector<Claim>& claims) {
  Worst worst;
  for (const Case<T>& c : cases_of<T>(options)) {
    const auto out = attended<T>(NoEncoding<T>(), c);
    const auto q = literal::projected(c.wide(c.x), c.wide(c.w.W_q));
    const auto k = literal::projected(c.wide(c.x), c.wide(c.w.W_k));
    const auto v = literal::projected(c.wide(c.x), c.wide(c.w.W_v));
    const auto weights =
        literal::softmax(literal::scores(q, k, std::sqrt(static_cast<double>(c.d))));
    worst.see(disagreement(c.wide(out.weights), weights));
    worst.see(disagreement(c.wide(out.output), literal::weighted_sum(weights, v)));
  }
  claims.push_back(equation<T>("softmax_attention", "attention is softmax of q·k/√d, applied to v",
                               "(2)", worst.value(), options));
}

template <class T>
void sinusoidal_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  Worst added, table, four;
  for (const Case<T>& c : cases_of<T>(options)) {
    const Sinusoidal<T> encoding(c.d);
    const auto p = literal::sinusoids(c.at, c.d, paper_base);
    table.see(disagreement(c.wide(encoding.table(c.at)), p));
    const auto q = literal::projected(c.wide(c.x) + p, c.wide(c.w.W_q));
    const auto k = literal::projected(c.wide(c.x) + p, c.wide(c.w.W_k));
    const auto logits = literal::scores(q, k, std::sqrt(static_cast<double>(c.d)));
    const auto out = attended<T>(encoding, c);
    added.see(disagreement(c.wide(out.logits), logits));
    Matrix<double> sum = Matrix<double>::Zero(c.x.rows(), c.x.rows());
    for (const auto& term : out.terms) sum += c.wide(term.logits);
    four.see(disagreement(sum, logits));
  }
  claims.push_back(equation<T>("input_term", "a position vector is added to x before W_q, W_k, W_v",
                               "(3)", added.value(), options));
  claims.push_back(equation<T>("sinusoids", "p_i holds sin and cos of i/10000^{2t/d}", "(4)",
                               table.value(), options));
  claims.push_back(equation<T>("four_terms", "its scores are the sum of four products of x and p",
                               "(6)", four.value(), options));
}

}  // namespace

void attention_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  softmax_claim<double>(options, claims);
  softmax_claim<float>(options, claims);
  sinusoidal_claims<double>(options, claims);
  sinusoidal_claims<float>(options, claims);
}

}  // namespace orrery::verify
