#pragma once

#include "core/analysis/largest.h"
#include "core/attention/head.h"

namespace orrery::test {

/// Attention among three tokens at positions 0, 1, 2 with the same q, k and v, so that they differ
/// only in position.
inline AttentionOutput<double> three_tokens(const Encoding& encoding, const Matrix<double>& q,
                                            const Matrix<double>& k, const Matrix<double>& v,
                                            int head = 0) {
  const Positions at{0, 1, 2};
  const Matrix<double> queries = q.replicate(3, 1);
  const Matrix<double> keys = k.replicate(3, 1);
  const Matrix<double> values = v.replicate(3, 1);
  return attention_from_qkv<double>(encoding, {queries, keys, values, at, at, head});
}

inline Matrix<double> matrix(Index rows, Index columns, std::initializer_list<double> values) {
  Matrix<double> m(rows, columns);
  std::copy(values.begin(), values.end(), m.data());
  return m;
}

inline bool near(const Matrix<double>& a, const Matrix<double>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         orrery::largest_difference<double>(a, b) < 1e-14;
}

}  // namespace orrery::test
