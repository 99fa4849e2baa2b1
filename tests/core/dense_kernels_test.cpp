#include "core/kernels/dense.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "core/random.h"
#include "core/types.h"
#include "tests/support/sampled.h"

using namespace orrery;
using namespace orrery::kernels;

namespace {

constexpr Index odd_sizes[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
/// On both sides of the blocks that sums are made of.
constexpr Index long_sums[] = {191, 192, 193, 385, 576};

std::vector<Level> levels_here() {
  std::vector<Level> found;
  for (const Level level : {Level::baseline, Level::v3, Level::v4})
    if (has_level(level)) found.push_back(level);
  return found;
}

template <class T>
Matrix<T> normal_rows(Index rows, Index columns, const char* what) {
  Random random(7, what);
  return normal_matrix<T>(random, rows, columns);
}

/// x Wᵀ + b, x and W within wider matrices, into the first columns of y.
template <class T>
void multiply_rows(Level level, const Matrix<T>& x, const Matrix<T>& W, Index inner, const T* b,
                   Matrix<T>& y) {
  const DenseKernels<T>& kernels = dense_kernels<T>(level);
  const auto rows = static_cast<std::size_t>(x.rows()), in = static_cast<std::size_t>(inner);
  std::vector<T> packed(rows * in), room(kernels.room(static_cast<std::size_t>(W.rows())));
  kernels.pack_rows(rows, in, x.data(), x.cols(), packed.data());
  kernels.multiply({.rows = rows,
                    .inner = in,
                    .outputs = static_cast<std::size_t>(W.rows()),
                    .x = packed.data(),
                    .W = W.data(),
                    .W_stride = W.cols(),
                    .b = b,
                    .y = y.data(),
                    .y_stride = y.cols(),
                    .room = room.data()});
}

template <class T>
Matrix<double> in_fp64(const Matrix<T>& x, Index columns) {
  return x.leftCols(columns).template cast<double>();
}

/// Against the sums in fp64, within what as many roundings can come to.
template <class T>
void check_dense(Level level, Index rows, Index outputs, Index inner) {
  const Matrix<T> x = normal_rows<T>(rows, inner + 1, "x"),
                  W = normal_rows<T>(outputs, inner + 3, "W");
  const Matrix<T> b = normal_rows<T>(1, outputs, "b");
  Matrix<T> y = normal_rows<T>(rows, outputs + 1, "y");
  const Matrix<T> before = y;
  const bool with_biases = outputs % 2 == 0;
  multiply_rows<T>(level, x, W, inner, with_biases ? b.data() : nullptr, y);
  Matrix<double> exact = in_fp64(x, inner) * in_fp64(W, inner).transpose();
  Matrix<double> size = in_fp64(x, inner).cwiseAbs() * in_fp64(W, inner).cwiseAbs().transpose();
  if (with_biases) exact.rowwise() += in_fp64(b, outputs).row(0);
  if (with_biases) size.rowwise() += in_fp64(b, outputs).row(0).cwiseAbs();
  const double unit = std::numeric_limits<T>::epsilon();
  INFO(name(level) << " [" << rows << ", " << outputs << "] over " << inner);
  CHECK(((in_fp64(y, outputs) - exact).cwiseAbs().array() <=
         unit * static_cast<double>(inner + 1) * size.array())
            .all());
  CHECK(y.col(outputs) == before.col(outputs));
}

/// One number of x or W that is not finite: what it meets is, and nothing else.
template <class T>
void check_not_finite_passes(Level level, T value) {
  constexpr Index rows = 27, outputs = 67, inner = 200;
  Matrix<T> x = Matrix<T>::Constant(rows, inner, T(1)), W = Matrix<T>::Constant(outputs, inner, 2);
  Matrix<T> y(rows, outputs);
  x(13, 199) = value;
  W(66, 5) = value;
  multiply_rows<T>(level, x, W, inner, nullptr, y);
  const auto same = [](T a, T b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  bool passed = true;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < outputs; ++j)
      passed = passed && same(y(i, j), i == 13 || j == 66 ? value : T(2 * inner));
  INFO(name(level) << ", " << static_cast<double>(value));
  CHECK(passed);
}

template <class T>
void check_dense_rows_alone(Level level, Index rows) {
  constexpr Index outputs = 70, inner = 401;
  const Matrix<T> x = normal_rows<T>(rows, inner, "x"), W = normal_rows<T>(outputs, inner, "W");
  Matrix<T> all(rows, outputs), one(1, outputs);
  multiply_rows<T>(level, x, W, inner, nullptr, all);
  for (Index i = 0; i < rows; ++i) {
    const Matrix<T> row = x.row(i);
    multiply_rows<T>(level, row, W, inner, nullptr, one);
    INFO(name(level) << ", row " << i << " of " << rows);
    CHECK(one.row(0) == all.row(i));
  }
}

template <class T>
void check_outputs_alone(Level level) {
  constexpr Index rows = 14, outputs = 70, inner = 401;
  const Matrix<T> x = normal_rows<T>(rows, inner, "x"), W = normal_rows<T>(outputs, inner, "W");
  Matrix<T> all(rows, outputs), one(rows, 1);
  multiply_rows<T>(level, x, W, inner, nullptr, all);
  for (Index j = 0; j < outputs; ++j) {
    const Matrix<T> row = W.row(j);
    multiply_rows<T>(level, x, row, inner, nullptr, one);
    INFO(name(level) << ", output " << j);
    CHECK(one.col(0) == all.col(j));
  }
}

}  // namespace

TEST_CASE("Linear layers multiply as sums in fp64 do, at every level, with every remainder") {
  std::size_t seen = 0;
  for (const Level level : levels_here())
    for (const Index rows : odd_sizes)
      for (const Index outputs : odd_sizes)
        for (const Index inner : odd_sizes) {
          if (!test::is_tried(seen++)) continue;
          check_dense<float>(level, rows, outputs, inner);
          check_dense<double>(level, rows, outputs, inner);
        }
}

TEST_CASE("Sums of linear layers run on over the ends of blocks") {
  for (const Level level : levels_here())
    for (const Index rows : {1, 11, 12, 13, 25})
      for (const Index outputs : {1, 31, 32, 33, 66})
        for (const Index inner : long_sums) {
          check_dense<float>(level, rows, outputs, inner);
          check_dense<double>(level, rows, outputs, inner);
        }
}

TEST_CASE("A linear layer of no channels gives its biases") {
  for (const Level level : levels_here()) {
    const Matrix<float> b = normal_rows<float>(1, 5, "b");
    Matrix<float> y = normal_rows<float>(3, 5, "y");
    multiply_rows<float>(level, Matrix<float>(3, 0), Matrix<float>(5, 0), 0, b.data(), y);
    for (Index i = 0; i < 3; ++i) CHECK(y.row(i) == b.row(0));
  }
}

TEST_CASE("NaN and infinity pass through a linear layer to what they meet, and no further") {
  for (const Level level : levels_here()) {
    check_not_finite_passes<float>(level, std::numeric_limits<float>::quiet_NaN());
    check_not_finite_passes<float>(level, std::numeric_limits<float>::infinity());
    check_not_finite_passes<double>(level, std::numeric_limits<double>::quiet_NaN());
    check_not_finite_passes<double>(level, -std::numeric_limits<double>::infinity());
  }
}

TEST_CASE("A row of a linear layer has the same bits alone and among others") {
  for (const Level level : levels_here())
    for (const Index rows : {2, 6, 7, 12, 13, 29}) {
      check_dense_rows_alone<float>(level, rows);
      check_dense_rows_alone<double>(level, rows);
    }
}

TEST_CASE("An output of a linear layer has the same bits alone and among others") {
  for (const Level level : levels_here()) {
    check_outputs_alone<float>(level);
    check_outputs_alone<double>(level);
  }
}

namespace {

template <class T>
void check_packed(Level level, Index inner, Index outputs) {
  constexpr Index rows = 13, part = 32;
  const Matrix<T> x = normal_rows<T>(rows, inner, "x"), W = normal_rows<T>(outputs, inner, "W");
  Matrix<T> y = Matrix<T>::Zero(rows, outputs), of_packed = y, packed = W;
  multiply_rows<T>(level, x, W, inner, nullptr, y);
  const DenseKernels<T>& kernels = dense_kernels<T>(level);
  kernels.pack_weights(static_cast<std::size_t>(outputs), static_cast<std::size_t>(inner), W.data(),
                       packed.data());
  Matrix<T> packed_x = x;
  kernels.pack_rows(rows, static_cast<std::size_t>(inner), x.data(), inner, packed_x.data());
  for (Index first = 0; first < outputs; first += part)
    kernels.multiply({.rows = rows,
                      .inner = static_cast<std::size_t>(inner),
                      .outputs = part,
                      .x = packed_x.data(),
                      .W = packed.data(),
                      .all = static_cast<std::size_t>(outputs),
                      .first = static_cast<std::size_t>(first),
                      .y = of_packed.data() + first,
                      .y_stride = outputs});
  INFO(inner << " channels, " << outputs << " outputs");
  CHECK(of_packed == y);
}

}  // namespace

TEST_CASE("Packed weights give the same bits at every level") {
  for (const Level level : levels_here())
    for (const Index inner : long_sums)
      for (const Index outputs : {32, 96}) {
        check_packed<float>(level, inner, outputs);
        check_packed<double>(level, inner, outputs);
      }
}
