// Eq. (2), (3), (4), (6): attention, and position vectors added before the projections. T5 and ALiBi:
// biases that are looked up or grow with distance, head by head. Eq. (5), (7), (8), (10) exactly as
// RoFormer prints them, with W_q and W_k written out; (9) is beside TUPE's own form.
#include "core/analysis/largest.h"
#include "core/encodings/alibi.h"
#include "core/encodings/deberta.h"
#include "core/encodings/learned.h"
#include "core/encodings/none.h"
#include "core/encodings/shaw.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/product.h"
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

/// A case under an encoding that adds to the input, against p: each projection, the four
/// terms of the logits, and the output.
template <class T, class Added>
void input_term_claims(Ledger<T>& ledger, const TokenCase<T>& c, const Added& encoding,
                       const Rows& p, const std::string& name, const Paper& input,
                       const Paper& terms, double angle) {
  const double plain = c.bound(), bound = plain + angle;
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
  ledger.compare(eq_2, "attention_logits", "logits are q_m·k_n/√d", out.logits, logits, c.bound());
  ledger.compare(eq_2, "attention_weights", "a_mn = exp(q_m·k_n/√d)/Σ_j exp(q_m·k_j/√d)",
                 out.weights, weights, softmax_bound(logits, c.bound()));
  ledger.compare(eq_2, "attention_output", "o_m = Σ_n a_mn v_n", out.output,
                 literal::product(weights, v), softmax_bound(logits, c.bound()));
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
  const Positions far = moved(c.at, (Position{1} << 24) + 1);
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
void attention_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_tokens(options), claims);
  for (const TokenCase<T>& c : token_cases<T>(options)) {
    softmax_claims(ledger, c);
    sinusoid_claims(ledger, c);
    learned_claims(ledger, c, options.seed);
  }
}

const Paper t5_paper{ClaimKind::cited, "(8)", "T5: Raffel et al. 2020 §2.1",
                     "RoFormer's (2), around (8), divides by √d; T5 does not"};
const Paper alibi_paper{ClaimKind::cited, "", "ALiBi: Press et al. 2022 §3",
                        "RoFormer does not treat it"};

template <class T>
void t5_claims(Ledger<T>& ledger, LayerCase<T>& c, const std::string& name,
               const std::string& label, const T5Buckets& buckets, const literal::T5Shape& shape) {
  const Matrix<T> table = normal_matrix<T>(c.random, buckets.buckets, c.heads);
  const T5<T> t5(buckets, table);
  for (int h = 0; h < c.heads; ++h) {
    const literal::Terms terms = literal::t5(c.head(h), wide<T>(table.col(h)), shape);
    ledger.compare_terms(
        t5_paper, name,
        {label + ": content, q_m·k_n unscaled", label + ": relative_bias b_{bucket(n − m), h}"},
        c.attend(t5, h), terms, c.bound());
    relative_claim(ledger, name, "T5, " + label, c, t5, h, terms, c.bound());
  }
}

template <class T>
void alibi_claims(Ledger<T>& ledger, const LayerCase<T>& c, const std::string& name,
                  const std::string& label, AlibiForm form) {
  const Alibi<T> alibi(12, form);
  const std::vector<double> slopes = literal::alibi_slopes(12);
  for (const int h : {0, 3, 11}) {
    LayerInputs<T> in{{c.in.q[0]}, {c.in.k[0]}, {c.in.v[0]}, c.in.m, c.in.n, h};
    const literal::Terms terms =
        literal::alibi(c.head(0), slopes[static_cast<std::size_t>(h)], form == AlibiForm::causal);
    ledger.compare_terms(alibi_paper, name,
                         {label + ": content, q_m·k_n/√d", label + ": linear_bias"},
                         multi_head_attention<T>(alibi, in)[0], terms, c.bound());
    in.m = moved(in.m, far_shift);
    in.n = moved(in.n, far_shift);
    ledger.compare(relative_paper, name + "_is_relative",
                   "ALiBi, " + label + ": a shift by 2^40 leaves the logits",
                   multi_head_attention<T>(alibi, in)[0].logits, literal::sum_of(terms), c.bound());
  }
}

template <class T>
void bias_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_layers(options), claims);
  for (LayerCase<T>& c : layer_cases<T>(options)) {
    t5_claims(ledger, c, "t5", "bidirectional", {}, {});
    t5_claims(ledger, c, "t5_causal", "causal", {.bidirectional = false}, {.bidirectional = false});
    alibi_claims(ledger, c, "alibi", "−s_h|m − n|", AlibiForm::symmetric);
    alibi_claims(ledger, c, "alibi_causal", "−s_h(m − n)", AlibiForm::causal);
  }
}

double wrong_buckets(const T5Buckets& buckets) {
  double wrong = 0;
  for (Position r = -2000; r <= 2000; ++r)
    wrong += t5_bucket(r, buckets) == literal::t5_bucket(-r, buckets.buckets, buckets.max_distance,
                                                         buckets.bidirectional)
                 ? 0
                 : 1;
  return wrong;
}

double slope_error(int heads) {
  const std::vector<double> slopes = alibi_slopes(heads), expected = literal::alibi_slopes(heads);
  if (slopes.size() != expected.size()) return std::nan("");
  Largest error;
  for (std::size_t h = 0; h < slopes.size(); ++h)
    error.see(std::abs(slopes[h] - expected[h]) / expected[h]);
  return error.value();
}

void table_claims(std::vector<Claim>& claims) {
  Facts buckets("distances −2000 … 2000", claims);
  buckets.equals(t5_paper, "t5_buckets",
                 "32 buckets to 128, bidirectional: distances with another bucket",
                 wrong_buckets({}), 0);
  buckets.equals(t5_paper, "t5_causal_buckets",
                 "32 buckets to 128, causal: distances with another bucket",
                 wrong_buckets({.bidirectional = false}), 0);
  buckets.equals(t5_paper, "t5_other_buckets", "20 buckets to 300: distances with another bucket",
                 wrong_buckets({.buckets = 20, .max_distance = 300}), 0);
  Facts slopes("", claims);
  constexpr double two_ulps = 0x1p-51;
  slopes.see(alibi_paper, "alibi_slopes_8", "8 heads: s_h = 2^{−1}, 2^{−2}, …, 2^{−8}",
             slope_error(8), two_ulps);
  slopes.see(alibi_paper, "alibi_slopes_12", "12 heads: those of 8, and every other one of 16",
             slope_error(12), two_ulps);
  Largest all;
  for (int heads = 1; heads <= 64; ++heads) all.see(slope_error(heads));
  slopes.see(alibi_paper, "alibi_slopes", "1 to 64 heads: the slopes of the authors' code",
             all.value(), two_ulps);
}

Paper printed(const char* equation) { return {ClaimKind::roformer, equation, {}, {}}; }

/// Contents x of one head and its projections; m and n of the layer.
template <class T>
struct Contents {
  Index d;
  Positions m, n;
  Matrix<T> x_m, x_n, W_q, W_k, W_v;

  explicit Contents(LayerCase<T>& c)
      : d(c.d),
        m(c.in.m),
        n(c.in.n),
        x_m(c.in.q[0]),
        x_n(c.in.k[0]),
        W_q(weights<T>(c.random, d, d)),
        W_k(weights<T>(c.random, d, d)),
        W_v(weights<T>(c.random, d, d)) {}

  Rows q() const { return literal::product(wide(x_m), wide(W_q)); }
  Rows k() const { return literal::product(wide(x_n), wide(W_k)); }
  Position r(Index i, Index j) const {
    return m[static_cast<std::size_t>(i)] - n[static_cast<std::size_t>(j)];
  }
  AttentionOutput<T> attend(const Encoding& encoding, std::optional<double> scale) const {
    Scoring scoring;
    scoring.scale = scale;
    return attention_head<T>(encoding, {W_q, W_k, W_v}, {x_m, x_n, m, n}, {}, scoring);
  }
};

/// Eq. (5): k_n = W_k (x_n + p~^k_r), v_n = W_v (x_n + p~^v_r), r = clip(m − n): Shaw's encoding
/// with its tables behind the projections and in the opposite order.
template <class T>
void shaw_claims(Ledger<T>& ledger, const Contents<T>& c, Random& random, double bound) {
  constexpr Position clip = 40;
  const Matrix<T> p_k = weights<T>(random, 2 * clip + 1, c.d);
  const Matrix<T> p_v = weights<T>(random, 2 * clip + 1, c.d);
  const Matrix<T> keys = product<T>(p_k, c.W_k), values = product<T>(p_v, c.W_v);
  const auto out = c.attend(Shaw<T>(keys.colwise().reverse(), values.colwise().reverse()), {});
  const auto row = [&](Index i, Index j) {
    const Position r = c.r(i, j);
    return (r < -clip ? -clip : r > clip ? clip : r) + clip;
  };
  const Rows q = c.q();
  Rows logits(q.rows(), c.x_n.rows());
  for (Index i = 0; i < logits.rows(); ++i)
    for (Index j = 0; j < logits.cols(); ++j)
      logits(i, j) = literal::scores(
          q.row(i),
          literal::product(wide<T>(c.x_n.row(j)) + wide<T>(p_k.row(row(i, j))), wide(c.W_k)),
          std::sqrt(static_cast<double>(c.d)))(0, 0);
  ledger.compare(printed("(5)"), "printed_relative_keys",
                 "q_m·W_k (x_n + p~^k_r)/√d, r = clip(m − n)", out.logits, logits, bound);
  const Rows a = literal::softmax(logits);
  Rows expected = Rows::Zero(logits.rows(), c.d);
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j)
      expected.row(i) +=
          a(i, j) *
          literal::product(wide<T>(c.x_n.row(j)) + wide<T>(p_v.row(row(i, j))), wide(c.W_v));
  ledger.compare(printed("(5)"), "printed_relative_values", "o_m = Σ a_mn W_v (x_n + p~^v_r)",
                 out.output, expected, softmax_bound(logits, bound));
}

/// Eq. (7): u and v are contents, projected by W_q; over the √d of (2).
template <class T>
void transformer_xl_claims(Ledger<T>& ledger, const Contents<T>& c, Random& random, double bound) {
  const Matrix<T> u = weights<T>(random, 1, c.d), v = weights<T>(random, 1, c.d);
  const Matrix<T> W_kR = weights<T>(random, c.d, c.d);
  const auto made = TransformerXl<T>::behind_W_q({u, v, W_kR}, c.W_q);
  const Rows W_q = wide(c.W_q);
  const literal::Terms terms =
      literal::transformer_xl({c.q(), c.k(), {}, c.m, c.n}, literal::product(wide(u), W_q),
                              literal::product(wide(v), W_q), wide(W_kR), paper_base);
  ledger.compare_terms(
      printed("(7)"), "printed_expansion",
      {"x_mᵀW_qᵀW_k x_n", "x_mᵀW_qᵀW~_k p~_{m−n}", "uᵀW_qᵀW_k x_n", "vᵀW_qᵀW~_k p~_{m−n}"},
      c.attend(TransformerXl<T>(made, paper_base), {}), terms, bound,
      averaged_angle_bound(1000, c.d));
  constexpr Index heads = 2;
  const Matrix<T> contents = weights<T>(random, heads, c.d);
  const auto layer = TransformerXl<T>::behind_W_q({contents, contents, W_kR}, c.W_q);
  Rows projected(heads, c.d / heads);
  for (Index h = 0; h < heads; ++h)
    projected.row(h) =
        literal::product(wide<T>(contents.row(h)), literal::head_columns(W_q, h, c.d / heads));
  ledger.compare(printed("(7)"), "printed_u_of_heads", "W_q u, head by head", layer.u, projected,
                 bound);
  ledger.compare(printed("(7)"), "printed_v_of_heads", "W_q v, head by head", layer.v, projected,
                 bound);
}

/// Eq. (8): the sum that the equation prints has no scale.
template <class T>
void t5_claims(Ledger<T>& ledger, const Contents<T>& c, Random& random, double bound) {
  const Matrix<T> table = normal_matrix<T>(random, 32, 1);
  ledger.compare_terms(printed("(8)"), "printed_bias", {"x_mᵀW_qᵀW_k x_n", "b_{m,n}"},
                       c.attend(T5<T>({}, table), {}),
                       literal::t5({c.q(), c.k(), {}, c.m, c.n}, wide(table), {}), bound);
}

/// Eq. (10): one p~_{m−n} in both terms, projected as contents are; no clipping and no scale.
template <class T>
void deberta_claims(Ledger<T>& ledger, const Contents<T>& c, Random& random, double bound) {
  constexpr Position span = 1200;  // beyond every distance
  const Matrix<T> p = weights<T>(random, 2 * span, c.d);
  const Deberta<T> encoding({p, c.W_q, c.W_k, c.d}, {.span = span, .index = DebertaIndex::code});
  const Rows q = c.q(), k = c.k();
  const Rows K_r = literal::product(wide(p), wide(c.W_k));
  const Rows Q_r = literal::product(wide(p), wide(c.W_q));
  const auto at = [&](Index i, Index j) { return c.r(i, j) + span; };
  const auto of_pairs = [&](const auto& score) {
    return literal::pairs(q.rows(), k.rows(), score);
  };
  const literal::Terms terms{
      {"content", literal::scores(q, k, 1)},
      {"content_to_position",
       of_pairs([&](Index i, Index j) { return literal::dot(q, i, K_r, at(i, j)); })},
      {"position_to_content",
       of_pairs([&](Index i, Index j) { return literal::dot(k, j, Q_r, at(i, j)); })}};
  ledger.compare_terms(printed("(10)"), "printed_disentangled",
                       {"x_mᵀW_qᵀW_k x_n", "x_mᵀW_qᵀW_k p~_{m−n}", "p~_{m−n}ᵀW_qᵀW_k x_n"},
                       c.attend(encoding, 1.0), terms, bound);
}

template <class T>
void printed_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_layers(options), claims);
  for (LayerCase<T>& layer : layer_cases<T>(options)) {
    const Contents<T> c(layer);
    shaw_claims(ledger, c, layer.random, layer.bound());
    transformer_xl_claims(ledger, c, layer.random, layer.bound());
    t5_claims(ledger, c, layer.random, layer.bound());
    deberta_claims(ledger, c, layer.random, layer.bound());
  }
}

}  // namespace in_equations_attention
}  // namespace

void attention_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_attention;
  attention_in<double>(options, claims);
  attention_in<float>(options, claims);
}

void bias_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_attention;
  bias_in<double>(options, claims);
  bias_in<float>(options, claims);
  table_claims(claims);
}

void printed_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_attention;
  printed_in<double>(options, claims);
  printed_in<float>(options, claims);
}

}  // namespace orrery
