#include "core/attention/head.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/attention/content.h"
#include "core/attention/weight_rules.h"
#include "core/errors.h"
#include "core/product.h"
#include "core/random.h"

namespace orrery {
namespace {

/// p [N, d_model]: what the encoding adds at these positions.
template <class T>
Matrix<T> added_vectors(const InputTerm<T>& term, PositionsIn positions, Index d_model) {
  Matrix<T> p = Matrix<T>::Zero(static_cast<Index>(positions.size()), d_model);
  term.add_to_input(positions, p);
  return p;
}

/// x W + b; an empty b adds nothing.
template <class T>
Matrix<T> projected_by(const Matrix<T>& w, const Matrix<T>& b, const MatrixIn<T>& x,
                       const char* name) {
  Matrix<T> y = product<T>(x, w);
  if (b.size() == 0) return y;
  if (b.rows() != 1 || b.cols() != y.cols())
    throw UsageError(fmt::format("{} of shape [{}, {}]", name, b.rows(), b.cols()),
                     fmt::format("must have one number per column of its projection, {}", y.cols()),
                     "save it from the same layer");
  y.rowwise() += b.row(0);
  return y;
}

/// Eq. (6): (x_m + p_m)ᵀ W_qᵀ W_k (x_n + p_n) / √d, multiplied out, for some queries at a time.
template <class T>
class FourTerms {
 public:
  FourTerms(const InputTerm<T>& term, const Projections<T>& w, const LayerContents<T>& in)
      : q_x_(w.queries(in.x_q)),
        k_x_(w.keys(in.x_k)),
        q_p_(product<T>(added_vectors(term, in.m, in.x_q.cols()), w.W_q)),
        k_p_(product<T>(added_vectors(term, in.n, in.x_k.cols()), w.W_k)) {}

  std::vector<ScoreTerm<T>> of_queries(Index first, Index count, const Scoring& scoring) const {
    const auto q_x = q_x_.middleRows(first, count);
    const auto q_p = q_p_.middleRows(first, count);
    std::vector<ScoreTerm<T>> terms;
    terms.push_back(ScoreTerm<T>{"content", scaled_product<T>(q_x, k_x_, 1, scoring)});
    terms.push_back(ScoreTerm<T>{"content_to_position", scaled_product<T>(q_x, k_p_, 1, scoring)});
    terms.push_back(ScoreTerm<T>{"position_to_content", scaled_product<T>(q_p, k_x_, 1, scoring)});
    terms.push_back(ScoreTerm<T>{"position_to_position", scaled_product<T>(q_p, k_p_, 1, scoring)});
    return terms;
  }

 private:
  Matrix<T> q_x_, k_x_, q_p_, k_p_;
};

/// Takes all queries at once.
template <class T>
RowReader<T> whole_map(AttentionOutput<T>& out) {
  return {[&out](Index, AttentionOutput<T>& part) { out = std::move(part); },
          std::numeric_limits<Index>::max()};
}

void check_segments(const Encoding& encoding, const SegmentsIn& segments) {
  if (!segments.given() || encoding.traits().reads_segments) return;
  throw UsageError("segments of tokens", "are read by an encoding with a segment term only",
                   "drop them, or choose transformer_xl, which has XLNet's");
}

}  // namespace

template <class T>
Matrix<T> Projections<T>::queries(const MatrixIn<T>& x) const {
  return projected_by<T>(W_q, b_q, x, "b_q");
}

template <class T>
Matrix<T> Projections<T>::keys(const MatrixIn<T>& x) const {
  return projected_by<T>(W_k, b_k, x, "b_k");
}

template <class T>
Matrix<T> Projections<T>::values(const MatrixIn<T>& x) const {
  return projected_by<T>(W_v, b_v, x, "b_v");
}

template <class T>
Projections<T> Projections<T>::identity(Index d_model) {
  const Matrix<T> one = Matrix<T>::Identity(d_model, d_model);
  return {one, one, one};
}

template <class T>
Projections<T> random_projections(std::int64_t seed, int head, Index d_model, Index d_head) {
  const double deviation = 1.0 / std::sqrt(static_cast<double>(d_model));
  const auto draw = [&](std::string_view which) {
    Random random(seed, fmt::format("projection {} of head {}", which, head));
    return normal_matrix<T>(random, d_model, d_head, deviation);
  };
  return {draw("W_q"), draw("W_k"), draw("W_v")};
}

template <class T>
void attention_head_by_rows(const Encoding& encoding, const Projections<T>& projections,
                            const LayerContents<T>& in, const Mask& mask, const Scoring& scoring,
                            const RowReader<T>& reader) {
  check_contents(projections, in);
  check_segments(encoding, in.segments);
  const auto* input_term = dynamic_cast<const InputTerm<T>*>(&encoding);
  Matrix<T> x_q = in.x_q;
  Matrix<T> x_k = in.x_k;
  std::optional<FourTerms<T>> terms;
  if (input_term) {
    input_term->add_to_input(in.m, x_q);
    input_term->add_to_input(in.n, x_k);
    if (reader.map) terms.emplace(*input_term, projections, in);
  }
  const Matrix<T> q = projections.queries(x_q);
  const Matrix<T> k = projections.keys(x_k);
  const Matrix<T> v = projections.values(x_k);
  const auto use = [&](Index first, AttentionOutput<T>& part) {
    if (terms) {
      const Index count = part.logits.rows();
      std::vector<ScoreTerm<T>> four = terms->of_queries(first, count, scoring);
      if (scoring.rule.given()) {
        const std::vector<double> factors = logit_factors_of(
            scoring.rule,
            in.m.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)),
            mask.of_queries(first, count), in.x_k.rows());
        for (ScoreTerm<T>& term : four) scale_rows<T>(factors, term.logits);
      }
      if (mask.added()) four.push_back(std::move(part.terms.back()));
      part.terms = std::move(four);
    }
    reader.use(first, part);
  };
  attention_by_rows<T>({q, k, v, in.m, in.n, in.first_head, in.segments, &x_k},
                       SoftmaxDoors<T>::of(encoding), mask, scoring,
                       {use, reader.rows, reader.map, reader.threads});
}

template <class T>
AttentionOutput<T> attention_head(const Encoding& encoding, const Projections<T>& projections,
                                  const LayerContents<T>& in, const Mask& mask,
                                  const Scoring& scoring) {
  AttentionOutput<T> out;
  attention_head_by_rows<T>(encoding, projections, in, mask, scoring, whole_map(out));
  return out;
}

template <class T>
void attention_from_qkv_by_rows(const Encoding& encoding, const AttentionInputs<T>& in,
                                const Mask& mask, const Scoring& scoring,
                                const RowReader<T>& reader) {
  if (dynamic_cast<const InputTerm<T>*>(&encoding))
    throw UsageError("an encoding that adds to the input",
                     "acts before W_q and W_k, which are unknown when q and k are given",
                     "give x and the projections, or choose an encoding with another door");
  check_segments(encoding, in.segments);
  attention_by_rows(in, SoftmaxDoors<T>::of(encoding), mask, scoring, reader);
}

template <class T>
AttentionOutput<T> attention_from_qkv(const Encoding& encoding, const AttentionInputs<T>& in,
                                      const Mask& mask, const Scoring& scoring) {
  AttentionOutput<T> out;
  attention_from_qkv_by_rows<T>(encoding, in, mask, scoring, whole_map(out));
  return out;
}

#define ORRERY_INSTANTIATE(T)                                                                \
  template struct Projections<T>;                                                            \
  template Projections<T> random_projections(std::int64_t, int, Index, Index);               \
  template AttentionOutput<T> attention_head(const Encoding&, const Projections<T>&,         \
                                             const LayerContents<T>&, const Mask&,           \
                                             const Scoring&);                                \
  template AttentionOutput<T> attention_from_qkv(const Encoding&, const AttentionInputs<T>&, \
                                                 const Mask&, const Scoring&);               \
  template void attention_head_by_rows(const Encoding&, const Projections<T>&,               \
                                       const LayerContents<T>&, const Mask&, const Scoring&, \
                                       const RowReader<T>&);                                 \
  template void attention_from_qkv_by_rows(const Encoding&, const AttentionInputs<T>&,       \
                                           const Mask&, const Scoring&, const RowReader<T>&)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery
