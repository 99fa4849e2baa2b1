#include "core/attention/head.h"

#include <fmt/format.h>

#include <cmath>

#include "core/attention/check_contents.h"
#include "core/attention/content.h"
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

/// Eq. (6): (x_m + p_m)ᵀ W_qᵀ W_k (x_n + p_n) / √d, multiplied out.
template <class T>
std::vector<ScoreTerm<T>> four_terms(const InputTerm<T>& term, const Projections<T>& w,
                                     const HeadInputs<T>& in, const Scoring& scoring) {
  const Matrix<T> q_x = w.queries(in.x_q);
  const Matrix<T> k_x = w.keys(in.x_k);
  const Matrix<T> q_p = product<T>(added_vectors(term, in.m, in.x_q.cols()), w.W_q);
  const Matrix<T> k_p = product<T>(added_vectors(term, in.n, in.x_k.cols()), w.W_k);
  std::vector<ScoreTerm<T>> terms;
  terms.push_back(ScoreTerm<T>{"content", scaled_product<T>(q_x, k_x, 1, scoring)});
  terms.push_back(ScoreTerm<T>{"content_to_position", scaled_product<T>(q_x, k_p, 1, scoring)});
  terms.push_back(ScoreTerm<T>{"position_to_content", scaled_product<T>(q_p, k_x, 1, scoring)});
  terms.push_back(ScoreTerm<T>{"position_to_position", scaled_product<T>(q_p, k_p, 1, scoring)});
  return terms;
}

void check_segments(const Encoding& encoding, const SegmentsIn& segments) {
  if (!segments.given() || encoding.reads_segments()) return;
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
AttentionOutput<T> attention_head(const Encoding& encoding, const Projections<T>& projections,
                                  const HeadInputs<T>& in, const Mask& mask,
                                  const Scoring& scoring) {
  check_contents(projections, in);
  check_segments(encoding, in.segments);
  const auto* input_term = dynamic_cast<const InputTerm<T>*>(&encoding);
  Matrix<T> x_q = in.x_q;
  Matrix<T> x_k = in.x_k;
  if (input_term) {
    input_term->add_to_input(in.m, x_q);
    input_term->add_to_input(in.n, x_k);
  }
  const Matrix<T> q = projections.queries(x_q);
  const Matrix<T> k = projections.keys(x_k);
  const Matrix<T> v = projections.values(x_k);
  AttentionOutput<T> out = softmax_attention<T>({q, k, v, in.m, in.n, in.head, in.segments},
                                                SoftmaxDoors<T>::of(encoding), mask, scoring);
  if (input_term) {
    out.terms = four_terms(*input_term, projections, in, scoring);
    if (mask.added()) out.terms.push_back(mask_term<T>(mask));
  }
  return out;
}

template <class T>
AttentionOutput<T> attention_from_qkv(const Encoding& encoding, const AttentionInputs<T>& in,
                                      const Mask& mask, const Scoring& scoring) {
  if (dynamic_cast<const InputTerm<T>*>(&encoding))
    throw UsageError("an encoding that adds to the input",
                     "acts before W_q and W_k, which are unknown when q and k are given",
                     "give x and the projections, or choose an encoding with another door");
  check_segments(encoding, in.segments);
  return softmax_attention(in, SoftmaxDoors<T>::of(encoding), mask, scoring);
}

template struct Projections<float>;
template struct Projections<double>;
template Projections<float> random_projections(std::int64_t, int, Index, Index);
template Projections<double> random_projections(std::int64_t, int, Index, Index);
template AttentionOutput<float> attention_head(const Encoding&, const Projections<float>&,
                                               const HeadInputs<float>&, const Mask&,
                                               const Scoring&);
template AttentionOutput<double> attention_head(const Encoding&, const Projections<double>&,
                                                const HeadInputs<double>&, const Mask&,
                                                const Scoring&);
template AttentionOutput<float> attention_from_qkv(const Encoding&, const AttentionInputs<float>&,
                                                   const Mask&, const Scoring&);
template AttentionOutput<double> attention_from_qkv(const Encoding&, const AttentionInputs<double>&,
                                                    const Mask&, const Scoring&);

}  // namespace orrery
