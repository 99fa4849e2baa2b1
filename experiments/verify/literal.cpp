#include "experiments/verify/literal.h"

#include <algorithm>
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

namespace {

using Complex = std::complex<Real>;

Real angle(Position m, Index t, Index d, double base) {
  return static_cast<Real>(m) * theta(t, d, base);
}

Position at_row(const Positions& positions, Index i) {
  return positions[static_cast<std::size_t>(i)];
}

/// All sines, then all cosines, of position·frequency(t).
Rows sines_then_cosines(const Positions& positions, Index d,
                        const std::function<Real(Index)>& frequency) {
  Rows p = Rows::Zero(static_cast<Index>(positions.size()), d);
  for (Index i = 0; i < p.rows(); ++i) {
    for (Index t = 0; t < d / 2; ++t) {
      const Real a = static_cast<Real>(at_row(positions, i)) * frequency(t);
      p(i, t) = static_cast<double>(std::sin(a));
      p(i, d / 2 + t) = static_cast<double>(std::cos(a));
    }
  }
  return p;
}

}  // namespace

Real theta(Index t, Index d, double base) {
  return std::pow(static_cast<Real>(base), -2.0L * static_cast<Real>(t) / static_cast<Real>(d));
}

Real frequency(const Rotary& rotary, Index t) {
  return rotary.scaled.empty() ? theta(t, rotary.denominator, rotary.base)
                               : rotary.scaled[static_cast<std::size_t>(t)];
}

Rows turned(const Rows& x, const Positions& at, const Rotary& rotary) {
  Rows y = x;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index t = 0; t < rotary.turning / 2; ++t) {
      const Real a = static_cast<Real>(at_row(at, i)) * frequency(rotary, t);
      const Real c = rotary.factor * std::cos(a), s = rotary.factor * std::sin(a);
      const Index first = rotary.offset == 0 ? 2 * t : t;
      const Index second = rotary.offset == 0 ? 2 * t + 1 : t + rotary.offset;
      y(i, first) = static_cast<double>(x(i, first) * c - x(i, second) * s);
      y(i, second) = static_cast<double>(x(i, second) * c + x(i, first) * s);
    }
  }
  return y;
}

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

Rows turned_as_complex(const Rows& x, const Positions& at, double base) {
  Rows y(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index t = 0; t < x.cols() / 2; ++t) {
      const Complex z(x(i, 2 * t), x(i, 2 * t + 1));
      const Complex moved = z * std::polar(1.0L, angle(at_row(at, i), t, x.cols(), base));
      y(i, 2 * t) = static_cast<double>(moved.real());
      y(i, 2 * t + 1) = static_cast<double>(moved.imag());
    }
  }
  return y;
}

Rows relative_scores(const Rows& q, const Rows& k, const Positions& m, const Positions& n,
                     const Rotary& rotary) {
  return pairs(q.rows(), k.rows(), [&](Index i, Index j) {
    std::vector<bool> pairwise(static_cast<std::size_t>(q.cols()), false);
    Real sum = 0;
    for (Index t = 0; t < rotary.turning / 2; ++t) {
      const Index a = rotary.offset == 0 ? 2 * t : t;
      const Index b = rotary.offset == 0 ? 2 * t + 1 : t + rotary.offset;
      const Complex h = Complex(q(i, a), q(i, b)) * std::conj(Complex(k(j, a), k(j, b)));
      const Position r = at_row(m, i) - at_row(n, j);
      const Real turn = static_cast<Real>(r) * frequency(rotary, t);
      sum += rotary.factor * rotary.factor * (h * std::polar(1.0L, turn)).real();
      pairwise[static_cast<std::size_t>(a)] = pairwise[static_cast<std::size_t>(b)] = true;
    }
    for (Index c = 0; c < q.cols(); ++c)
      if (!pairwise[static_cast<std::size_t>(c)]) sum += static_cast<Real>(q(i, c)) * k(j, c);
    return sum;
  });
}

std::vector<Complex> pair_products(const Rows& q, const Rows& k) {
  std::vector<Complex> h;
  for (Index c = 0; c < q.cols(); c += 2)
    h.push_back(Complex(q(0, c), q(0, c + 1)) * std::conj(Complex(k(0, c), k(0, c + 1))));
  return h;
}

std::vector<Complex> phasor_sums(Index d, double base, Position r) {
  std::vector<Complex> S;
  for (Index j = 1; j <= d / 2; ++j) {
    Complex sum = 0;
    for (Index t = 0; t < j; ++t) sum += std::polar(1.0L, angle(r, t, d, base));
    S.push_back(sum);
  }
  return S;
}

Rows sinusoids(const Positions& positions, Index d, double base) {
  Rows p(static_cast<Index>(positions.size()), d);
  for (Index i = 0; i < p.rows(); ++i) {
    for (Index t = 0; t < d / 2; ++t) {
      p(i, 2 * t) = static_cast<double>(std::sin(angle(at_row(positions, i), t, d, base)));
      p(i, 2 * t + 1) = static_cast<double>(std::cos(angle(at_row(positions, i), t, d, base)));
    }
  }
  return p;
}

Rows concatenated_sinusoids(const Positions& positions, Index d, double base) {
  return sines_then_cosines(positions, d, [&](Index t) { return theta(t, d, base); });
}

Rows tensor2tensor_sinusoids(const Positions& positions, Index d, double base) {
  const Index last = d / 2 - 1;
  return sines_then_cosines(positions, d, [&](Index t) {
    return std::pow(static_cast<Real>(base), -static_cast<Real>(t) / static_cast<Real>(last));
  });
}

Rows rows_at(const Rows& table, const Positions& positions, Index first) {
  Rows rows(static_cast<Index>(positions.size()), table.cols());
  for (Index i = 0; i < rows.rows(); ++i)
    rows.row(i) = table.row(positions[static_cast<std::size_t>(i)] + first);
  return rows;
}

Index t5_bucket(Position key_minus_query, Index buckets, Position max_distance,
                bool bidirectional) {
  const Index side = bidirectional ? buckets / 2 : buckets;
  const Index ahead = bidirectional && key_minus_query > 0 ? side : 0;
  if (!bidirectional && key_minus_query > 0) return 0;
  const Position distance = key_minus_query < 0 ? -key_minus_query : key_minus_query;
  const Index near = side / 2;
  if (distance < near) return ahead + distance;
  const Real place = std::log(static_cast<Real>(distance) / static_cast<Real>(near)) /
                     std::log(static_cast<Real>(max_distance) / static_cast<Real>(near)) *
                     static_cast<Real>(side - near);
  return ahead + std::min<Index>(side - 1, near + static_cast<Index>(std::floor(place)));
}

Index deberta_delta(Position query_minus_key, Position k) {
  if (query_minus_key <= -k) return 0;
  if (query_minus_key >= k) return 2 * k - 1;
  return query_minus_key + k;
}

Position deberta_bucket(Position query_minus_key, Position buckets, Position max_distance,
                        bool clamped) {
  const Position middle = buckets / 2;
  Position distance = query_minus_key < 0 ? -query_minus_key : query_minus_key;
  if (clamped) distance = std::min(distance, max_distance - 1);
  if (distance <= middle) return query_minus_key < 0 ? -distance : distance;
  const Real place = std::log(static_cast<Real>(distance) / static_cast<Real>(middle)) /
                     std::log(static_cast<Real>(max_distance - 1) / static_cast<Real>(middle)) *
                     static_cast<Real>(middle - 1);
  const Position bucket = static_cast<Position>(std::ceil(place)) + middle;
  return query_minus_key < 0 ? -bucket : bucket;
}

std::vector<double> alibi_slopes(int heads) {
  int power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<double> slopes;
  for (int h = 1; h <= power; ++h) slopes.push_back(std::pow(2.0, -8.0 * h / power));
  if (power == heads) return slopes;
  const std::vector<double> twice = alibi_slopes(2 * power);
  for (int h = 0; h < heads - power; ++h) slopes.push_back(twice[2 * static_cast<std::size_t>(h)]);
  return slopes;
}

}  // namespace orrery::literal
