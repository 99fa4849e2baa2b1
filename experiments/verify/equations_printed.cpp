// Eq. (5), (7), (8), (10) exactly as RoFormer prints them, with W_q and W_k written out. (9) is
// beside TUPE's own form.
#include "core/encodings/deberta.h"
#include "core/encodings/shaw.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/product.h"
#include "experiments/verify/cases.h"

namespace orrery {
namespace {
namespace in_equations_printed {

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
void claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_layers(options), claims);
  for (LayerCase<T>& layer : layer_cases<T>(options)) {
    const Contents<T> c(layer);
    shaw_claims(ledger, c, layer.random, layer.bound());
    transformer_xl_claims(ledger, c, layer.random, layer.bound());
    t5_claims(ledger, c, layer.random, layer.bound());
    deberta_claims(ledger, c, layer.random, layer.bound());
  }
}

}  // namespace in_equations_printed
}  // namespace

void printed_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_printed;
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
}

}  // namespace orrery
