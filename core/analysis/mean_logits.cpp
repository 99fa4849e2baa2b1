#include "core/analysis/mean_logits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/softmax_attention.h"

namespace orrery {
namespace {

/// Logits of one content at all queries against the same content at position 0.
struct Logits {
  Matrix<double> total;    ///< [queries, 1]
  Matrix<double> content;  ///< [queries, 1]
};

Logits logits_of(const Encoding& encoding, const Matrix<double>& x, PositionsIn queries, int head) {
  const Positions n = keys_beside_origin(encoding, queries);
  Matrix<double> q(static_cast<Index>(queries.size()), x.cols());
  Matrix<double> k(static_cast<Index>(n.size()), x.cols());
  q.rowwise() = x.row(0);
  k.rowwise() = x.row(0);
  const auto* input_term = dynamic_cast<const InputTerm<double>*>(&encoding);
  if (input_term) {
    input_term->add_to_input(queries, q);
    input_term->add_to_input(n, k);
  }
  const AttentionOutput<double> out =
      attention_logits<double>({.q = q, .k = k, .v = k, .m = queries, .n = n, .head = head},
                               SoftmaxDoors<double>::of(encoding));
  if (!input_term) return {out.logits.leftCols(1), out.terms.front().logits.leftCols(1)};
  const double plain = x.squaredNorm() / std::sqrt(static_cast<double>(x.cols()));
  return {out.logits.leftCols(1), Matrix<double>::Constant(out.logits.rows(), 1, plain)};
}

/// The contents whose mean is asked for, without those of opposite sign. [directions, d]
Matrix<double> directions_of(const Encoding& encoding, Index d, double length) {
  const Matrix<double> unit = encoding.mean_directions(d);
  if (unit.size() > 0) return length * unit;
  return Matrix<double>::Constant(1, d, length / std::sqrt(static_cast<double>(d)));
}

}  // namespace

Positions keys_beside_origin(const Encoding& encoding, PositionsIn queries) {
  if (!encoding.traits().reads_other_keys || queries.empty()) return {0};
  return consecutive_positions(std::max<Position>(0, queries.back()) + 1);
}

Position last_askable(const Encoding& encoding) {
  const EncodingTraits traits = encoding.traits();
  const bool far = traits.reads_other_keys && traits.last_position > most_tokens_between;
  return far ? most_tokens_between : traits.last_position;
}

MeanLogits mean_logits(const Encoding& encoding, Index d, double squared_norm, PositionsIn queries,
                       int head) {
  PositionsIn asked = queries;
  if (encoding.traits().reads_other_keys)  // ascending queries
    while (!asked.empty() && asked.back() > most_tokens_between)
      asked = asked.first(asked.size() - 1);
  const Matrix<double> directions = directions_of(encoding, d, std::sqrt(squared_norm));
  const auto rows = static_cast<Index>(asked.size());
  Matrix<double> total = Matrix<double>::Zero(rows, 1), content = total;
  for (Index i = 0; i < directions.rows() && rows > 0; ++i)
    for (const double sign : {1.0, -1.0}) {
      const Logits found = logits_of(encoding, sign * directions.row(i), asked, head);
      total += found.total;
      content += found.content;
    }
  const double count = 2.0 * static_cast<double>(directions.rows());
  total /= count;
  const Matrix<double> position = total - content / count;
  MeanLogits mean{{total.data(), total.data() + total.size()},
                  {position.data(), position.data() + position.size()}};
  mean.total.resize(queries.size(), std::numeric_limits<double>::quiet_NaN());
  mean.position.resize(queries.size(), std::numeric_limits<double>::quiet_NaN());
  return mean;
}

double squared_norm_for(const Encoding& encoding, Index d, double match, int head) {
  const MeanLogits unit = mean_logits(encoding, d, 1.0, Positions{0}, head);
  return match / (unit.total.front() - unit.position.front());
}

}  // namespace orrery
