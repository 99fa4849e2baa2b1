#include "core/kernels/tiles.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "core/random.h"
#include "core/types.h"

using namespace orrery;
using namespace orrery::kernels;

namespace {

template <class T>
constexpr T infinity_of = std::numeric_limits<T>::infinity();
template <class T>
constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();

template <class T>
Matrix<T> noise(Index rows, Index columns, const char* what) {
  Random random(5, what);
  return normal_matrix<T>(random, rows, columns);
}

std::vector<Level> levels() {
  std::vector<Level> found;
  for (const Level level : {Level::baseline, Level::v3, Level::v4})
    if (has_level(level)) found.push_back(level);
  return found;
}

std::size_t rounded_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

/// a bᵀ by the kernels, against the same sums in fp64. a [rows, inner], b [columns, inner].
template <class T>
void check_product(Level level, Index rows, Index columns, Index inner, bool add) {
  const TileKernels<T>& kernels = tile_kernels<T>(level);
  const Matrix<T> a = noise<T>(rows, inner, "a");
  const Matrix<T> wide = noise<T>(columns, inner + 3, "b");  // rows that are not aligned
  const auto b = wide.rightCols(inner);
  const std::size_t padded = rounded_up(static_cast<std::size_t>(columns), kernels.panel);
  std::vector<T> packed(padded * static_cast<std::size_t>(inner), nan_of<T>);
  kernels.pack_transpose(static_cast<std::size_t>(columns), static_cast<std::size_t>(inner),
                         b.data(), inner + 3, packed.data());
  Matrix<T> c = noise<T>(rows, static_cast<Index>(padded) + 1, "c");
  const Matrix<T> before = c;
  kernels.multiply({.rows = static_cast<std::size_t>(rows),
                    .inner = static_cast<std::size_t>(inner),
                    .columns = rounded_up(static_cast<std::size_t>(columns), kernels.lanes),
                    .a = a.data(),
                    .a_stride = inner,
                    .b = packed.data(),
                    .b_stride = static_cast<std::ptrdiff_t>(kernels.panel),
                    .b_panel = static_cast<std::ptrdiff_t>(kernels.panel) * inner,
                    .c = c.data(),
                    .c_stride = c.cols(),
                    .add = add});
  const double unit = std::numeric_limits<T>::epsilon();
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) {
      double exact = add ? static_cast<double>(before(i, j)) : 0, size = std::abs(exact);
      for (Index k = 0; k < inner; ++k) {
        const double term = static_cast<double>(a(i, k)) * static_cast<double>(b(j, k));
        exact += term;
        size += std::abs(term);
      }
      INFO(name(level) << " [" << rows << ", " << columns << "] over " << inner << " at " << i
                       << ", " << j);
      CHECK(std::abs(static_cast<double>(c(i, j)) - exact) <=
            unit * static_cast<double>(inner + 1) * size);
    }
  CHECK(c.col(c.cols() - 1) == before.col(c.cols() - 1));
}

/// b or its transpose in place of a bᵀ, a transposed in memory, and any number of rows and columns:
/// the same bits as where all are multiples, and nothing beside c is touched.
template <class T>
void check_any_shape(Level level, Index rows, Index columns, Index inner) {
  const TileKernels<T>& kernels = tile_kernels<T>(level);
  const Matrix<T> a = noise<T>(rows, inner, "a"), b = noise<T>(inner, columns, "b");
  const Matrix<T> a_in_memory = a.transpose();
  const auto panels = static_cast<Index>(
      rounded_up(static_cast<std::size_t>(columns), kernels.panel) / kernels.panel);
  std::vector<T> packed(static_cast<std::size_t>(panels * inner) * kernels.panel, nan_of<T>);
  kernels.pack(static_cast<std::size_t>(inner), static_cast<std::size_t>(columns), b.data(),
               columns, packed.data());
  const Matrix<T> before = noise<T>(rows, columns + 1, "c");
  Matrix<T> in_place = before, of_packed = before;
  TileProduct<T> product{.rows = static_cast<std::size_t>(rows),
                         .inner = static_cast<std::size_t>(inner),
                         .columns = static_cast<std::size_t>(columns),
                         .a = a_in_memory.data(),
                         .a_stride = 1,
                         .a_step = rows,
                         .b = b.data(),
                         .b_stride = columns,
                         .b_panel = static_cast<std::ptrdiff_t>(kernels.panel),
                         .c = in_place.data(),
                         .c_stride = columns + 1,
                         .add = true};
  kernels.multiply(product);
  product.a = a.data();
  product.a_stride = inner;
  product.a_step = 1;
  product.b = packed.data();
  product.b_stride = static_cast<std::ptrdiff_t>(kernels.panel);
  product.b_panel = static_cast<std::ptrdiff_t>(kernels.panel) * inner;
  product.c = of_packed.data();
  kernels.multiply(product);
  INFO(name(level) << " [" << rows << ", " << columns << "] over " << inner);
  CHECK(in_place == of_packed);
  CHECK(in_place.col(columns) == before.col(columns));
  const Matrix<double> exact = before.leftCols(columns).template cast<double>() +
                               a.template cast<double>() * b.template cast<double>();
  const double unit = std::numeric_limits<T>::epsilon();
  CHECK((in_place.leftCols(columns).template cast<double>() - exact).norm() <=
        unit * static_cast<double>(inner + 1) * (a.norm() * b.norm() + before.norm()));
}

template <class T>
void check_exponentials(Level level) {
  const TileKernels<T>& kernels = tile_kernels<T>(level);
  const T shift = T(3);
  std::vector<T> x;
  for (int i = 0; i < 20000; ++i)
    x.push_back(shift - T(i) * (sizeof(T) == 4 ? T(0.0055) : T(0.04)));
  x.insert(x.end(), {shift, -infinity_of<T>, std::nextafter(shift, T(0)), T(-1e30), T(-1e5)});
  std::vector<T> y = x;
  const double sum = kernels.exponentials(y.size(), shift, y.data());
  double expected = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T argument = x[i] - shift;
    const T exact = static_cast<T>(std::exp(static_cast<long double>(argument)));
    const T unit = std::nextafter(exact, infinity_of<T>) - exact;
    INFO(name(level) << ", exp of " << static_cast<double>(argument));
    CHECK(std::abs(y[i] - exact) <= 2 * unit);
    expected += static_cast<double>(y[i]);
  }
  CHECK(y[20000] == 1);  // exp(0)
  CHECK(y[20001] == 0);  // exp(−inf)
  CHECK(sum == Approx(expected).epsilon(sizeof(T) == 4 ? 1e-7 : 1e-14));
  std::vector<T> row(x.size()), z = x;
  for (std::size_t i = 0; i < x.size(); ++i) row[i] = T(0.5) * T(i % 5);
  std::vector<T> summed = x;
  for (std::size_t i = 0; i < x.size(); ++i) summed[i] = x[i] + row[i];
  const double sum_with_row =
      kernels.exponentials_of_sum(z.size(), shift + T(2), row.data(), z.data());
  CHECK(kernels.exponentials(summed.size(), shift + T(2), summed.data()) == sum_with_row);
  CHECK(z == summed);
  std::vector<T> w(x.size(), nan_of<T>);
  CHECK(kernels.exponentials_of_row(w.size(), shift, x.data(), w.data()) == sum);
  CHECK(w == y);
}

template <class T>
void check_special_values(Level level) {
  const TileKernels<T>& kernels = tile_kernels<T>(level);
  for (const std::size_t n : {1U, 5U, 64U, 131U})
    for (std::size_t at = 0; at < n; ++at) {
      std::vector<T> x(n, T(-1));
      x[at] = T(2);
      CHECK(kernels.largest(n, x.data()) == T(2));
      x[at] = nan_of<T>;
      CHECK(kernels.largest(n, x.data()) == (n == 1 ? -infinity_of<T> : T(-1)));
      CHECK(std::isnan(kernels.exponentials(n, T(-1), x.data())));
      for (std::size_t i = 0; i < n; ++i) CHECK((std::isnan(x[i]) || x[i] == T(1)));
      CHECK(std::isnan(x[at]));
      x.assign(n, T(-1));
      x[at] = infinity_of<T>;
      CHECK(kernels.largest(n, x.data()) == infinity_of<T>);
      CHECK(std::isnan(kernels.exponentials(n, infinity_of<T>, x.data())));
    }
  CHECK(kernels.largest(0, nullptr) == -infinity_of<T>);
  CHECK(kernels.exponentials(0, T(0), nullptr) == 0);
}

template <class T>
void check_transpose(Level level, Index rows, Index columns) {
  INFO(name(level) << " [" << rows << ", " << columns << "]");
  const Matrix<T> a = noise<T>(rows, columns + 3, "a");
  Matrix<T> b = noise<T>(columns, rows + 1, "b");
  const Matrix<T> before = b;
  tile_kernels<T>(level).transpose(static_cast<std::size_t>(rows),
                                   static_cast<std::size_t>(columns), a.data() + 3, a.cols(),
                                   b.data(), b.cols());
  CHECK(b.leftCols(rows) == a.rightCols(columns).transpose());
  CHECK(b.col(rows) == before.col(rows));
}

/// Sums of small whole numbers, which are exact in any order.
template <class T>
void check_added_rows(Level level, std::size_t n, std::size_t count) {
  INFO(name(level) << ", " << count << " rows of " << n);
  std::vector<T> x(n + 1, T(-7));
  std::vector<std::vector<T>> rows(count, std::vector<T>(n));
  std::vector<const T*> at;
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t i = 0; i < n; ++i) rows[r][i] = T((i * (r + 3)) % 19) - T(9);
    at.push_back(rows[r].data());
  }
  for (std::size_t i = 0; i < n; ++i) x[i] = T((i * 7) % 23);
  std::vector<T> expected = x;
  T largest = -infinity_of<T>;
  for (std::size_t i = 0; i < n; ++i) {
    expected[i] += T(5);
    for (std::size_t r = 0; r < count; ++r) expected[i] += rows[r][i];
    if (expected[i] > largest) largest = expected[i];
  }
  const auto& kernels = tile_kernels<T>(level);
  CHECK(kernels.add_rows(n, T(5), at.data(), count, x.data()) == largest);
  CHECK(x == expected);
  if (n == 0) return;
  x[n / 2] = nan_of<T>;
  CHECK_FALSE(std::isnan(kernels.add_rows(n, T(0), at.data(), count, x.data())));
  CHECK(std::isnan(x[n / 2]));
}

}  // namespace

TEST_CASE("Tiles multiply as the sums of eq. (2) do, at every level, with every remainder") {
  for (const Level level : levels())
    for (const Index columns : {1, 3, 16, 17, 64, 65, 150})
      for (const Index inner : {1, 2, 37, 64})
        for (const Index rows : {6, 18}) {
          check_product<float>(level, rows, columns, inner, columns % 2 == 0);
          check_product<double>(level, rows, columns, inner, inner % 2 == 0);
        }
}

TEST_CASE("Products take factors as they lie in memory, in any shape, at every level") {
  for (const Level level : levels())
    for (const Index columns : {1, 3, 12, 16, 31, 48})
      for (const Index inner : {1, 24})
        for (const Index rows : {1, 4, 6, 11}) {
          check_any_shape<float>(level, rows, columns, inner);
          check_any_shape<double>(level, rows, columns, inner);
        }
}

TEST_CASE("Rows become columns at every level, with every remainder") {
  for (const Level level : levels())
    for (const Index rows : {1, 4, 15, 16, 33})
      for (const Index columns : {1, 3, 8, 16, 31, 48}) {
        check_transpose<float>(level, rows, columns);
        check_transpose<double>(level, rows, columns);
      }
}

TEST_CASE("Rows are added to logits at every level, and the largest of the sums is told") {
  for (const Level level : levels())
    for (const std::size_t n : {0U, 1U, 5U, 64U, 131U})
      for (const std::size_t count : {0U, 1U, 2U, 3U, 4U, 6U}) {
        check_added_rows<float>(level, n, count);
        check_added_rows<double>(level, n, count);
      }
}

TEST_CASE("exp is right to 2 units in the last place at every level, down to where it is 0") {
  for (const Level level : levels()) {
    check_exponentials<float>(level);
    check_exponentials<double>(level);
  }
}

TEST_CASE("NaN and infinity stay what they are in the exponentials of a row") {
  for (const Level level : levels()) {
    check_special_values<float>(level);
    check_special_values<double>(level);
  }
}
