#include "experiments/verify/literal.h"

#include <cmath>

namespace orrery::literal {

Real dot(const Rows& a, Index i, const Rows& b, Index j) {
  Real sum = 0;
  for (Index c = 0; c < a.cols(); ++c) sum += static_cast<Real>(a(i, c)) * b(j, c);
  return sum;
}

Rows pairs(Index queries, Index keys, const std::function<Real(Index, Index)>& score) {
  Rows out(queries, keys);
  for (Index i = 0; i < queries; ++i)
    for (Index j = 0; j < keys; ++j) out(i, j) = static_cast<double>(score(i, j));
  return out;
}

Rows product(const Rows& a, const Rows& b) {
  return pairs(a.rows(), b.cols(), [&](Index i, Index c) {
    Real sum = 0;
    for (Index n = 0; n < b.rows(); ++n) sum += static_cast<Real>(a(i, n)) * b(n, c);
    return sum;
  });
}

Rows scores(const Rows& q, const Rows& k, double scale) {
  return pairs(q.rows(), k.rows(), [&](Index i, Index j) { return dot(q, i, k, j) / scale; });
}

Rows head_columns(const Rows& w, Index h, Index width) {
  Rows part(w.rows(), width);
  for (Index i = 0; i < w.rows(); ++i)
    for (Index c = 0; c < width; ++c) part(i, c) = w(i, h * width + c);
  return part;
}

Rows softmax(const Rows& logits, const Visible& visible) {
  Rows weights = Rows::Zero(logits.rows(), logits.cols());
  for (Index m = 0; m < logits.rows(); ++m) {
    Real sum = 0;
    for (Index n = 0; n < logits.cols(); ++n)
      if (visible(m, n)) sum += std::exp(static_cast<Real>(logits(m, n)));
    for (Index n = 0; n < logits.cols(); ++n)
      if (visible(m, n))
        weights(m, n) = static_cast<double>(std::exp(static_cast<Real>(logits(m, n))) / sum);
  }
  return weights;
}

KernelAttention kernel_attention(const Rows& above, const Rows& below, const Rows& v,
                                 const Visible& visible, double epsilon) {
  KernelAttention out{
      Rows::Zero(above.rows(), above.cols()), {}, Rows(above.rows(), 1), Rows(above.rows(), 1)};
  for (Index m = 0; m < above.rows(); ++m) {
    Real numerator = 0;
    Real denominator = epsilon;
    for (Index n = 0; n < above.cols(); ++n) {
      if (!visible(m, n)) continue;
      numerator += above(m, n);
      denominator += below(m, n);
    }
    out.numerators(m, 0) = static_cast<double>(numerator);
    out.denominators(m, 0) = static_cast<double>(denominator);
    for (Index n = 0; n < above.cols(); ++n)
      if (visible(m, n)) out.weights(m, n) = static_cast<double>(above(m, n) / denominator);
  }
  out.output = product(out.weights, v);
  return out;
}

Rows elu_plus_one(const Rows& x) {
  Rows y = x;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index c = 0; c < x.cols(); ++c) y(i, c) = x(i, c) > 0 ? x(i, c) + 1 : std::exp(x(i, c));
  return y;
}

Rows relu(const Rows& x) {
  Rows y = x;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index c = 0; c < x.cols(); ++c)
      if (x(i, c) < 0) y(i, c) = 0;
  return y;
}

Rows favor(const Rows& x, const Rows& w) {
  const Real quarter = std::pow(static_cast<Real>(x.cols()), 0.25L);
  const Real root = std::sqrt(static_cast<Real>(w.rows()));
  return pairs(x.rows(), w.rows(), [&](Index i, Index r) {
    const Real half_square = dot(x, i, x, i) / (quarter * quarter) / 2;
    return std::exp(dot(x, i, w, r) / quarter - half_square) / root;
  });
}

Rows layer_norm(const Rows& rows, const Rows& gain, const Rows& bias, Real epsilon) {
  Rows out(rows.rows(), rows.cols());
  const auto width = static_cast<Real>(rows.cols());
  for (Index i = 0; i < rows.rows(); ++i) {
    Real mean = 0, variance = 0;
    for (Index c = 0; c < rows.cols(); ++c) mean += rows(i, c) / width;
    for (Index c = 0; c < rows.cols(); ++c)
      variance += (rows(i, c) - mean) * (rows(i, c) - mean) / width;
    for (Index c = 0; c < rows.cols(); ++c)
      out(i, c) =
          static_cast<double>((rows(i, c) - mean) / std::sqrt(variance + epsilon)) * gain(0, c) +
          bias(0, c);
  }
  return out;
}

}  // namespace orrery::literal
