#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/attention/head.h"
#include "core/attention/softmax_attention.h"
#include "core/encodings/alibi.h"
#include "core/encodings/rope.h"
#include "core/random.h"
#include "tests/support/catalogue_cases.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
Matrix<T> noise(Index rows, Index columns, const char* what) {
  Random random(11, what);
  return normal_matrix<T>(random, rows, columns);
}

/// Eq. (2) as it stands, in fp64: nothing of it is shared with the code under test.
template <class T>
Matrix<double> plain_output(const Matrix<T>& q, const Matrix<T>& k, const Matrix<T>& v,
                            const Mask& mask) {
  Matrix<double> out = Matrix<double>::Zero(q.rows(), v.cols());
  for (Index i = 0; i < q.rows(); ++i) {
    double largest = -infinity, sum = 0;
    std::vector<double> logits(static_cast<std::size_t>(k.rows()), -infinity);
    for (Index j = 0; j < k.rows(); ++j) {
      if (!mask.allows(i, j)) continue;
      double dot = 0;
      for (Index c = 0; c < q.cols(); ++c)
        dot += static_cast<double>(q(i, c)) * static_cast<double>(k(j, c));
      const double logit = dot / std::sqrt(static_cast<double>(q.cols()));
      logits[static_cast<std::size_t>(j)] = logit;
      if (logit > largest) largest = logit;
    }
    if (largest == -infinity) continue;
    for (double& logit : logits) sum += logit = std::exp(logit - largest);
    for (Index j = 0; j < k.rows(); ++j)
      for (Index c = 0; c < v.cols(); ++c)
        out(i, c) += logits[static_cast<std::size_t>(j)] / sum * static_cast<double>(v(j, c));
  }
  return out;
}

struct Shape {
  Index queries, keys, d, d_v;
};

template <class T>
void check_shape(const Shape& s, const Mask& mask, const char* what) {
  INFO(what << " [" << s.queries << ", " << s.keys << "], d = " << s.d << ", d_v = " << s.d_v);
  const Matrix<T> q = noise<T>(s.queries, s.d, "q"), k = noise<T>(s.keys, s.d, "k"),
                  v = noise<T>(s.keys, s.d_v, "v");
  const Positions m = consecutive_positions(s.queries), n = consecutive_positions(s.keys);
  const Matrix<double> expected = plain_output(q, k, v, mask);
  const auto alone = attention_output<T>({q, k, v, m, n}, {}, mask);
  const auto whole = softmax_attention<T>({q, k, v, m, n}, {}, mask);
  const double bound = sizeof(T) == sizeof(float) ? 4e-6 : 4e-15;
  CHECK(largest_difference<double>(alone.output.template cast<double>().eval(), expected) <= bound);
  CHECK(largest_difference<double>(whole.output.template cast<double>().eval(), expected) <= bound);
  CHECK(alone.fully_masked_rows == whole.fully_masked_rows);
  CHECK(alone.nan_rows == 0);
  CHECK(alone.logits.size() == 0);
}

template <class T>
void check_masks(const Shape& s) {
  const Positions m = consecutive_positions(s.queries, 3), n = consecutive_positions(s.keys);
  Positions shuffled = n;
  for (std::size_t j = 0; j < shuffled.size(); ++j)
    std::swap(shuffled[j], shuffled[(7 * j + 3) % shuffled.size()]);
  std::vector<bool> real(n.size());
  for (std::size_t j = 0; j < real.size(); ++j) real[j] = j % 5 != 2;
  Mask::Matrix some(s.queries, s.keys);
  for (Index i = 0; i < s.queries; ++i)
    for (Index j = 0; j < s.keys; ++j) some(i, j) = i % 7 != 4 && (i * 31 + j * 17) % 5 < 2;
  check_shape<T>(s, {}, "no mask");
  check_shape<T>(s, Mask::causal(m, n), "causal");
  check_shape<T>(s, Mask::sliding_window(m, n, 40), "window");
  check_shape<T>(s, Mask::causal(m, shuffled), "causal, keys in another order");
  check_shape<T>(s, Mask::padding(s.queries, real), "padding");
  check_shape<T>(s, Mask(some), "a matrix, some rows without keys");
  check_shape<T>(s, Mask::causal(m, n) & Mask::padding(s.queries, real) & Mask(some), "all three");
}

const std::vector<Shape> shapes{{1, 1, 1, 1},     {5, 3, 2, 7},      {48, 64, 8, 16},
                                {49, 65, 24, 33}, {100, 513, 16, 5}, {131, 1100, 64, 64}};

bool equal_bits(const Matrix<float>& a, const Matrix<float>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.array() == b.array()).all();
}

}  // namespace

TEST_CASE("The output without its map is eq. (2), for any shape and mask, in fp64") {
  for (const Shape& shape : shapes) check_masks<double>(shape);
}

TEST_CASE("The output without its map is eq. (2), for any shape and mask, in fp32") {
  for (const Shape& shape : shapes) check_masks<float>(shape);
}

TEST_CASE("The output without its map is that of the map, for every encoding of the catalogue") {
  struct Where {
    Positions m, n;
  };
  const std::vector<Where> places{{consecutive_positions(70), consecutive_positions(70)},
                                  {consecutive_positions(33, 50), consecutive_positions(90, 7)},
                                  {{9, 11, 12}, consecutive_positions(13)},
                                  {consecutive_positions(3, 10), {0, 1, 3, 7}}};
  for (const CatalogueCase& c : catalogue_cases()) {
    const auto encoding = make_case<double>(c, 16);
    if (dynamic_cast<const InputTerm<double>*>(encoding.get())) continue;
    INFO(c.title());
    const auto doors = SoftmaxDoors<double>::of(*encoding);
    for (const Where& at : places) {
      const auto queries = static_cast<Index>(at.m.size()), keys = static_cast<Index>(at.n.size());
      const Matrix<double> q = noise<double>(queries, 16, "q"), k = noise<double>(keys, 16, "k"),
                           v = noise<double>(keys, 16, "v");
      const Mask mask = Mask::causal(at.m, at.n);
      for (const Scoring& scoring :
           {Scoring{}, Scoring{.rounding = {}, .scale = 0.5},
            Scoring{.rounding = StageRounding(Precision::bf16, {Stage::weights, Stage::logits})}}) {
        const AttentionInputs<double> in{q, k, v, at.m, at.n, 1, {}, &k};  // x = k
        const auto whole = softmax_attention<double>(in, doors, mask, scoring);
        const auto alone = attention_output<double>(in, doors, mask, scoring);
        CHECK(largest_difference(whole.output, alone.output) <= 1e-13);
      }
    }
  }
}

namespace {

bool has_factors(const Encoding& encoding) {
  const auto* terms = dynamic_cast<const ScoreTerms<double>*>(&encoding);
  const Matrix<double> x = Matrix<double>::Ones(1, 16);
  const Positions at{0};
  return terms && terms->logit_factors({x, x, at, at, 0}, {0, 1}).has_value();
}

}  // namespace

TEST_CASE("The output of so many keys that their factors are made in parts is that of the map") {
  const Index keys = 8300;
  const Positions n = consecutive_positions(keys);
  int seen = 0;
  for (CatalogueCase c : catalogue_cases()) {
    if (c.name == "tupe") c.params.emplace_back("tupe.length", "8300");
    const auto encoding = make_case<double>(c, 16);
    if (!has_factors(*encoding) || encoding->traits().last_position < keys - 1) continue;
    ++seen;
    INFO(c.title());
    const auto doors = SoftmaxDoors<double>::of(*encoding);
    const Matrix<double> q = noise<double>(60, 16, "q"), k = noise<double>(keys, 16, "k"),
                         v = noise<double>(keys, 16, "v");
    // One of three places and masks for each case, in turns: a map of this length takes its time.
    const Position first = seen % 3 == 0 ? 0 : seen % 3 == 1 ? 4090 : 8240;
    const Positions m = consecutive_positions(60, first);
    const Mask mask = first == 0      ? Mask()
                      : first == 4090 ? Mask::causal(m, n)
                                      : Mask::sliding_window(m, n, 4200);
    const AttentionInputs<double> in{q, k, v, m, n, 1};
    const auto whole = softmax_attention<double>(in, doors, mask);
    CHECK(largest_difference(whole.output, attention_output<double>(in, doors, mask).output) <=
          1e-13);
  }
  CHECK(seen >= 8);
}

TEST_CASE(
    "Queries in several parts have the bits that they have in one, on any number of threads") {
  const Index queries = 3100, keys = 8300;
  const Positions m = consecutive_positions(queries, 5000), n = consecutive_positions(keys);
  const auto encoding = make_case<float>({"transformer_xl", {}}, 8);
  const auto doors = SoftmaxDoors<float>::of(*encoding);
  const Matrix<float> q = noise<float>(queries, 8, "q"), k = noise<float>(keys, 8, "k"),
                      v = noise<float>(keys, 8, "v");
  const Mask mask = Mask::causal(m, n);
  const auto one = attention_output<float>({q, k, v, m, n}, doors, mask);
  CHECK(
      equal_bits(attention_output<float>({q, k, v, m, n}, doors, mask, {}, 3).output, one.output));
  const Index first = 3072, count = queries - first;
  const auto last = attention_output<float>(
      {q.bottomRows(count), k, v, PositionsIn(m).subspan(static_cast<std::size_t>(first)), n},
      doors, mask.of_queries(first, count));
  CHECK(equal_bits(last.output, one.output.bottomRows(count)));
}

TEST_CASE("Logits alone have the bits of the map, for every encoding of the catalogue") {
  const Positions m = consecutive_positions(9, 4), n = consecutive_positions(13);
  const Matrix<double> q = noise<double>(9, 16, "q"), k = noise<double>(13, 16, "k");
  for (const CatalogueCase& c : catalogue_cases()) {
    const auto encoding = make_case<double>(c, 16);
    if (dynamic_cast<const InputTerm<double>*>(encoding.get())) continue;
    INFO(c.title());
    const auto doors = SoftmaxDoors<double>::of(*encoding);
    const auto whole = softmax_attention<double>({q, k, k, m, n, 1, {}, &k}, doors);
    const auto alone =
        attention_logits<double>({q, k, Matrix<double>(), m, n, 1, {}, &k}, doors);  // x = k
    CHECK((alone.logits.array() == whole.logits.array()).all());
    REQUIRE(alone.terms.size() == whole.terms.size());
    for (std::size_t i = 0; i < alone.terms.size(); ++i)
      CHECK((alone.terms[i].logits.array() == whole.terms[i].logits.array()).all());
    CHECK(alone.weights.size() + alone.output.size() == 0);
  }
}

TEST_CASE("Rotated values are weighed tile by tile as they are in the map") {
  const Matrix<double> x = noise<double>(600, 8, "x");
  const Positions at = consecutive_positions(600);
  for (const RotaryValue value : {RotaryValue::rotated, RotaryValue::counter_rotated}) {
    const Rope<double> rope({.d_head = 8}, {.rotary_value = value});
    const auto doors = SoftmaxDoors<double>::of(rope);
    const auto whole = softmax_attention<double>({x, x, x, at, at}, doors);
    const auto alone = attention_output<double>({x, x, x, at, at}, doors);
    CHECK(largest_difference(whole.output, alone.output) <= 1e-14);
    CHECK(largest_difference(whole.output, whole.weights * x) > 0.01);
  }
}

TEST_CASE("Rows of the map, a few at a time, have the bits of the whole") {
  const Matrix<float> q = noise<float>(130, 24, "q"), k = noise<float>(1100, 24, "k"),
                      v = noise<float>(1100, 9, "v");
  const Positions m = consecutive_positions(130, 900), n = consecutive_positions(1100);
  const Mask mask = Mask::causal(m, n) & Mask::sliding_window(m, n, 600);
  const Rope<float> rope({.d_head = 24});
  const auto doors = SoftmaxDoors<float>::of(rope);
  const auto whole = softmax_attention<float>({q, k, v, m, n}, doors, mask);
  const auto output = attention_output<float>({q, k, v, m, n}, doors, mask);
  for (const Index rows : {1, 7, 48, 100, 1000}) {
    Index next = 0;
    const auto compare = [&](Index first, const AttentionOutput<float>& part) {
      CHECK(first == next);
      next += part.output.rows();
      const Index count = part.output.rows();
      CHECK(equal_bits(part.logits, whole.logits.middleRows(first, count)));
      CHECK(equal_bits(part.weights, whole.weights.middleRows(first, count)));
      CHECK(equal_bits(part.output, whole.output.middleRows(first, count)));
      const auto at = static_cast<std::size_t>(first);
      const auto alone =
          attention_output<float>({q.middleRows(first, count), k, v,
                                   PositionsIn(m).subspan(at, static_cast<std::size_t>(count)), n},
                                  doors, mask.of_queries(first, count));
      CHECK(equal_bits(alone.output, output.output.middleRows(first, count)));
    };
    for (const int threads : {1, 2, 5}) {
      next = 0;
      attention_by_rows<float>({q, k, v, m, n}, doors, mask, {}, {compare, rows, true, threads});
      CHECK(next == 130);
    }
  }
}

TEST_CASE("Rows without the keys out of sight have the bits of the whole, with any encoding") {
  const Index queries = 70, keys = 90;
  const Positions m = consecutive_positions(queries, 12), n = consecutive_positions(keys);
  const Matrix<float> q = noise<float>(queries, 16, "q"), k = noise<float>(keys, 16, "k"),
                      v = noise<float>(keys, 16, "v"), other = noise<float>(keys, 16, "other");
  const MatrixIn<float> other_k = other;
  std::vector<bool> is_real(static_cast<std::size_t>(keys), true);
  is_real[20] = false;
  Index left_out = 0;
  for (const CatalogueCase& c : catalogue_cases()) {
    const auto encoding = make_case<float>(c, 16);
    if (dynamic_cast<const InputTerm<float>*>(encoding.get())) continue;
    if (c.title().find("reads=input") != std::string::npos) continue;  // they need x, all of it
    INFO(c.title());
    const auto doors = SoftmaxDoors<float>::of(*encoding);
    for (const Mask& mask : {Mask(), Mask::causal(m, n), Mask::sliding_window(m, n, 9),
                             Mask::causal(m, n) & Mask::padding(queries, is_real)}) {
      const auto whole = softmax_attention<float>({q, k, v, m, n, 1}, doors, mask);
      const auto others = attention_logits<float>({q, other, v, m, n, 1}, doors);
      const auto compare = [&](Index first, const AttentionOutput<float>& part) {
        const Index rows = part.weights.rows(), seen = part.weights.cols();
        CHECK(equal_bits(part.weights, whole.weights.block(first, 0, rows, seen)));
        CHECK(equal_bits(part.logits, whole.logits.block(first, 0, rows, seen)));
        const MatrixIn<float> output = whole.output.middleRows(first, rows);
        if (doors.value_term)
          CHECK(largest_difference<float>(part.output, output) <= 1e-6);
        else
          CHECK(equal_bits(part.output, output));
        CHECK(equal_bits(part.other_logits, others.logits.block(first, 0, rows, seen)));
        CHECK((whole.weights.middleRows(first, rows).rightCols(keys - seen).array() == 0).all());
        left_out += keys - seen;
      };
      attention_by_rows<float>({q, k, v, m, n, 1}, doors, mask, {},
                               {.use = compare, .rows = 32, .in_sight = true, .other_k = &other_k});
    }
  }
  CHECK(left_out > 1000);
}

TEST_CASE("A value that is not finite reaches the same rows without the keys out of sight") {
  const Index n = 100;
  const Positions at = consecutive_positions(n);
  const Matrix<float> q = noise<float>(n, 8, "q"), k = noise<float>(n, 8, "k");
  Matrix<float> v = noise<float>(n, 8, "v");
  v(90, 3) = std::numeric_limits<float>::infinity();
  const Mask mask = Mask::causal(at, at);
  const auto whole = softmax_attention<float>({q, k, v, at, at}, {}, mask);
  const auto compare = [&](Index first, const AttentionOutput<float>& part) {
    for (Index i = 0; i < part.output.rows(); ++i)
      for (Index c = 0; c < 8; ++c) {
        const float a = part.output(i, c), b = whole.output(first + i, c);
        CHECK((a == b || (std::isnan(a) && std::isnan(b))));
      }
  };
  attention_by_rows<float>({q, k, v, at, at}, {}, mask, {}, {.use = compare, .in_sight = true});
}

TEST_CASE("NaN, infinity and rows without keys are what they are in the map") {
  const Index n = 600;
  const Positions at = consecutive_positions(n);
  Mask::Matrix allowed = Mask::Matrix::Constant(n, n, true);
  allowed.row(5).setConstant(false);
  allowed.row(590).setConstant(false);
  const Mask masks[] = {Mask(), Mask::causal(at, at), Mask(allowed)};
  for (const double special : {std::nan(""), infinity, -infinity})
    for (const Index row : {0, 30, 555, 599})
      for (int which = 0; which < 3; ++which)
        for (const Mask& mask : masks) {
          Matrix<float> q = noise<float>(n, 8, "q"), k = noise<float>(n, 8, "k"),
                        v = noise<float>(n, 8, "v");
          (which == 0 ? q : which == 1 ? k : v)(row, 3) = static_cast<float>(special);
          const auto whole = softmax_attention<float>({q, k, v, at, at}, {}, mask);
          const auto alone = attention_output<float>({q, k, v, at, at}, {}, mask);
          INFO("in "
               << "qkv"[which] << " at " << row << ": " << special);
          CHECK(alone.nan_rows == whole.nan_rows);
          CHECK(alone.fully_masked_rows == whole.fully_masked_rows);
          for (Index i = 0; i < n; ++i)
            for (Index c = 0; c < 8; ++c) {
              const float a = alone.output(i, c), b = whole.output(i, c);
              if (!(a == b) && !(std::isnan(a) && std::isnan(b)) && !(std::abs(a - b) < 1e-5f))
                FAIL("row " << i << ": " << a << " and " << b);
            }
        }
}

TEST_CASE(
    "A query that sees −inf alone is NaN without its map too, and one that sees nothing is 0") {
  const Matrix<double> q = Matrix<double>::Constant(2, 1, 1);
  const Matrix<double> k = Matrix<double>::Constant(3, 1, -infinity);
  const Matrix<double> v = Matrix<double>::Constant(3, 1, 2);
  Mask::Matrix allowed(2, 3);
  allowed << true, true, true, false, false, false;
  const auto out =
      attention_output<double>({q, k, v, Positions{0, 1}, Positions{0, 1, 2}}, {}, Mask(allowed));
  CHECK(std::isnan(out.output(0, 0)));
  CHECK(out.output(1, 0) == 0);
  CHECK(out.nan_rows == 1);
  CHECK(out.fully_masked_rows == 1);
}

TEST_CASE(
    "Keys that ALiBi leaves no weight are left out, unless NaN comes of them, as in the map") {
  constexpr Index n = 700;
  Random random(3, "far keys");
  Matrix<float> q = normal_matrix<float>(random, n, 16), k = normal_matrix<float>(random, n, 16);
  const Matrix<float> v = normal_matrix<float>(random, n, 16);
  const Positions at = consecutive_positions(n);
  const Alibi<float> alibi(8);  // the first head: half a unit for each distance
  const auto doors = SoftmaxDoors<float>::of(alibi);
  for (const Mask& mask : {Mask(), Mask::causal(at, at)})
    for (const Index wrong : {Index{-1}, Index{3}}) {
      if (wrong >= 0) k(wrong, 5) = std::numeric_limits<float>::quiet_NaN();
      const AttentionInputs<float> in{q, k, v, at, at};
      const auto map = softmax_attention<float>(in, doors, mask);
      const auto online = attention_output<float>(in, doors, mask);
      CHECK(online.nan_rows == map.nan_rows);
      if (wrong < 0) CHECK(largest_difference<float>(online.output, map.output) < 2e-6f);
      k(3, 5) = 0.5f;
    }
}

TEST_CASE("Queries and keys of different channels are refused without a map as with one") {
  const Positions at{0, 1};
  const Matrix<double> v = Matrix<double>::Zero(2, 2);
  const Alibi<double> alibi(2);
  for (const auto& [d_q, d_k] : {std::pair{2, 3}, std::pair{3, 2}, std::pair{0, 0}}) {
    const Matrix<double> q = Matrix<double>::Zero(2, d_q), k = Matrix<double>::Zero(2, d_k);
    for (const SoftmaxDoors<double>& doors :
         {SoftmaxDoors<double>{}, SoftmaxDoors<double>::of(alibi)}) {
      CHECK_THROWS_WITH(attention_output<double>({q, k, v, at, at}, doors), Contains("channels"));
      CHECK_THROWS_WITH(softmax_attention<double>({q, k, v, at, at}, doors), Contains("channels"));
    }
  }
}
