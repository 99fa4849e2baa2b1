#include "core/attention/softmax_attention.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/attention/content.h"
#include "core/errors.h"
#include "core/product.h"

namespace orrery {
namespace {

template <class T>
void check_inputs(const AttentionInputs<T>& in) {
  check_positions(in.m, in.q.rows());
  check_positions(in.n, in.k.rows());
  if (in.v.rows() != in.k.rows())
    throw UsageError(fmt::format("v with {} rows and k with {}", in.v.rows(), in.k.rows()),
                     "every key has one value", "give as many rows in v as in k");
}

template <class T>
struct Transformed {
  Matrix<T> q;
  Matrix<T> k;
};

template <class T>
Transformed<T> transformed(const AttentionInputs<T>& in, const SoftmaxDoors<T>& doors,
                           const StageRounding& rounding) {
  Transformed<T> t{in.q, in.k};
  rounding.apply<T>(Stage::qk, t.q);
  rounding.apply<T>(Stage::qk, t.k);
  if (doors.qk_transform) {
    doors.qk_transform->transform_queries(in.m, t.q);
    doors.qk_transform->transform_keys(in.n, t.k);
  }
  return t;
}

template <class T>
std::vector<ScoreTerm<T>> terms_of(const ScoreInputs<T>& scores, const SoftmaxDoors<T>& doors,
                                   const Mask& mask) {
  std::vector<ScoreTerm<T>> terms;
  if (doors.score_terms)
    terms = doors.score_terms->score_terms(scores);
  else
    terms.push_back(scaled_content_term<T>(scores));
  if (mask.added()) terms.push_back(mask_term<T>(mask));
  return terms;
}

bool sees_a_key(const Mask& mask, Index query, Index keys) {
  for (Index key = 0; key < keys; ++key)
    if (mask.allows(query, key)) return true;
  return false;
}

/// The largest logit that the query sees; NaN if any of them is NaN.
template <class T>
T visible_maximum(const Mask& mask, const Matrix<T>& logits, Index i) {
  T largest = -std::numeric_limits<T>::infinity();
  for (Index j = 0; j < logits.cols(); ++j) {
    if (!mask.allows(i, j)) continue;
    const T logit = logits(i, j);
    if (std::isnan(logit)) return logit;
    if (logit > largest) largest = logit;
  }
  return largest;
}

template <class T>
void softmax_row(const Mask& mask, Index i, T largest, AttentionOutput<T>& out) {
  double sum = 0;
  for (Index j = 0; j < out.logits.cols(); ++j) {
    // A vectorised exp gives a tiny non-zero for −inf: masked cells never reach it.
    const T weight = mask.allows(i, j) ? std::exp(out.logits(i, j) - largest) : T(0);
    out.weights(i, j) = weight;
    sum += static_cast<double>(weight);
  }
  out.weights.row(i) *= static_cast<T>(1.0 / sum);
}

}  // namespace

template <class T>
SoftmaxDoors<T> SoftmaxDoors<T>::of(const Encoding& encoding) {
  return {dynamic_cast<const QkTransform<T>*>(&encoding),
          dynamic_cast<const ScoreTerms<T>*>(&encoding),
          dynamic_cast<const ValueTerm<T>*>(&encoding)};
}

template <class T>
ScoreTerm<T> mask_term(const Mask& mask) {
  return {"mask", mask.added()->template cast<T>()};
}

template <class T>
void masked_softmax(const Mask& mask, AttentionOutput<T>& out) {
  mask.check_shape(out.logits.rows(), out.logits.cols());
  out.weights = Matrix<T>::Zero(out.logits.rows(), out.logits.cols());
  out.fully_masked_rows = 0;
  out.nan_rows = 0;
  for (Index i = 0; i < out.logits.rows(); ++i) {
    if (!sees_a_key(mask, i, out.logits.cols())) {
      ++out.fully_masked_rows;
      continue;
    }
    const T largest = visible_maximum(mask, out.logits, i);
    if (!std::isfinite(largest)) ++out.nan_rows;
    softmax_row(mask, i, largest, out);
  }
}

template <class T>
AttentionOutput<T> softmax_attention(const AttentionInputs<T>& in, const SoftmaxDoors<T>& doors,
                                     const Mask& mask, const Scoring& scoring) {
  check_inputs(in);
  const StageRounding& rounding = scoring.rounding;
  const Transformed<T> t = transformed(in, doors, rounding);
  AttentionOutput<T> out;
  mask.check_shape(in.q.rows(), in.k.rows());
  out.terms = terms_of<T>({t.q, t.k, in.m, in.n, in.head, scoring, in.segments}, doors, mask);
  // Biases from a table are no products and have not been rounded before.
  for (ScoreTerm<T>& term : out.terms) rounding.apply<T>(Stage::scale, term.logits);
  out.logits = out.terms.front().logits;
  for (std::size_t i = 1; i < out.terms.size(); ++i) out.logits += out.terms[i].logits;
  rounding.apply<T>(Stage::logits, out.logits);
  masked_softmax(mask, out);
  rounding.apply<T>(Stage::weights, out.weights);
  const Matrix<T> v = rounding.rounded<T>(Stage::value, Matrix<T>(in.v));
  out.output = assigned_product<T>(out.weights, v);
  if (doors.value_term) doors.value_term->add_to_output({out.weights, v, in.m, in.n}, out.output);
  rounding.apply<T>(Stage::output, out.output);
  return out;
}

template struct SoftmaxDoors<float>;
template struct SoftmaxDoors<double>;
template ScoreTerm<float> mask_term(const Mask&);
template ScoreTerm<double> mask_term(const Mask&);
template void masked_softmax<float>(const Mask&, AttentionOutput<float>&);
template void masked_softmax<double>(const Mask&, AttentionOutput<double>&);
template AttentionOutput<float> softmax_attention(const AttentionInputs<float>&,
                                                  const SoftmaxDoors<float>&, const Mask&,
                                                  const Scoring&);
template AttentionOutput<double> softmax_attention(const AttentionInputs<double>&,
                                                   const SoftmaxDoors<double>&, const Mask&,
                                                   const Scoring&);

}  // namespace orrery
