#include "core/analysis/largest.h"
#include "core/transformer/linear.h"

#include <catch2/catch.hpp>

#include "core/random.h"

using namespace orrery;

namespace {

template <class T>
LinearWeights<T> drawn_layer(Index in, Index out) {
  Random random(8, "layer");
  LinearWeights<T> w;
  w.W = normal_matrix<T>(random, out, in);
  w.b = normal_matrix<T>(random, 1, out);
  return w;
}

template <class T>
Matrix<T> drawn_rows(Index n, Index in) {
  Random random(9, "rows");
  return normal_matrix<T>(random, n, in);
}

template <class T>
void check_layer_on_threads(Index n, Index in, Index out) {
  const LinearWeights<T> w = drawn_layer<T>(in, out);
  const Matrix<T> x = drawn_rows<T>(n, in);
  const Matrix<T> y = linear<T>(w, x, 1);
  INFO("[" << n << ", " << out << "] over " << in);
  for (const int threads : {2, 3}) CHECK(linear<T>(w, x, threads) == y);
  CHECK(linear<T>(w, x.topRows(1), 2) == y.topRows(1));
  const Matrix<double> exact =
      (x.template cast<double>() * w.W.template cast<double>().transpose()).rowwise() +
      w.b.row(0).template cast<double>();
  const Matrix<double> wide = y.template cast<double>();
  CHECK(largest_difference<double>(wide, exact) < (sizeof(T) == 4 ? 2e-4 : 4e-13));
}

}  // namespace

TEST_CASE("A linear layer has the same bits on 1, 2 and 3 threads, for one row and for many") {
  for (const Index n : {1, 5, 12, 40})
    for (const Index out : {1, 127, 128, 129, 300, 640}) {
      check_layer_on_threads<float>(n, 577, out);
      check_layer_on_threads<double>(n, 577, out);
    }
}

TEST_CASE("A linear layer reads a block of a wider matrix, and of no rows makes none") {
  const LinearWeights<float> w = drawn_layer<float>(33, 40);
  const Matrix<float> x = drawn_rows<float>(9, 50);
  const Matrix<float> block = x.middleCols(7, 33);
  CHECK(linear<float>(w, x.middleCols(7, 33), 1) == linear<float>(w, block, 1));
  CHECK(linear<float>(w, block.topRows(0), 2).rows() == 0);
}

TEST_CASE(
    "A packed linear layer has the same bits, and one that no level can pack is left as it is") {
  const auto check = [](auto number, Index n, Index in, Index out) {
    using T = decltype(number);
    const LinearWeights<T> w = drawn_layer<T>(in, out), p = packed(w);
    INFO("[" << n << ", " << out << "] over " << in);
    CHECK(p.is_packed == (out % 32 == 0 && in > 0));
    CHECK(p.W.rows() == out);
    CHECK(p.W.cols() == in);
    const Matrix<T> x = drawn_rows<T>(n, in);
    for (const int threads : {1, 2, 3}) CHECK(linear<T>(p, x, threads) == linear<T>(w, x, threads));
    CHECK(packed(p).W == p.W);
  };
  for (const Index in : {0, 1, 191, 192, 193, 577})
    for (const Index out : {31, 32, 64, 160, 300, 640}) {
      check(float{}, 7, in, out);
      check(double{}, 13, in, out);
    }
}
