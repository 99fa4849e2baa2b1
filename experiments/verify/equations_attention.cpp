// Eq. (2), (3), (4), (6): attention, and position vectors added before the projections.
#include "core/encodings/learned.h"
#include "core/encodings/none.h"
#include "core/encodings/sinusoidal.h"
#include "experiments/verify/cases.h"

namespace orrery {
namespace {
namespace in_equations_attention {

const Paper eq_2{ClaimKind::roformer, "(2)"};
const Paper eq_3{ClaimKind::roformer, "(3)"};
const Paper eq_4{ClaimKind::roformer, "(4)"};
const Paper eq_6{ClaimKind::roformer, "(6)"};
const Paper bert{ClaimKind::cited, "(3)", "Learned positions: Gehring et al. 2017, BERT"};
const Paper code_of_4{ClaimKind::cited, "(4)", "Sinusoids: tensor2tensor, Transformer-XL",
                      "RoFormer's (4) alternates sines and cosines, and frequencies to "
                      "10000^{−(d−2)/d}"};

template <class T>
double bound_of(const TokenCase<T>& c) {
  return rounding_bound<T>(roundings_of(c.d));
}

/// A case under an encoding that adds to the input, against p: each projection, the four
/// terms of the logits, and the output.
template <class T, class Added>
void input_term_claims(Ledger<T>& ledger, const TokenCase<T>& c, const Added& encoding,
                       const Rows& p, const std::string& name, const Paper& input,
                       const Paper& terms, double angle) {
  const double plain = bound_of(c), bound = plain + angle;
  const Rows x = wide(c.x), added = x + p;
  const Rows W_q = wide(c.w.W_q), W_k = wide(c.w.W_k), W_v = wide(c.w.W_v);
  const auto layer = projected<T>(&encoding, {c.w.W_q, c.w.W_k, c.w.W_v, HeadGroups(1, 1)},
                                  {c.x, c.x, c.at, c.at});
  const Rows q = literal::product(added, W_q), k = literal::product(added, W_k),
             v = literal::product(added, W_v);
  ledger.compare(input, name + "_in_q", "q_m = W_q (x_m + p_m)", layer.q[0], q, bound);
  ledger.compare(input, name + "_in_k", "k_n = W_k (x_n + p_n)", layer.k[0], k, bound);
  ledger.compare(input, name + "_in_v", "v_n = W_v (x_n + p_n)", layer.v[0], v, bound);
  const auto out = attention_head<T>(encoding, c.w, {c.x, c.x, c.at, c.at});
  ledger.compare_terms(
      terms, name + "_four_terms",
      {"content: x_mᵀW_qᵀW_k x_n/√d", "content_to_position: x_mᵀW_qᵀW_k p_n/√d",
       "position_to_content: p_mᵀW_qᵀW_k x_n/√d", "position_to_position: p_mᵀW_qᵀW_k p_n/√d"},
      out, literal::four_terms(x, p, x, p, W_q, W_k), plain, angle);
  const Rows logits = literal::scores(q, k, std::sqrt(static_cast<double>(c.d)));
  ledger.compare(input, name + "_output", "o_m = Σ a_mn W_v (x_n + p_n), a of (2)", out.output,
                 literal::product(literal::softmax(logits), v), softmax_bound(logits, bound));
}

/// Claims of eq. (2), from contents and with logits up to ±1000, whose exponentials do not fit in a
/// double.
template <class T>
void softmax_claims(Ledger<T>& ledger, const TokenCase<T>& c) {
  const Rows x = wide(c.x);
  const Rows q = literal::product(x, wide(c.w.W_q)), k = literal::product(x, wide(c.w.W_k)),
             v = literal::product(x, wide(c.w.W_v));
  const Rows logits = literal::scores(q, k, std::sqrt(static_cast<double>(c.d)));
  const Rows weights = literal::softmax(logits);
  const auto out = attention_head<T>(NoEncoding<T>(), c.w, {c.x, c.x, c.at, c.at});
  ledger.compare(eq_2, "attention_logits", "logits are q_m·k_n/√d", out.logits, logits,
                 bound_of(c));
  ledger.compare(eq_2, "attention_weights", "a_mn = exp(q_m·k_n/√d)/Σ_j exp(q_m·k_j/√d)",
                 out.weights, weights, softmax_bound(logits, bound_of(c)));
  ledger.compare(eq_2, "attention_output", "o_m = Σ_n a_mn v_n", out.output,
                 literal::product(weights, v), softmax_bound(logits, bound_of(c)));
  AttentionOutput<T> large;
  large.logits = c.x.leftCols(2) * T(400);
  masked_softmax<T>({}, large);
  ledger.compare(eq_2, "large_logits", "the same with logits of ±1000", large.weights,
                 literal::softmax(wide(large.logits)), rounding_bound<T>(16));
}

template <class T>
void sinusoid_claims(Ledger<T>& ledger, const TokenCase<T>& c) {
  const double table_bound = rounding_bound<T>(4) + angle_bound(1000);
  const Rows p = literal::sinusoids(c.at, c.d, paper_base);
  const Sinusoidal<T> encoding(c.d);
  ledger.compare(eq_4, "sinusoids", "p_{i,2t} = sin(i/10000^{2t/d}), p_{i,2t+1} = cos, i ≤ 1000",
                 encoding.table(c.at), p, table_bound);
  Positions far = c.at;
  for (Position& position : far) position += (Position{1} << 24) + 1;
  ledger.compare(eq_4, "far_sinusoids", "the same at i ≈ 2^24, where fp32 cannot count",
                 encoding.table(far), literal::sinusoids(far, c.d, paper_base),
                 rounding_bound<T>(4) + angle_bound(far.front() + 1000));
  input_term_claims(ledger, c, encoding, p, "sinusoidal", eq_3, eq_6,
                    averaged_angle_bound(1000, c.d));
  const auto table = [&](SinusoidalLayout layout, Index d) {
    return Sinusoidal<T>(d, paper_base, layout).table(c.at);
  };
  ledger.compare(code_of_4, "concatenated_sinusoids", "all sines, then all cosines: Transformer-XL",
                 table(SinusoidalLayout::concatenated, c.d),
                 literal::concatenated_sinusoids(c.at, c.d, paper_base), table_bound);
  ledger.compare(code_of_4, "tensor2tensor_sinusoids",
                 "frequencies from 1 to 1/10000 inclusive; an odd d ends in 0",
                 table(SinusoidalLayout::tensor2tensor, c.d - 1),
                 literal::tensor2tensor_sinusoids(c.at, c.d - 1, paper_base), table_bound);
}

template <class T>
void learned_claims(Ledger<T>& ledger, const TokenCase<T>& c, std::int64_t seed) {
  Random random(seed, "learned table");
  const Matrix<T> table = weights<T>(random, 1000, c.d);
  input_term_claims(ledger, c, Learned<T>(table), literal::rows_at(wide(table), c.at), "learned",
                    bert, bert, 0);
}

template <class T>
void claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_tokens(options), claims);
  for (const TokenCase<T>& c : token_cases<T>(options)) {
    softmax_claims(ledger, c);
    sinusoid_claims(ledger, c);
    learned_claims(ledger, c, options.seed);
  }
}

}  // namespace in_equations_attention
}  // namespace

void attention_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_attention;
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
}

}  // namespace orrery
