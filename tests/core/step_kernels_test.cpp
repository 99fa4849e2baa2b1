#include "core/kernels/steps.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "core/random.h"
#include "core/types.h"

using namespace orrery;
using namespace orrery::kernels;

namespace {

std::vector<Level> levels_of_steps() {
  std::vector<Level> found;
  for (const Level level : {Level::baseline, Level::v3, Level::v4})
    if (has_level(level)) found.push_back(level);
  return found;
}

template <class T>
constexpr double tolerance = 20 * static_cast<double>(std::numeric_limits<T>::epsilon());

template <class T>
Matrix<T> drawn(Index rows, Index columns, const char* what) {
  Random random(8, what);
  return normal_matrix<T>(random, rows, columns);
}

template <class T>
void check_close(const Matrix<T>& found, const Matrix<double>& exact) {
  for (Index i = 0; i < exact.size(); ++i)
    CHECK(static_cast<double>(found.data()[i]) ==
          Approx(exact.data()[i]).epsilon(tolerance<T>).margin(tolerance<T>));
}

Matrix<double> softmax_of(const Matrix<double>& logits) {
  const Matrix<double> e = logits.array().exp().matrix();
  return e / e.sum();
}

template <class T>
void check_softmax(Level level, Index n) {
  const StepKernels<T>& kernels = step_kernels<T>(level);
  Matrix<T> x = drawn<T>(1, n + 1, "x");
  const Matrix<T> before = x, bias = drawn<T>(1, n, "bias");
  const auto logits = [&](double bias_share) -> Matrix<double> {
    return T(0.5) * before.leftCols(n).template cast<double>() +
           bias_share * bias.template cast<double>();
  };
  const auto size = static_cast<std::size_t>(n);
  kernels.softmax(size, T(0.5), nullptr, x.data());
  check_close<T>(x.leftCols(n), softmax_of(logits(0)));
  CHECK(x(0, n) == before(0, n));
  x = before;
  kernels.softmax(size, T(0.5), bias.data(), x.data());
  const Matrix<double> weights = softmax_of(logits(1));
  check_close<T>(x.leftCols(n), weights);
  Matrix<T> d = drawn<T>(1, n + 1, "d");
  const Matrix<double> slopes = d.leftCols(n).template cast<double>();
  kernels.pull_softmax_back(size, T(3), x.data(), d.data());
  const double mean = weights.cwiseProduct(slopes).sum();
  check_close<T>(d.leftCols(n), (3 * weights.array() * (slopes.array() - mean)).matrix());
}

template <class T>
void check_special_rows(Level level, Index n) {
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(),
              infinity = std::numeric_limits<T>::infinity();
  const auto weights = [&](Matrix<T> x) {
    step_kernels<T>(level).softmax(static_cast<std::size_t>(n), T(1), nullptr, x.data());
    return x;
  };
  Matrix<T> x = Matrix<T>::Constant(1, n, T(-2));
  x(0, n - 1) = -infinity;
  CHECK((n == 1 ? std::isnan(weights(x)(0, 0)) : weights(x)(0, n - 1) == 0));
  x(0, n - 1) = nan;
  CHECK(weights(x).array().isNaN().all());
  CHECK(weights(Matrix<T>::Constant(1, n, -infinity)).array().isNaN().all());
}

/// A row and its derivative by the formulas of NormRows, in fp64.
struct ExactNorm {
  Matrix<double> normed{};
  Matrix<double> d{};
  ExactNorm(const Matrix<double>& x, const Matrix<double>& gain, const Matrix<double>& d_y,
            double epsilon, bool centres) {
    const double mean = centres ? x.mean() : 0;
    const double sigma = std::sqrt((x.array() - mean).square().mean() + epsilon);
    normed = ((x.array() - mean) / sigma).matrix();
    const Matrix<double> g = d_y.cwiseProduct(gain);
    d = ((g.array() - (centres ? g.mean() : 0) - normed.array() * g.cwiseProduct(normed).mean()) /
         sigma)
            .matrix();
  }
};

template <class T>
void check_norm(Level level, Index n, bool centres) {
  constexpr Index rows = 3;
  constexpr double epsilon = 1e-3;
  INFO(name(level) << ", " << n << " channels, centred: " << centres);
  const StepKernels<T>& kernels = step_kernels<T>(level);
  const Matrix<T> x = drawn<T>(rows, n, "x").array() + T(0.3), gain = drawn<T>(1, n, "gain");
  const Matrix<T> bias = drawn<T>(1, n, "bias"), d_y = drawn<T>(rows, n, "d_y");
  const NormRows<T> in{.rows = rows,
                       .channels = static_cast<std::size_t>(n),
                       .x = x.data(),
                       .stride = n,
                       .epsilon = epsilon,
                       .centres = centres,
                       .gain = gain.data()};
  Matrix<T> y(rows, n), d = Matrix<T>::Ones(rows, n), d_gain = Matrix<T>::Zero(1, n);
  kernels.normalise(in, bias.data(), y.data(), n);
  kernels.pull_norm_back(in, d_y.data(), n, d.data(), n, true, d_gain.data());
  Matrix<double> exact_gain = Matrix<double>::Zero(1, n);
  for (Index i = 0; i < rows; ++i) {
    const Matrix<double> slopes = d_y.row(i).template cast<double>();
    const ExactNorm exact(x.row(i).template cast<double>(), gain.template cast<double>(), slopes,
                          epsilon, centres);
    check_close<T>(y.row(i), exact.normed.cwiseProduct(gain.template cast<double>()) +
                                 bias.template cast<double>());
    check_close<T>(d.row(i), (exact.d.array() + 1).matrix());
    exact_gain += exact.normed.cwiseProduct(slopes);
  }
  check_close<T>(d_gain, exact_gain);
  Matrix<T> in_place = d_y;
  kernels.pull_norm_back(in, in_place.data(), n, in_place.data(), n, false, d_gain.data());
  check_close<T>(in_place, (d.template cast<double>().array() - 1).matrix());
}

template <class T>
void check_adam(Level level) {
  constexpr Index n = 21;
  const AdamStep<T> s{.shorten = T(0.5),
                      .beta1 = T(0.9),
                      .beta2 = T(0.99),
                      .rate = T(0.01),
                      .v_scale = T(2),
                      .epsilon = T(1e-3),
                      .decay = T(0.99)};
  const Matrix<T> g = drawn<T>(1, n, "g");
  Matrix<T> m = drawn<T>(1, n, "m"), v = drawn<T>(1, n, "v").cwiseAbs(), w = drawn<T>(1, n, "w");
  const auto wide = [](const Matrix<T>& x) -> Matrix<double> { return x.template cast<double>(); };
  const Matrix<double> slope = 0.5 * wide(g);
  const Matrix<double> next_m = 0.9 * wide(m) + 0.1 * slope;
  const Matrix<double> next_v = 0.99 * wide(v) + 0.01 * slope.cwiseAbs2();
  const Matrix<double> next_w =
      (0.99 * wide(w).array() - 0.01 * next_m.array() / ((2 * next_v.array()).sqrt() + 1e-3))
          .matrix();
  step_kernels<T>(level).adam(n, s, g.data(), m.data(), v.data(), w.data());
  check_close(m, next_m);
  check_close(v, next_v);
  check_close(w, next_w);
}

template <class T>
void check_turn(Level level, Index n) {
  const auto size = static_cast<std::size_t>(n);
  const Matrix<T> x = drawn<T>(1, n, "x");
  Matrix<T> cos(1, n), sin(1, n), y = Matrix<T>::Zero(1, n + 1);
  Matrix<double> exact(1, n);
  for (Index a = 0; a < n; a += 2) {
    const double angle = 0.3 * static_cast<double>(a + 1), c = std::cos(angle), s = std::sin(angle);
    cos(0, a) = cos(0, a + 1) = static_cast<T>(c);
    sin(0, a) = static_cast<T>(-s);
    sin(0, a + 1) = static_cast<T>(s);
    const auto first = static_cast<double>(x(0, a)), second = static_cast<double>(x(0, a + 1));
    exact(0, a) = first * c - second * s;
    exact(0, a + 1) = first * s + second * c;
  }
  step_kernels<T>(level).turn(size, cos.data(), sin.data(), false, x.data(), y.data());
  check_close<T>(y.leftCols(n), exact);
  CHECK(y(0, n) == 0);
  step_kernels<T>(level).turn(size, cos.data(), sin.data(), true, y.data(), y.data());
  check_close<T>(y.leftCols(n), x.template cast<double>());
}

template <class T>
void check_all(Level level) {
  for (const Index n : {1, 3, 8, 15, 16, 33, 64, 131}) {
    INFO(name(level) << ", " << n << " numbers");
    check_softmax<T>(level, n);
    check_special_rows<T>(level, n);
    for (const bool centres : {false, true}) check_norm<T>(level, n, centres);
  }
  for (const Index n : {2, 12, 32, 50}) check_turn<T>(level, n);
  check_adam<T>(level);
}

}  // namespace

TEST_CASE(
    "Softmax, norms, their derivatives, rotations and AdamW are their formulas, at every level") {
  for (const Level level : levels_of_steps()) {
    check_all<float>(level);
    check_all<double>(level);
  }
}
