#include <catch2/catch.hpp>

#include "core/attention/softmax_attention.h"
#include "tests/support/catalogue_cases.h"

using namespace orrery;
using namespace orrery::test;

namespace {

constexpr Index d = 16;

Matrix<float> noise(Index rows, const char* what) {
  Random random(23, what);
  return normal_matrix<float>(random, rows, d);
}

/// Queries from 200 to 699, keys from 0 to 699, and a window that some keys lie outside of.
struct Tokens {
  Matrix<float> q = noise(500, "q"), k = noise(700, "k"), v = noise(700, "v");
  Positions m = consecutive_positions(500, 200), n = consecutive_positions(700);
  Mask mask = Mask::causal(m, n) & Mask::sliding_window(m, n, 300);

  AttentionInputs<float> inputs() const { return {q, k, v, m, n, 1}; }
};

bool same_bits(const Matrix<float>& a, const Matrix<float>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.array() == b.array()).all();
}

constexpr const char* encodings[] = {"none",           "rope", "shaw", "deberta",
                                     "transformer_xl", "tupe", "alibi"};

}  // namespace

TEST_CASE("Any number of threads gives an output of the same bits") {
  const Tokens in;
  for (const char* name : encodings) {
    INFO(name);
    const auto encoding = make_case<float>({name, {}}, d);
    const auto doors = SoftmaxDoors<float>::of(*encoding);
    const auto one = attention_output<float>(in.inputs(), doors, in.mask);
    for (const int threads : {2, 3, 7, 100}) {
      const auto more = attention_output<float>(in.inputs(), doors, in.mask, {}, threads);
      CHECK(same_bits(more.output, one.output));
      CHECK(more.fully_masked_rows == one.fully_masked_rows);
    }
  }
}

TEST_CASE("Sequences whose factors are made in parts have the same bits on any number of threads") {
  const Index queries = 3100, keys = 8300;  // two parts by three
  const Matrix<float> q = noise(queries, "q"), k = noise(keys, "k"), v = noise(keys, "v");
  const Positions m = consecutive_positions(queries, 5200), n = consecutive_positions(keys);
  const Mask mask = Mask::causal(m, n);
  for (const char* name : {"transformer_xl", "deberta", "shaw"}) {
    INFO(name);
    const auto encoding = make_case<float>({name, {}}, d);
    const auto doors = SoftmaxDoors<float>::of(*encoding);
    const AttentionInputs<float> in{q, k, v, m, n, 1};
    const auto one = attention_output<float>(in, doors, mask);
    CHECK(same_bits(attention_output<float>(in, doors, mask, {}, 3).output, one.output));
  }
}

TEST_CASE("Any number of threads gives maps of the same bits, from the first row to the last") {
  const Tokens in;
  for (const char* name : encodings) {
    INFO(name);
    // Made anew for each run: what it computes when first asked is computed on several threads.
    const auto map_with = [&](int threads) {
      const auto encoding = make_case<float>({name, {}}, d);
      Matrix<float> weights(500, 700);
      Index next = 0;
      const auto use = [&](Index first, const AttentionOutput<float>& part) {
        CHECK(first == next);
        next += part.weights.rows();
        weights.middleRows(first, part.weights.rows()) = part.weights;
      };
      attention_by_rows<float>(in.inputs(), SoftmaxDoors<float>::of(*encoding), in.mask, {},
                               {use, 48, true, threads});
      CHECK(next == 500);
      return weights;
    };
    const Matrix<float> one = map_with(1);
    for (const int threads : {2, 5}) CHECK(same_bits(map_with(threads), one));
  }
}
