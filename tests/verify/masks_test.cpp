// Which keys a query sees under masks of every kind, against loops that call none of the library.
#include <catch2/catch.hpp>

#include <limits>

#include "core/encodings/alibi.h"
#include "core/encodings/none.h"
#include "experiments/verify/cases.h"
#include "tests/verify/agreement.h"

using namespace orrery;
using test::check_agreement;

namespace {
namespace in_masks {

/// Neighbouring positions in no order, so that masks have edges to be wrong at.
template <class T>
struct Row {
  static constexpr Index tokens = 9;
  static constexpr Index d = 8;
  Positions at{4, 0, 7, 2, 8, 1, 5, 3, 6};
  Matrix<T> q, k, v;

  explicit Row(Random& random)
      : q(normal_matrix<T>(random, tokens, d)),
        k(normal_matrix<T>(random, tokens, d)),
        v(normal_matrix<T>(random, tokens, d)) {}

  Position r(Index i, Index j) const {
    return at[static_cast<std::size_t>(i)] - at[static_cast<std::size_t>(j)];
  }
  Rows logits() const {
    return literal::scores(wide(q), wide(k), std::sqrt(static_cast<double>(d)));
  }
  double bound() const { return softmax_bound(logits(), rounding_bound<T>(roundings_of(d))); }
};

Mask::Matrix cells(Index queries, Index keys, const literal::Visible& sees) {
  Mask::Matrix out(queries, keys);
  for (Index i = 0; i < queries; ++i)
    for (Index j = 0; j < keys; ++j) out(i, j) = sees(i, j);
  return out;
}

template <class T>
void check_output(const std::string& what, const AttentionOutput<T>& out, const Row<T>& row,
                  const Rows& weights) {
  check_agreement(what + ": weights", out.weights, weights, row.bound());
  check_agreement(what + ": output", out.output, literal::product(weights, wide(row.v)),
                  row.bound());
}

template <class T>
void check_mask(const std::string& what, const Row<T>& row, const MaskSpec& spec,
                const literal::Visible& visible) {
  const auto out =
      multi_head_attention<T>(NoEncoding<T>(), {{row.q}, {row.k}, {row.v}, row.at, row.at}, spec);
  check_output(what, out[0], row, literal::softmax(row.logits(), visible));
}

TEMPLATE_TEST_CASE("Masks hide from each query the keys that they say, alone and together", "",
                   float, double) {
  Random random(test::drawn_seed(), "masks");
  const Row<TestType> row(random);
  const auto causal = [&](Index i, Index j) { return row.r(i, j) >= 0; };
  const auto near = [&](Index i, Index j) { return row.r(i, j) > -3 && row.r(i, j) < 3; };
  std::vector<bool> real(row.tokens, true);
  real[2] = real[5] = false;
  const auto is_real = [&](Index, Index j) { return j != 2 && j != 5; };
  const auto own = [](Index i, Index j) { return (i + 2 * j) % 3 != 0; };
  const Mask given(cells(row.tokens, row.tokens, own));
  check_mask("causal: n ≤ m by position, a token sees itself", row, {.causal = true}, causal);
  check_mask("window 3: |m − n| < 3", row, {.window = 3}, near);
  check_mask("padding", row, {.key_is_real = real}, is_real);
  check_mask("a given mask", row, {.mask = given}, own);
  check_mask(
      "all masks together", row, {.causal = true, .window = 3, .key_is_real = real, .mask = given},
      [&](Index i, Index j) { return causal(i, j) && near(i, j) && is_real(i, j) && own(i, j); });
}

TEMPLATE_TEST_CASE("Each head has its own mask beside that of all", "", float, double) {
  Random random(test::drawn_seed(), "masks of heads");
  const Row<TestType> row(random);
  const auto own = [](int h, Index i, Index j) { return (i + (2 + h) * j) % 3 != 0; };
  MaskSpec spec{.causal = true};
  for (int h = 0; h < 2; ++h)
    spec.head_masks.emplace_back(
        cells(row.tokens, row.tokens, [&](Index i, Index j) { return own(h, i, j); }));
  const auto out = multi_head_attention<TestType>(
      NoEncoding<TestType>(), {{row.q, row.q}, {row.k}, {row.v}, row.at, row.at}, spec);
  for (int h = 0; h < 2; ++h)
    check_output("head " + std::to_string(h), out[static_cast<std::size_t>(h)], row,
                 literal::softmax(row.logits(), [&](Index i, Index j) {
                   return row.r(i, j) >= 0 && own(h, i, j);
                 }));
}

TEMPLATE_TEST_CASE("A mask of floats is a term that is added to the logits, and −inf hides", "",
                   float, double) {
  Random random(test::drawn_seed(), "masks of floats");
  const Row<TestType> row(random);
  Matrix<double> added = wide(normal_matrix<TestType>(random, row.tokens, row.tokens));
  const auto own = [](Index i, Index j) { return (i + 2 * j) % 3 != 0; };
  const Rows logits = row.logits() + added;
  for (Index i = 0; i < added.rows(); ++i)
    for (Index j = 0; j < added.cols(); ++j)
      if (!own(i, j)) added(i, j) = -std::numeric_limits<double>::infinity();
  const auto out = multi_head_attention<TestType>(NoEncoding<TestType>(),
                                                  {{row.q}, {row.k}, {row.v}, row.at, row.at},
                                                  {.mask = Mask::additive(added)});
  check_output("added", out[0], row, literal::softmax(logits, own));
  const Rows seen = added.array().isInf().select(0.0, added.array()).matrix();
  check_agreement("the term, 0 where it hides", out[0].terms.back().logits, seen,
                  rounding_bound<TestType>(1));
  const Matrix<double> single = Matrix<double>::Constant(1, 1, 0.5);
  const Positions at{0};
  const Matrix<TestType> q = row.q.topRows(1), k = row.k.topRows(1);
  const auto alone = attention_from_qkv<TestType>(NoEncoding<TestType>(), {q, k, q, at, at},
                                                  Mask::additive(single));
  check_agreement("one query and one key", alone.logits,
                  (row.logits().topLeftCorner(1, 1).array() + 0.5).matrix(),
                  4 * rounding_bound<TestType>(roundings_of(row.d)));
}

TEMPLATE_TEST_CASE("One query with cached keys makes the last row of all", "", float, double) {
  Random random(test::drawn_seed(), "cached keys");
  const Row<TestType> row(random);
  const Positions last{8};
  const Index at_last = 4;  // row.at[4] = 8
  const auto out = multi_head_attention<TestType>(
      Alibi<TestType>(1), {{row.q.row(at_last)}, {row.k}, {row.v}, last, row.at}, {.causal = true});
  const literal::Head head{wide(row.q), wide(row.k), wide(row.v), row.at, row.at};
  const Rows whole =
      literal::softmax(literal::sum_of(literal::alibi(head, literal::alibi_slopes(1)[0], false)),
                       [&](Index i, Index j) { return row.r(i, j) >= 0; });
  check_agreement("output", out[0].output, literal::product(whole.row(at_last), head.v),
                  row.bound());
}

TEST_CASE("A query that sees no key has weights 0, and is counted") {
  AttentionOutput<double> out;
  out.logits = Matrix<double>::Ones(3, 2);
  masked_softmax<double>(Mask::causal(Positions{0, 1, 2}, Positions{1, 2}), out);
  CHECK(out.weights.row(0).sum() == 0);
  CHECK(out.fully_masked_rows == 1);
}

/// A mask, and what it allows and adds.
struct Kind {
  Mask mask;
  literal::Visible sees;
  double added{0};
};

/// Cells of a mask of two kinds, from query `first` on, that are judged otherwise than by both.
int misjudged(const Mask& mask, const Kind& a, const Kind& b, Index first, Index queries,
              Index keys) {
  int count = 0;
  for (Index i = 0; i < queries; ++i)
    for (Index j = 0; j < keys; ++j) {
      const bool sees = a.sees(first + i, j) && b.sees(first + i, j);
      count += mask.allows_everything() ? !sees : mask.allows(i, j) != sees;
      count += (mask.added() ? (*mask.added())(i, j) : 0) != a.added + b.added;
    }
  return count;
}

TEST_CASE("Two masks, of all queries and of some, allow what both allow, and add both") {
  constexpr Index queries = 5, keys = 7;
  const Positions m{4, 0, 7, 2, 8}, n{4, 0, 7, 2, 8, 1, 5};
  const auto r = [&](Index i, Index j) {
    return m[static_cast<std::size_t>(i)] - n[static_cast<std::size_t>(j)];
  };
  const literal::Visible thirds = [](Index i, Index j) { return (i + 2 * j) % 3 != 0; };
  const literal::Visible halves = [](Index i, Index j) { return (i + j) % 2 == 0; };
  const std::vector<Kind> kinds{
      {Mask(), literal::everything},
      {Mask::causal(m, n), [&](Index i, Index j) { return r(i, j) >= 0; }},
      {Mask::sliding_window(m, n, 3), [&](Index i, Index j) { return std::abs(r(i, j)) < 3; }},
      {Mask::padding(queries, {true, false, true, true, true, false, true}),
       [](Index, Index j) { return j != 1 && j != 5; }},
      {Mask::padding(queries, {true, true, true, false, true, true, true}),
       [](Index, Index j) { return j != 3; }},
      {Mask(cells(queries, keys, thirds)), thirds},
      {Mask(cells(queries, keys, halves)), halves},
      {Mask::additive(Matrix<double>::Constant(queries, keys, 0.5)), literal::everything, 0.5},
      {Mask::additive(Matrix<double>::Constant(queries, keys, 2)), literal::everything, 2}};
  for (std::size_t a = 0; a < kinds.size(); ++a)
    for (std::size_t b = 0; b < kinds.size(); ++b) {
      INFO("masks " << a << " and " << b);
      const Mask both = kinds[a].mask & kinds[b].mask;
      CHECK(misjudged(both, kinds[a], kinds[b], 0, queries, keys) == 0);
      CHECK(misjudged(both.of_queries(1, 3), kinds[a], kinds[b], 1, 3, keys) == 0);
    }
}

TEST_CASE("A mask of floats hides with the lowest numbers of fp16, bf16 and wider, and −inf") {
  constexpr double bf16 = -3.3895313892515355e38,
                   infinity = std::numeric_limits<double>::infinity();
  for (const double value : {-65504.0, bf16, -3.4028234663852886e38, -1e300, -infinity}) {
    INFO(value);
    CHECK(Mask::hides(value));
  }
  for (const double value : {0.0, 1.0, -1.0, -65503.0, -65505.0, -65536.0, 65504.0, 1e4, -1e4, -1e9,
                             -3.37e38, -bf16, infinity}) {
    INFO(value);
    CHECK_FALSE(Mask::hides(value));
  }
}

TEST_CASE("Causal masks and windows judge positions as far apart as there are") {
  const Positions last{max_position}, first{-max_position};
  CHECK(Mask::causal(last, first).allows(0, 0));
  CHECK_FALSE(Mask::causal(first, last).allows(0, 0));
  CHECK(Mask::causal(last, last).allows(0, 0));
  CHECK_FALSE(Mask::sliding_window(last, first, 2 * max_position).allows(0, 0));  // |m − n| < width
  CHECK(Mask::sliding_window(last, first, 2 * max_position + 1).allows(0, 0));
  CHECK(Mask::sliding_window(last, last, 1).allows(0, 0));
}

}  // namespace in_masks
}  // namespace
