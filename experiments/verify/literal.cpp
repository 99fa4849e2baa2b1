#include "experiments/verify/literal.h"

#include <cmath>

namespace orrery::literal {
namespace {

long double theta(Index t, Index d, double base) {
  return std::pow(static_cast<long double>(base),
                  -2.0L * static_cast<long double>(t) / static_cast<long double>(d));
}

long double angle(Position m, Index t, Index d, double base) {
  return static_cast<long double>(m) * theta(t, d, base);
}

}  // namespace

Rows scores(const Rows& q, const Rows& k, double scale) {
  Rows logits(q.rows(), k.rows());
  for (Index m = 0; m < q.rows(); ++m) {
    for (Index n = 0; n < k.rows(); ++n) {
      long double sum = 0;
      for (Index c = 0; c < q.cols(); ++c)
        sum += static_cast<long double>(q(m, c)) * static_cast<long double>(k(n, c));
      logits(m, n) = static_cast<double>(sum / static_cast<long double>(scale));
    }
  }
  return logits;
}

Rows softmax(const Rows& logits) {
  Rows weights(logits.rows(), logits.cols());
  for (Index m = 0; m < logits.rows(); ++m) {
    long double sum = 0;
    for (Index n = 0; n < logits.cols(); ++n)
      sum += std::exp(static_cast<long double>(logits(m, n)));
    for (Index n = 0; n < logits.cols(); ++n)
      weights(m, n) = static_cast<double>(std::exp(static_cast<long double>(logits(m, n))) / sum);
  }
  return weights;
}

Rows weighted_sum(const Rows& weights, const Rows& v) {
  Rows out(weights.rows(), v.cols());
  for (Index m = 0; m < out.rows(); ++m) {
    for (Index c = 0; c < out.cols(); ++c) {
      long double sum = 0;
      for (Index n = 0; n < v.rows(); ++n)
        sum += static_cast<long double>(weights(m, n)) * static_cast<long double>(v(n, c));
      out(m, c) = static_cast<double>(sum);
    }
  }
  return out;
}

Rows projected(const Rows& x, const Rows& w) { return weighted_sum(x, w); }

Rows rotation(Index d, double base, Position m) {
  Rows r = Rows::Zero(d, d);
  for (Index t = 0; t < d / 2; ++t) {
    const auto c = static_cast<double>(std::cos(angle(m, t, d, base)));
    const auto s = static_cast<double>(std::sin(angle(m, t, d, base)));
    r(2 * t, 2 * t) = c;
    r(2 * t, 2 * t + 1) = -s;
    r(2 * t + 1, 2 * t) = s;
    r(2 * t + 1, 2 * t + 1) = c;
  }
  return r;
}

Rows sinusoids(const Positions& positions, Index d, double base) {
  Rows p(static_cast<Index>(positions.size()), d);
  for (Index i = 0; i < p.rows(); ++i) {
    for (Index t = 0; t < d / 2; ++t) {
      const long double a = angle(positions[static_cast<std::size_t>(i)], t, d, base);
      p(i, 2 * t) = static_cast<double>(std::sin(a));
      p(i, 2 * t + 1) = static_cast<double>(std::cos(a));
    }
  }
  return p;
}

Rows concatenated_sinusoid(Position distance, Index d, double base) {
  Rows r(1, d);
  for (Index t = 0; t < d / 2; ++t) {
    r(0, t) = static_cast<double>(std::sin(angle(distance, t, d, base)));
    r(0, d / 2 + t) = static_cast<double>(std::cos(angle(distance, t, d, base)));
  }
  return r;
}

Rows elementwise_rotation(const Rows& x, double base, Position m, bool misprinted) {
  const Index d = x.cols();
  Rows y(1, d);
  for (Index t = 0; t < d / 2; ++t) {
    const auto c = static_cast<double>(std::cos(angle(m, t, d, base)));
    const auto s = static_cast<double>(std::sin(angle(m, t, d, base)));
    const bool wrong = misprinted && t == d / 2 - 1;
    y(0, 2 * t) = x(0, 2 * t) * c + (wrong ? -x(0, 2 * t) : -x(0, 2 * t + 1)) * s;
    y(0, 2 * t + 1) = x(0, 2 * t + 1) * c + (wrong ? x(0, 2 * t + 1) : x(0, 2 * t)) * s;
  }
  return y;
}

Index t5_bucket(Position key_minus_query) {
  const Position distance = std::abs(key_minus_query);
  const Index ahead = key_minus_query > 0 ? 16 : 0;
  if (distance < 8) return ahead + distance;
  const long double place = std::log(static_cast<long double>(distance) / 8) / std::log(16.0L) * 8;
  return ahead + std::min<Index>(15, 8 + static_cast<Index>(place));
}

}  // namespace orrery::literal
