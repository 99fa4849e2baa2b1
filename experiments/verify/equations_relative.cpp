// Eq. (5), (7)–(10): the relative encodings of section 2.3, pair by pair.
#include <algorithm>
#include <functional>

#include "core/encodings/deberta.h"
#include "core/encodings/shaw.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/encodings/tupe.h"
#include "experiments/verify/cases.h"
#include "experiments/verify/literal.h"

namespace orrery::verify {
namespace {

using literal::Rows;

/// score(i, j) for every pair of rows.
Rows pairs(Index n, const std::function<double(Index, Index)>& score) {
  Rows out(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) out(i, j) = score(i, j);
  return out;
}

double dot(const Rows& a, Index i, const Rows& b, Index j) {
  return literal::scores(a.row(i), b.row(j), 1.0)(0, 0);
}

/// q, k, v of a case and a stream for its tables.
template <class T>
struct Head {
  const Case<T>& c;
  Random random;
  Matrix<T> q, k, v;
  Rows Q, K, V;
  Index n;
  double root;  ///< √d

  Head(const Case<T>& drawn, std::int64_t seed)
      : c(drawn),
        random(seed, "tables"),
        q(c.x * c.w.W_q),
        k(c.x * c.w.W_k),
        v(c.x * c.w.W_v),
        Q(c.wide(q)),
        K(c.wide(k)),
        V(c.wide(v)),
        n(c.x.rows()),
        root(std::sqrt(static_cast<double>(c.d))) {}

  Matrix<T> table(Index rows, Index columns) {
    return normal_matrix<T>(random, rows, columns, 1 / std::sqrt(static_cast<double>(c.d)));
  }
  Position r(Index i, Index j) const {
    return c.at[static_cast<std::size_t>(i)] - c.at[static_cast<std::size_t>(j)];
  }
  AttentionOutput<T> attend(const Encoding& encoding) const {
    return attention_from_qkv<T>(encoding, {q, k, v, c.at, c.at});
  }
  double compare(const Encoding& encoding, const Rows& logits) const {
    return disagreement(c.wide(attend(encoding).logits), logits);
  }
};

template <class T>
double shaw_error(Head<T>& h) {
  constexpr Position clip = 50;
  const Matrix<T> keys = h.table(2 * clip + 1, h.c.d);
  const Matrix<T> values = h.table(2 * clip + 1, h.c.d);
  const Rows AK = h.c.wide(keys), AV = h.c.wide(values);
  const auto row = [&](Index i, Index j) { return std::clamp(-h.r(i, j), -clip, clip) + clip; };
  const Rows logits = pairs(h.n, [&](Index i, Index j) {
    return (dot(h.Q, i, h.K, j) + dot(h.Q, i, AK, row(i, j))) / h.root;
  });
  const auto out = h.attend(Shaw<T>(keys, values));
  const Rows weights = literal::softmax(logits);
  Rows expected = literal::weighted_sum(weights, h.V);
  for (Index i = 0; i < h.n; ++i)
    for (Index j = 0; j < h.n; ++j) expected.row(i) += weights(i, j) * AV.row(row(i, j));
  return std::max(disagreement(h.c.wide(out.logits), logits),
                  disagreement(h.c.wide(out.output), expected));
}

template <class T>
double transformer_xl_error(Head<T>& h) {
  const Matrix<T> u = h.table(1, h.c.d), v = h.table(1, h.c.d), W_kR = h.table(h.c.d, h.c.d);
  const Rows U = h.c.wide(u), V = h.c.wide(v), W = h.c.wide(W_kR);
  const Rows logits = pairs(h.n, [&](Index i, Index j) {
    const Rows r =
        literal::projected(literal::concatenated_sinusoid(h.r(i, j), h.c.d, paper_base), W);
    return (dot(h.Q, i, h.K, j) + dot(h.Q, i, r, 0) + dot(U, 0, h.K, j) + dot(V, 0, r, 0)) / h.root;
  });
  return h.compare(TransformerXl<T>({u, v, W_kR}, paper_base), logits);
}

template <class T>
double t5_error(Head<T>& h) {
  const Matrix<T> table = h.table(32, 1);
  const Rows logits = pairs(h.n, [&](Index i, Index j) {
    return dot(h.Q, i, h.K, j) + static_cast<double>(table(literal::t5_bucket(-h.r(i, j)), 0));
  });
  return h.compare(T5<T>({}, table), logits);
}

template <class T>
double tupe_error(Head<T>& h) {
  const Matrix<T> p = h.table(1200, h.c.d), U_q = h.table(h.c.d, h.c.d),
                  U_k = h.table(h.c.d, h.c.d);
  const Matrix<T> bias = h.table(33, 1);
  Rows P = h.c.wide(p);
  for (Index i = 0; i < P.rows(); ++i) {
    const Rows centred = (P.row(i).array() - P.row(i).mean()).matrix();
    P.row(i) = centred / std::sqrt(centred.squaredNorm() / static_cast<double>(h.c.d) + 1e-5);
  }
  const auto row = [&](Index i) { return h.c.at[static_cast<std::size_t>(i)] + 1; };
  const Rows logits = pairs(h.n, [&](Index i, Index j) {
    const Rows a = literal::projected(P.row(row(i)), h.c.wide(U_q));
    const Rows b = literal::projected(P.row(row(j)), h.c.wide(U_k));
    return (dot(h.Q, i, h.K, j) + dot(a, 0, b, 0)) / (h.root * std::sqrt(2.0)) +
           static_cast<double>(bias(literal::t5_bucket(-h.r(i, j)), 0));
  });
  return h.compare(
      Tupe<T>({p, U_q, U_k, bias}, {.untie_cls = false, .variant = TupeVariant::released}), logits);
}

Rows deberta_logits(const Rows& Q, const Rows& K, const Rows& K_r, const Rows& Q_r, Position k,
                    const std::function<Position(Index, Index)>& r) {
  const auto delta = [k](Position distance) {
    if (distance <= -k) return Position{0};
    return distance >= k ? 2 * k - 1 : distance + k;
  };
  return pairs(Q.rows(), [&](Index i, Index j) {
    const double sum =
        dot(Q, i, K, j) + dot(Q, i, K_r, delta(r(i, j))) + dot(K, j, Q_r, delta(r(j, i)));
    return sum / std::sqrt(3.0 * static_cast<double>(Q.cols()));
  });
}

template <class T>
double deberta_case_error(Head<T>& h) {
  constexpr Position k = 60;
  const Matrix<T> p = h.table(2 * k, h.c.d), W_qr = h.table(h.c.d, h.c.d),
                  W_kr = h.table(h.c.d, h.c.d);
  const Rows K_r = literal::projected(h.c.wide(p), h.c.wide(W_kr));
  const Rows Q_r = literal::projected(h.c.wide(p), h.c.wide(W_qr));
  const Rows logits =
      deberta_logits(h.Q, h.K, K_r, Q_r, k, [&](Index i, Index j) { return h.r(i, j); });
  return h.compare(Deberta<T>({p, W_qr, W_kr, h.c.d}, {.span = k}), logits);
}

template <class T>
void claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Worst shaw, xl, t5, tupe, deberta;
  for (const Case<T>& c : cases_of<T>(options)) {
    Head<T> head(c, options.seed);
    shaw.see(shaw_error(head));
    xl.see(transformer_xl_error(head));
    t5.see(t5_error(head));
    tupe.see(tupe_error(head));
    deberta.see(deberta_case_error(head));
  }
  const auto add = [&](const char* name, const char* statement, const char* formula,
                       const Worst& w) {
    claims.push_back(equation<T>(name, statement, formula, w.value(), options));
  };
  add("shaw", "Shaw: a vector of the clipped distance is added to keys and values", "(5)", shaw);
  add("transformer_xl", "Transformer-XL: content, distance, u and v make four terms", "(7)", xl);
  add("t5", "T5: a bias of the distance's bucket is added to unscaled scores", "(8)", t5);
  add("tupe", "TUPE: positions correlate apart, all over √(2d), and a bias", "(9)", tupe);
  add("deberta", "DeBERTa: content and clipped distance, both ways, over √(3d)", "(10)", deberta);
}

}  // namespace

double deberta_error(const Encoding& encoding, const Matrix<double>& table, Position k,
                     std::int64_t seed) {
  const Index d = table.cols();
  Random random(seed, "deberta_error");
  const Rows q = normal_matrix<double>(random, 5, d), key = normal_matrix<double>(random, 5, d);
  const Positions at{0, 1, 2, 5, 9};
  const Rows expected = deberta_logits(q, key, table, table, k, [&](Index i, Index j) {
    return at[static_cast<std::size_t>(i)] - at[static_cast<std::size_t>(j)];
  });
  return disagreement(attention_from_qkv<double>(encoding, {q, key, key, at, at}).logits, expected);
}

void relative_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
}

}  // namespace orrery::verify
