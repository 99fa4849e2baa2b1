#include "core/analysis/mean_logits.h"

#include <cmath>

#include "core/attention/softmax_attention.h"

namespace orrery {
namespace {

/// Logits of one content at all queries against the same content at position 0.
struct Logits {
  Matrix<double> total;    ///< [queries, 1]
  Matrix<double> content;  ///< [queries, 1]
};

Logits logits_of(const Encoding& encoding, const Matrix<double>& x, PositionsIn queries, int head) {
  static const Positions origin{0};
  Matrix<double> q(static_cast<Index>(queries.size()), x.cols());
  q.rowwise() = x.row(0);
  Matrix<double> k = x;
  const auto* input_term = dynamic_cast<const InputTerm<double>*>(&encoding);
  if (input_term) {
    input_term->add_to_input(queries, q);
    input_term->add_to_input(origin, k);
  }
  const AttentionOutput<double> out = softmax_attention<double>({q, k, k, queries, origin, head},
                                                                SoftmaxDoors<double>::of(encoding));
  if (!input_term) return {out.logits, out.terms.front().logits};
  const double plain = x.squaredNorm() / std::sqrt(static_cast<double>(x.cols()));
  return {out.logits, Matrix<double>::Constant(out.logits.rows(), 1, plain)};
}

}  // namespace

MeanLogits mean_logits(const Encoding& encoding, Index d, double squared_norm, PositionsIn queries,
                       int head) {
  const Matrix<double> x =
      Matrix<double>::Constant(1, d, std::sqrt(squared_norm / static_cast<double>(d)));
  const Logits plus = logits_of(encoding, x, queries, head);
  const Logits minus = logits_of(encoding, -x, queries, head);
  const Matrix<double> total = (plus.total + minus.total) / 2;
  const Matrix<double> position = total - (plus.content + minus.content) / 2;
  MeanLogits mean{{total.data(), total.data() + total.size()},
                  {position.data(), position.data() + position.size()}};
  return mean;
}

double squared_norm_for(const Encoding& encoding, Index d, double match, int head) {
  const MeanLogits unit = mean_logits(encoding, d, 1.0, Positions{0}, head);
  return match / (unit.total.front() - unit.position.front());
}

}  // namespace orrery
