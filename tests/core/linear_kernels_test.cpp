#include "core/kernels/linear.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "core/analysis/largest.h"
#include "core/random.h"
#include "core/types.h"

using namespace orrery;
using namespace orrery::kernels;

namespace {

std::vector<Level> levels() {
  std::vector<Level> found;
  for (const Level level : {Level::baseline, Level::v3, Level::v4})
    if (has_level(level)) found.push_back(level);
  return found;
}

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

template <class T>
Matrix<T> noise(Index rows, Index columns, const char* what) {
  Random random(6, what);
  return normal_matrix<T>(random, rows, columns);
}

template <class T>
Matrix<double> wide(const Matrix<T>& x) {
  return x.template cast<double>();
}

/// Queries that see 0, 0, 1, 3, 3, 4 keys of a block behind one key that was seen before.
template <class T>
void check_running_dots(Level level, Index features) {
  const Matrix<T> q = noise<T>(6, features, "q"), k = noise<T>(4, features, "k");
  const std::vector<std::ptrdiff_t> visible{1, 1, 2, 4, 4, 5};
  for (const bool sees : {true, false}) {
    const Matrix<double> start = noise<double>(1, features, "sums");
    Matrix<double> sums = start, y(6, 1);
    linear_kernels<T>(level).running_dots({.queries = 6,
                                           .features = size(features),
                                           .q = q.data(),
                                           .k = sees ? k.data() : nullptr,
                                           .visible = sees ? visible.data() : nullptr,
                                           .before = 1,
                                           .sums = sums.data(),
                                           .y = y.data()});
    for (Index i = 0; i < 6; ++i) {
      const Index keys = sees ? visible[size(i)] - 1 : 0;
      const Matrix<double> seen = start + wide<T>(k).topRows(keys).colwise().sum();
      INFO(name(level) << ", query " << i << " of " << features << " features");
      CHECK(y(i, 0) == Approx(wide<T>(q).row(i).dot(seen.row(0))).margin(1e-13));
    }
    const Matrix<double> all = start + wide<T>(k).topRows(sees ? 4 : 0).colwise().sum();
    CHECK(largest_difference<double>(sums, all) < 1e-13);
  }
}

template <class T>
void check_elements(Level level, Index n) {
  const auto& kernels = linear_kernels<T>(level);
  const Matrix<T> x = noise<T>(3, n, "x");
  Matrix<double> sums = Matrix<double>::Ones(1, n);
  kernels.add_rows(3, size(n), x.data(), n, sums.data());
  for (Index j = 0; j < n; ++j)
    CHECK(sums(0, j) == Approx(1 + wide<T>(x).col(j).sum()).margin(1e-14));
  Matrix<double> total = Matrix<double>::Constant(1, n, 0x1p40);
  Matrix<T> y(1, n);
  kernels.accumulate(size(n), x.data(), total.data(), y.data());
  for (Index j = 0; j < n; ++j) {
    CHECK(total(0, j) == 0x1p40 + static_cast<double>(x(0, j)));
    CHECK(y(0, j) == static_cast<T>(total(0, j)));
  }
  kernels.divide(size(n), x.data(), -3.0, y.data());
  for (Index j = 0; j < n; ++j) CHECK(y(0, j) == static_cast<T>(static_cast<double>(x(0, j)) / -3));
}

/// Of numbers from −110 to 110, of those that are none, and of every remainder alone.
template <class T>
void check_elu_plus_one(Level level, std::size_t n) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> x{T(0), T(-0.0), -infinity, infinity, nan};
  while (x.size() < n) x.push_back(T(std::sin(1.7 * double(x.size())) * 110 / double(x.size())));
  x.resize(n);
  std::vector<T> y(n + 1, T(7));
  linear_kernels<T>(level).elu_plus_one(n, x.data(), y.data());
  for (std::size_t i = 0; i < n; ++i) {
    const T exact = x[i] > 0 ? x[i] + 1 : std::exp(x[i]);
    INFO(name(level) << ", " << x[i]);
    if (std::isnan(x[i]) || std::isinf(exact))
      CHECK((std::isnan(x[i]) ? std::isnan(y[i]) : y[i] == exact));
    else
      CHECK(std::abs(y[i] - exact) <= 3 * (std::nextafter(exact, infinity) - exact));
  }
  CHECK(y[n] == 7);
}

template <class T>
void check_range(Level level) {
  const auto& kernels = linear_kernels<T>(level);
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  for (const std::size_t n : {1U, 7U, 64U, 131U})
    for (std::size_t at = 0; at < n; ++at) {
      std::vector<T> x(n, T(-2));
      const auto fits = [&](T value) {
        x[at] = value;
        return kernels.lies_within(n, x.data(), T(0.5), T(4));
      };
      for (const T inside : {T(0), T(-0.0), T(0.5), T(-4)}) CHECK(fits(inside));
      for (const T outside : {T(0.4999), T(-4.0001), infinity, -infinity, nan, -nan})
        CHECK_FALSE(fits(outside));
    }
  CHECK(kernels.lies_within(0, nullptr, T(1), T(2)));
  const T tiny = std::numeric_limits<T>::denorm_min();
  CHECK(kernels.lies_within(1, &tiny, T(0), std::numeric_limits<T>::max()));
}

}  // namespace

TEMPLATE_TEST_CASE("Features are summed right at every level, with every remainder", "", float,
                   double) {
  for (const Level level : levels()) {
    for (const Index features : {1, 2, 7, 16, 37, 130})
      check_running_dots<TestType>(level, features);
    for (const Index n : {1, 3, 8, 33, 70}) check_elements<TestType>(level, n);
    for (const std::size_t n : {1U, 3U, 5U, 8U, 33U, 500U}) check_elu_plus_one<TestType>(level, n);
  }
}

TEMPLATE_TEST_CASE("Numbers outside of a range are found in every place, NaN among them", "", float,
                   double) {
  for (const Level level : levels()) check_range<TestType>(level);
}
