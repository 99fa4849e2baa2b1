#include "core/encodings/rotation_table.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>

#include "core/encodings/frequencies.h"
#include "core/kernels/rotations.h"
#include "core/random.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

/// (1, 0) in every pair, which a rotation turns into (cos, sin).
template <class T>
Matrix<T> unit_pairs(Index rows, Index pairs) {
  Matrix<T> x = Matrix<T>::Zero(rows, 2 * pairs);
  for (Index t = 0; t < pairs; ++t) x.col(2 * t).setOnes();
  return x;
}

template <class T>
Matrix<T> noise(Index rows, Index columns) {
  Random random(3, "rotations");
  return normal_matrix<T>(random, rows, columns);
}

template <class T>
void check_levels_agree(std::size_t pairs) {
  const auto width = static_cast<Index>(2 * pairs);
  const Matrix<double> parts = noise<double>(4 * 5, static_cast<Index>(pairs));
  const std::vector<std::uint8_t> steps{4, 0, 3, 3, 1};
  Matrix<T> wide = noise<T>(5, width + 3);
  const kernels::RotatedRows rows{.rows = 5,
                                  .pairs = pairs,
                                  .anchor_cos = parts.row(0).data(),
                                  .anchor_sin = parts.row(1).data(),
                                  .step_cos = parts.row(2).data(),
                                  .step_sin = parts.row(9).data(),
                                  .steps = steps.data(),
                                  .stride = width + 3,
                                  .half = static_cast<std::ptrdiff_t>(pairs)};
  Matrix<T> expected = wide;
  for (Index i = 0; i < 5; ++i)
    for (Index t = 0; t < static_cast<Index>(pairs); ++t) {
      const Index step = steps[static_cast<std::size_t>(i)];
      const double ac = parts(0, t), as = parts(1, t), sc = parts(2 + step, t),
                   ss = parts(9 + step, t);
      const T c = static_cast<T>(ac * sc - as * ss), s = static_cast<T>(as * sc + ac * ss);
      const T a = wide(i, 2 * t), b = wide(i, 2 * t + 1);
      expected(i, 2 * t) = a * c - b * s;
      expected(i, 2 * t + 1) = a * s + b * c;
    }
  for (const auto level : {kernels::Level::baseline, kernels::Level::v3, kernels::Level::v4}) {
    if (!kernels::has_level(level)) continue;
    INFO(kernels::name(level) << ", " << pairs << " pairs");
    Matrix<T> x = wide;
    kernels::rotation_kernels<T>(level).interleaved(rows, x.data());
    CHECK(x == expected);
    Matrix<T> apart = wide;  // the same pairs, half-split
    for (Index t = 0; t < static_cast<Index>(pairs); ++t) {
      apart.col(t) = wide.col(2 * t);
      apart.col(t + static_cast<Index>(pairs)) = wide.col(2 * t + 1);
    }
    kernels::rotation_kernels<T>(level).half_split(rows, apart.data());
    for (Index t = 0; t < static_cast<Index>(pairs); ++t) {
      CHECK(apart.col(t) == expected.col(2 * t));
      CHECK(apart.col(t + static_cast<Index>(pairs)) == expected.col(2 * t + 1));
    }
    CHECK(apart.rightCols(3) == wide.rightCols(3));
  }
}

}  // namespace

TEST_CASE(
    "A table's rotations are right to 20 units of 2^-53 at any position, as mpmath has them") {
  const auto reference = golden("core.json").at("turns");
  const RotationTable table(reference.at("theta").get<std::vector<double>>());
  const auto positions = reference.at("positions").get<Positions>();
  const auto pairs = static_cast<Index>(reference.at("theta").size());
  Matrix<double> x = unit_pairs<double>(static_cast<Index>(positions.size()), pairs);
  Matrix<float> narrow = x.cast<float>();
  table.rotate_interleaved<double>(positions, x);
  table.rotate_interleaved<float>(positions, narrow);
  for (std::size_t p = 0; p < positions.size(); ++p)
    for (Index t = 0; t < pairs; ++t) {
      INFO("position " << positions[p] << " pair " << t);
      for (Index part = 0; part < 2; ++part) {
        const auto row = static_cast<Index>(p);
        const double exact =
            reference.at("cos_sin")[p][static_cast<std::size_t>(t)][static_cast<std::size_t>(part)];
        CHECK(std::abs(x(row, 2 * t + part) - exact) <= 20 * 0x1p-53);
        CHECK(std::abs(static_cast<double>(narrow(row, 2 * t + part)) - exact) <= 0x1.001p-25);
      }
    }
}

TEST_CASE("A table's rotations equal rotation_at around every boundary of its parts") {
  const std::vector<double> theta = inverse_frequencies(64, 10000);
  const RotationTable table(theta);
  Positions at;
  for (const Position start : {Position{0}, Position{1024}, Position{-1024}, Position{1} << 40,
                               max_position - 40, -max_position + 1})
    for (Position r = -33; r <= 33; ++r)
      if (std::abs(start + r) <= max_position) at.push_back(start + r);
  Matrix<double> x = unit_pairs<double>(static_cast<Index>(at.size()), 32);
  table.rotate_interleaved<double>(at, x);
  Matrix<double> expected(x.rows(), x.cols());
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t t = 0; t < theta.size(); ++t) {
      const CosSin turn = rotation_at(at[i], theta[t]);
      expected(static_cast<Index>(i), static_cast<Index>(2 * t)) = turn.cos;
      expected(static_cast<Index>(i), static_cast<Index>(2 * t) + 1) = turn.sin;
    }
  const double largest = largest_difference(x, expected);
  CHECK(largest <= 24 * 0x1p-53);
  CHECK(largest > 0);
}

TEST_CASE("A row's rotation does not depend on the rows beside it, nor does a copy of the table") {
  const RotationTable table(inverse_frequencies(24, 500));
  const RotationTable copy = table;  // NOLINT(performance-unnecessary-copy-initialization)
  const Positions at{7, 8, 8, -3, 100000, 31, 32, 33, 1023, 1024, 0};
  Matrix<float> x = noise<float>(static_cast<Index>(at.size()), 30);
  const Matrix<float> before = x;
  table.rotate_half_split<float>(at, x);
  for (std::size_t i = 0; i < at.size(); ++i) {
    Matrix<float> alone = before.row(static_cast<Index>(i));
    copy.rotate_half_split<float>(Positions{at[i]}, alone);
    CHECK(alone == x.row(static_cast<Index>(i)));
  }
  CHECK(x.rightCols(6) == before.rightCols(6));
}

TEST_CASE("Every level rotates to the bits of the formula, whatever is left over of its vectors") {
  for (const std::size_t pairs : {1U, 2U, 7U, 8U, 16U, 33U, 64U, 65U, 130U}) {
    check_levels_agree<float>(pairs);
    check_levels_agree<double>(pairs);
  }
}
