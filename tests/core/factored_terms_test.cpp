#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "core/attention/logit_factors.h"
#include "core/attention/softmax_attention.h"
#include "core/encodings/shaw.h"
#include "core/encodings/transformer_xl.h"
#include "tests/support/catalogue_cases.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

constexpr Index factored_width = 16;

template <class T>
Matrix<T> noise(Index rows, Index columns, const char* what) {
  Random random(23, what);
  return normal_matrix<T>(random, rows, columns);
}

template <class T>
struct Tokens {
  Tokens(Index queries, Position first_query, Index keys, Position first_key)
      : q(noise<T>(queries, factored_width, "q")),
        k(noise<T>(keys, factored_width, "k")),
        v(noise<T>(keys, factored_width, "v")),
        m(consecutive_positions(queries, first_query)),
        n(consecutive_positions(keys, first_key)) {}

  AttentionInputs<T> inputs() const { return {q, k, v, m, n, 1}; }
  ScoreInputs<T> scores(const Scoring& scoring = {}) const { return {q, k, m, n, 1, scoring, {}}; }

  Matrix<T> q, k, v;
  Positions m, n;
};

/// The vector of the distance n − m, as DistanceVectors states it.
Matrix<double> vector_at(const DistanceVectors<double>& vectors, Position ahead) {
  return vectors.rows.row(std::clamp<Position>(ahead - vectors.first, 0, vectors.rows.rows() - 1));
}

/// LogitFactors' formula, cell by cell.
Matrix<double> sum_of(const LogitFactors<double>& factors, const Tokens<double>& in,
                      const Distances& distances) {
  const Matrix<double>& k = factors.k.size() > 0 ? factors.k : in.k;
  const Matrix<double>& q_of_distance =
      factors.q_of_distance.size() > 0 ? factors.q_of_distance : factors.q;
  Matrix<double> logits(in.q.rows(), in.k.rows());
  for (Index i = 0; i < logits.rows(); ++i)
    for (Index j = 0; j < logits.cols(); ++j) {
      const Position ahead = in.n[static_cast<std::size_t>(j)] - in.m[static_cast<std::size_t>(i)];
      double sum = factors.q.row(i).dot(k.row(j));
      if (factors.by_query.given())
        sum += q_of_distance.row(i).dot(vector_at(factors.by_query, ahead).row(0));
      if (factors.by_key.given()) sum += in.k.row(j).dot(vector_at(factors.by_key, ahead).row(0));
      if (factors.bias.size() > 0) sum += factors.bias(0, ahead - distances.first);
      logits(i, j) = sum;
    }
  return logits;
}

/// What numbers per key, positions or other tokens make: not to be said by distances.
bool has_no_factors(const CatalogueCase& c) {
  for (const char* name : {"fire", "fox", "cope", "path", "grape_additive"})
    if (c.name == name) return true;
  return c.title() == "alibi alibi.form=key";
}

}  // namespace

TEST_CASE("What an encoding says its terms are made of adds up to its terms, wherever it stands") {
  const Tokens<double> places[] = {{70, 0, 70, 0}, {40, 30, 90, 7}, {1, 35, 36, 0}, {30, 0, 8, 22}};
  for (const CatalogueCase& c : catalogue_cases()) {
    const auto encoding = make_case<double>(c, factored_width);
    const auto* terms = dynamic_cast<const ScoreTerms<double>*>(encoding.get());
    if (!terms || has_no_factors(c)) continue;
    INFO(c.title());
    for (const Tokens<double>& in : places) {
      const auto distances = consecutive_distances(in.m, in.n);
      REQUIRE(distances);
      for (const Scoring& scoring : {Scoring{}, Scoring{.rounding = {}, .scale = 0.5}}) {
        const auto factors = terms->logit_factors(in.scores(scoring), *distances);
        REQUIRE(factors);
        Matrix<double> logits = Matrix<double>::Zero(in.q.rows(), in.k.rows());
        for (const ScoreTerm<double>& term : terms->score_terms(in.scores(scoring)))
          logits += term.logits;
        CHECK(largest_difference<double>(sum_of(*factors, in, *distances), logits) <= 1e-13);
      }
      const auto* value_term = dynamic_cast<const ValueTerm<double>*>(encoding.get());
      const DistanceVectors<double> vectors =
          value_term ? value_term->value_vectors(*distances).value_or(DistanceVectors<double>{})
                     : DistanceVectors<double>{};
      const Matrix<double> weights = noise<double>(in.q.rows(), in.k.rows(), "weights");
      Matrix<double> added = Matrix<double>::Zero(in.q.rows(), factored_width), expected = added;
      if (value_term) value_term->add_to_output({weights, in.v, in.m, in.n}, expected);
      for (Index i = 0; i < weights.rows(); ++i)
        for (Index j = 0; j < weights.cols() && vectors.given(); ++j)
          added.row(i) += weights(i, j) * vector_at(vectors, in.n[static_cast<std::size_t>(j)] -
                                                                 in.m[static_cast<std::size_t>(i)]);
      CHECK(largest_difference(added, expected) <= 1e-12);
    }
  }
}

TEST_CASE("Terms are added tile by tile as they are in the map, across tiles and at their edges") {
  const auto check = [](auto zero, double bound) {
    using T = decltype(zero);
    // Beyond both ends of every clip, with tiles that are cut off on the left and on the right.
    const Tokens<T> places[] = {{130, 500, 1100, 0}, {100, 0, 1030, 0}, {50, 1000, 520, 0}};
    for (const CatalogueCase& c : catalogue_cases()) {
      const auto encoding = make_case<T>(c, factored_width);
      if (!dynamic_cast<const ScoreTerms<T>*>(encoding.get()) || has_no_factors(c)) continue;
      INFO(c.title());
      const auto doors = SoftmaxDoors<T>::of(*encoding);
      for (const Tokens<T>& in : places)
        for (const Mask& mask :
             {Mask(), Mask::causal(in.m, in.n), Mask::sliding_window(in.m, in.n, 40)}) {
          const auto whole = softmax_attention<T>(in.inputs(), doors, mask);
          const auto alone = attention_output<T>(in.inputs(), doors, mask);
          CHECK(largest_difference(whole.output, alone.output) <= static_cast<T>(bound));
          CHECK(alone.fully_masked_rows == whole.fully_masked_rows);
          CHECK(alone.nan_rows == 0);
        }
    }
  };
  check(0.0, 1e-13);
  check(0.0f, 1e-4);
}

TEST_CASE("Positions with gaps, far positions and far distances have no distances by index") {
  const auto distances = [](const Positions& m, const Positions& n) {
    return consecutive_distances(m, n).has_value();
  };
  CHECK(distances({3, 4}, {0, 1, 2}));
  CHECK_FALSE(distances({3, 5}, {0, 1}));
  CHECK_FALSE(distances({3, 4}, {0, 0}));
  CHECK_FALSE(distances({}, {0}));
  CHECK_FALSE(distances({max_position}, {max_position, max_position + 1}));
  CHECK_FALSE(distances({max_position}, {-1}));
  CHECK(distances({max_position}, {max_position}));
}

TEST_CASE("NaN in a trained vector reaches the queries that are at its distance, and no others") {
  const Index clip = 5;
  Matrix<double> keys = noise<double>(2 * clip + 1, factored_width, "keys");
  Matrix<double> values = noise<double>(2 * clip + 1, factored_width, "values");
  const Tokens<double> in(60, 0, 60, 0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (Matrix<double>* table : {&keys, &values}) {
    const double before = (*table)(2 * clip, 3);
    (*table)(2 * clip, 3) = nan;  // keys 5 or more ahead
    const Shaw<double> shaw(keys, values);
    const auto doors = SoftmaxDoors<double>::of(shaw);
    const auto whole = softmax_attention<double>(in.inputs(), doors);
    const auto alone = attention_output<double>(in.inputs(), doors);
    for (Index i = 0; i < 60; ++i)
      CHECK(std::isnan(alone.output(i, 3)) == std::isnan(whole.output(i, 3)));
    CHECK(std::isnan(alone.output(0, 3)));
    CHECK(alone.nan_rows == whole.nan_rows);
    (*table)(2 * clip, 3) = before;
  }
}

TEST_CASE("Segments, which are no distances, go by the map") {
  const Tokens<double> in(20, 0, 20, 0);
  TransformerXl<double>::Weights weights{
      noise<double>(2, factored_width, "u"), noise<double>(2, factored_width, "v"),
      noise<double>(factored_width, 2 * factored_width, "W"), noise<double>(2, factored_width, "s"),
      noise<double>(2, 2 * factored_width, "g")};
  const TransformerXl<double> xl(weights, 10000);
  const auto doors = SoftmaxDoors<double>::of(xl);
  AttentionInputs<double> inputs = in.inputs();
  const auto without = attention_output<double>(inputs, doors);
  const std::vector<std::int32_t> ids{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  inputs.segments = {ids, ids};
  const auto whole = softmax_attention<double>(inputs, doors);
  const auto alone = attention_output<double>(inputs, doors);
  CHECK(largest_difference(whole.output, alone.output) <= 1e-14);
  CHECK(largest_difference(whole.output, without.output) > 1e-3);
}
