#include "experiments/verify/literal.h"

#include <cmath>
#include <map>

namespace orrery::literal {
namespace {

/// score(i, j)/√(terms·d), or unscaled for terms = 0.
Rows of_head(const Head& head, int terms, const std::function<Real(Index, Index)>& score) {
  const Real scale =
      terms == 0 ? 1.0L : std::sqrt(static_cast<Real>(terms) * static_cast<Real>(head.q.cols()));
  return pairs(head.q.rows(), head.k.rows(), [&](Index i, Index j) { return score(i, j) / scale; });
}

Rows content(const Head& head, int terms) {
  return of_head(head, terms, [&](Index i, Index j) { return dot(head.q, i, head.k, j); });
}

}  // namespace

Rows sum_of(const Terms& terms) {
  Rows sum = terms.front().logits;
  for (std::size_t t = 1; t < terms.size(); ++t) sum += terms[t].logits;
  return sum;
}

Terms four_terms(const Rows& x_m, const Rows& p_m, const Rows& x_n, const Rows& p_n,
                 const Rows& W_q, const Rows& W_k) {
  const double root = std::sqrt(static_cast<double>(W_q.cols()));
  const auto score = [&](const Rows& a, const Rows& b) {
    return scores(product(a, W_q), product(b, W_k), root);
  };
  return {{"content", score(x_m, x_n)},
          {"content_to_position", score(x_m, p_n)},
          {"position_to_content", score(p_m, x_n)},
          {"position_to_position", score(p_m, p_n)}};
}

Index ShawShape::row_of(Position ahead) const {
  const Position clipped = ahead < -left ? -left : ahead > right ? right : ahead;
  return from_right ? right - clipped : clipped + left;
}

Terms shaw(const Head& head, const Rows& keys, const ShawShape& shape) {
  const auto row = [&](Index i, Index j) { return shape.row_of(-head.r(i, j)); };
  Terms terms{{"content", content(head, 1)},
              {"content_to_position", of_head(head, 1, [&](Index i, Index j) {
                 return dot(head.q, i, keys, row(i, j));
               })}};
  if (shape.of_keys)
    terms.push_back({"position_to_content", of_head(head, 1, [&](Index i, Index j) {
                       return dot(head.k, j, keys, row(i, j));
                     })});
  return terms;
}

Rows shaw_output(const Head& head, const Rows& weights, const Rows& values,
                 const ShawShape& shape) {
  Rows out = Rows::Zero(weights.rows(), head.v.cols());
  for (Index i = 0; i < weights.rows(); ++i)
    for (Index j = 0; j < weights.cols(); ++j)
      for (Index c = 0; c < out.cols(); ++c)
        out(i, c) += weights(i, j) * (head.v(j, c) + values(shape.row_of(-head.r(i, j)), c));
  return out;
}

Terms transformer_xl(const Head& head, const Rows& u, const Rows& v, const Rows& W_kR,
                     double base) {
  std::map<Position, Rows> vectors;
  const auto vector_of = [&](Position r) -> const Rows& {
    const auto [found, fresh] = vectors.try_emplace(r);
    if (fresh) found->second = product(concatenated_sinusoids({r}, W_kR.rows(), base), W_kR);
    return found->second;
  };
  const auto with_distance = [&](const Rows& q, bool by_query) {
    return of_head(head, 1, [&, by_query](Index i, Index j) {
      return dot(q, by_query ? i : 0, vector_of(head.r(i, j)), 0);
    });
  };
  return {
      {"content", content(head, 1)},
      {"content_to_position", with_distance(head.q, true)},
      {"global_content", of_head(head, 1, [&](Index, Index j) { return dot(u, 0, head.k, j); })},
      {"global_position", with_distance(v, false)}};
}

Term segment(const Head& head, const Rows& s, const Rows& g, const Ids& queries, const Ids& keys) {
  Rows q = head.q;
  for (Index i = 0; i < q.rows(); ++i) q.row(i) += s.row(0);
  return {"segment", of_head(head, 1, [&](Index i, Index j) {
            const bool same =
                queries[static_cast<std::size_t>(i)] == keys[static_cast<std::size_t>(j)];
            return dot(q, i, g, same ? 0 : 1);
          })};
}

Terms t5(const Head& head, const Rows& bias, const T5Shape& shape) {
  return {{"content", content(head, 0)},
          {"relative_bias", of_head(head, 0, [&](Index i, Index j) {
             return bias(
                 t5_bucket(-head.r(i, j), shape.buckets, shape.max_distance, shape.bidirectional),
                 0);
           })}};
}

Real tupe_correlation(const TupeWeights& w, const Rows& a, Index i, const Rows& b, Index j) {
  const Rows of_query = product(a.row(i), w.U_q) + w.b_q, of_key = product(b.row(j), w.U_k) + w.b_k;
  return dot(of_query, 0, of_key, 0) / std::sqrt(2 * static_cast<Real>(w.U_q.cols()));
}

Terms tupe(const Head& head, const Rows& p_m, const Rows& p_n, const TupeWeights& w,
           const TupeWeights::Cls& cls) {
  const auto is_cls = [&](const Positions& at, Index i) {
    return cls.untied && at[static_cast<std::size_t>(i)] == 0;
  };
  const auto in_bucket = [&](Index bucket) {
    return bucket < 0 ? 0.0L : static_cast<Real>(w.bias(bucket, 0));
  };
  Terms terms{{"content", content(head, 2)}, {"position", of_head(head, 0, [&](Index i, Index j) {
                                                if (is_cls(head.m, i)) return cls.theta_1;
                                                if (is_cls(head.n, j)) return cls.theta_2;
                                                return tupe_correlation(w, p_m, i, p_n, j);
                                              })}};
  if (w.bias.size() == 0) return terms;
  terms.push_back({"relative_bias", of_head(head, 0, [&](Index i, Index j) {
                     if (is_cls(head.m, i)) return in_bucket(cls.row_bucket);
                     if (is_cls(head.n, j)) return in_bucket(cls.column_bucket);
                     return in_bucket(t5_bucket(-head.r(i, j), 32, 128, true));
                   })});
  return terms;
}

Terms deberta(const Head& head, const DebertaTables& tables, DebertaTables::Form form, bool c2p,
              bool p2c) {
  const int products = 1 + (c2p ? 1 : 0) + (p2c ? 1 : 0);
  Terms terms{{"content", content(head, products)}};
  if (c2p)
    terms.push_back({"content_to_position", of_head(head, products, [&](Index i, Index j) {
                       return dot(head.q, i, tables.K_r, tables.row(head.r(i, j)));
                     })});
  if (p2c)
    terms.push_back({"position_to_content", of_head(head, products, [&](Index i, Index j) {
                       const Position r =
                           form == DebertaTables::Form::paper ? -head.r(i, j) : head.r(i, j);
                       return dot(head.k, j, tables.Q_r, tables.row(r));
                     })});
  return terms;
}

Terms alibi(const Head& head, double slope, bool causal) {
  return {{"content", content(head, 1)}, {"linear_bias", of_head(head, 0, [&](Index i, Index j) {
                                            const auto distance = static_cast<Real>(head.r(i, j));
                                            return -slope *
                                                   (causal || distance > 0 ? distance : -distance);
                                          })}};
}

}  // namespace orrery::literal
