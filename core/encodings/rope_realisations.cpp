#include "core/encodings/rope_realisations.h"

#include <fmt/format.h>

#include <complex>

#include "core/encodings/frequencies.h"
#include "core/errors.h"

namespace orrery {
namespace {

template <class T>
std::complex<T> phasor(const Rope<T>& rope, Position m, std::size_t t) {
  if (rope.is_muted(t)) return {};
  const CosSin turn = rounded_rotation(m, rope.rounded_theta()[t], rope.options().rounding,
                                       rope.attention_factor());
  return {static_cast<T>(turn.cos), static_cast<T>(turn.sin)};
}

template <class T>
std::complex<T> pair_of(const Rope<T>& rope, const MatrixIn<T>& x, Index row, std::size_t t) {
  const auto [a, b] = rope.channels(t);
  return {x(row, a), x(row, b)};
}

template <class T>
void check_rows(const Rope<T>& rope, PositionsIn m, const MatrixIn<T>& x) {
  check_positions(m, x.rows());
  if (x.cols() == rope.convention().d_head) return;
  throw UsageError(fmt::format("x with {} channels", x.cols()),
                   fmt::format("this RoPE was made for d_head={}", rope.convention().d_head),
                   "give x with as many channels");
}

}  // namespace

template <class T>
Matrix<T> rope_matrix(const Rope<T>& rope, Position m) {
  check_positions(Positions{m}, 1);
  Matrix<T> R = Matrix<T>::Identity(rope.convention().d_head, rope.convention().d_head);
  for (std::size_t t = 0; t < rope.theta().size(); ++t) {
    const auto [a, b] = rope.channels(t);
    const std::complex<T> turn = phasor(rope, m, t);
    R(a, a) = R(b, b) = turn.real();
    R(a, b) = -turn.imag();
    R(b, a) = turn.imag();
  }
  return R;
}

template <class T>
Matrix<T> rope_by_matrix(const Rope<T>& rope, PositionsIn m, const MatrixIn<T>& x) {
  check_rows<T>(rope, m, x);
  Matrix<T> y(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i)
    y.row(i) = x.row(i) * rope_matrix(rope, m[static_cast<std::size_t>(i)]).transpose();
  return y;
}

template <class T>
Matrix<T> rope_by_complex(const Rope<T>& rope, PositionsIn m, const MatrixIn<T>& x) {
  check_rows<T>(rope, m, x);
  Matrix<T> y = x;
  for (Index i = 0; i < x.rows(); ++i) {
    for (std::size_t t = 0; t < rope.theta().size(); ++t) {
      const auto [a, b] = rope.channels(t);
      const std::complex<T> turned =
          pair_of<T>(rope, x, i, t) * phasor(rope, m[static_cast<std::size_t>(i)], t);
      y(i, a) = turned.real();
      y(i, b) = turned.imag();
    }
  }
  return y;
}

template <class T>
T rope_complex_score(const Rope<T>& rope, const MatrixIn<T>& q, const MatrixIn<T>& k, Position m,
                     Position n) {
  check_rows<T>(rope, Positions{m}, q);
  check_rows<T>(rope, Positions{n}, k);
  T score = 0;
  for (Index c = 0; c < q.cols(); ++c) score += rope.turns(c) ? T(0) : q(0, c) * k(0, c);
  const T a = static_cast<T>(rope.attention_factor());  // once in the phasor, once here
  for (std::size_t t = 0; t < rope.theta().size(); ++t) {
    const std::complex<T> h = pair_of<T>(rope, q, 0, t) * std::conj(pair_of<T>(rope, k, 0, t));
    score += a * (h * phasor(rope, relative_position(m, n), t)).real();
  }
  return score;
}

template Matrix<float> rope_matrix(const Rope<float>&, Position);
template Matrix<double> rope_matrix(const Rope<double>&, Position);
template Matrix<float> rope_by_matrix(const Rope<float>&, PositionsIn, const MatrixIn<float>&);
template Matrix<double> rope_by_matrix(const Rope<double>&, PositionsIn, const MatrixIn<double>&);
template Matrix<float> rope_by_complex(const Rope<float>&, PositionsIn, const MatrixIn<float>&);
template Matrix<double> rope_by_complex(const Rope<double>&, PositionsIn, const MatrixIn<double>&);
template float rope_complex_score(const Rope<float>&, const MatrixIn<float>&,
                                  const MatrixIn<float>&, Position, Position);
template double rope_complex_score(const Rope<double>&, const MatrixIn<double>&,
                                   const MatrixIn<double>&, Position, Position);

}  // namespace orrery
