// Logits whose angles were formed in fp64.
#include <catch2/catch.hpp>

#include "core/random.h"
#include "experiments/identify/describe_rope.h"
#include "experiments/identify/identify_logits.h"

using namespace orrery;

namespace {

constexpr Index exact_rows = 32, exact_width = 64;

struct ExactLogits {
  Matrix<double> q, k, logits;
  Positions positions;

  /// q·k/8 of one head, exact but for the rounding to the format.
  ExactLogits(const WrittenRope& rope, Precision format) {
    Random random(5, "exact logits");
    q = normal_matrix<double>(random, exact_rows, exact_width);
    k = normal_matrix<double>(random, exact_rows, exact_width);
    RowPlaces places{.heads = {0}, .rows = {}, .positions = AxisPositions(exact_rows, 1)};
    for (Index n = 0; n < exact_rows; ++n) {
      places.positions(n, 0) = n;
      places.rows.push_back(n);
      positions.push_back(n);
    }
    const Matrix<double> turned_k = apply_written(rope, places, k);
    logits = (apply_written(rope, places, q) * turned_k.transpose() / 8).unaryExpr([&](double x) {
      return round_to(format, x);
    });
  }

  LogitsQuestion question(Precision format) const {
    return {.q = q,
            .k = k,
            .logits = logits,
            .queries = positions,
            .keys = positions,
            .format = format};
  }
};

WrittenRope llama(double base) {
  return {{.d_head = exact_width,
           .rotary_dims = exact_width,
           .pairing = RopePairing::half_split,
           .base = base}};
}

}  // namespace

TEST_CASE("Logits of fp64 are explained by a rope that rounds nowhere") {
  for (const double base : {500000.0, 12345.678}) {
    const ExactLogits exact(llama(base), Precision::fp64);
    const LogitsAnswer answer = identify_logits(exact.question(Precision::fp64));
    INFO(short_text(answer.best().of_q) << ": " << answer.best().residual.rms());
    CHECK(answer.explained);
    CHECK(answer.best().of_q.base == base);
    CHECK(scale_words(answer.best().scale, exact_width, Precision::fp64) == "1/√64");
  }
}

TEST_CASE("Logits of fp32 with angles in fp64 are explained, and by the expected rope") {
  const ExactLogits exact(llama(500000), Precision::fp32);
  LogitsQuestion question = exact.question(Precision::fp32);
  question.expected = llama(500000);
  const LogitsAnswer answer = identify_logits(question);
  CHECK(answer.explained);
  CHECK(answer.best().is_expected);
  CHECK_FALSE(answer.best().of_q.rounding.rounds(Stage::angle));
}

TEST_CASE("Logits of fp64 that another base made are not as expected") {
  const ExactLogits exact(llama(10000), Precision::fp64);
  LogitsQuestion question = exact.question(Precision::fp64);
  question.expected = llama(500000);
  const LogitsAnswer answer = identify_logits(question);
  CHECK(answer.explained);
  CHECK_FALSE(answer.best().is_expected);
  CHECK(answer.best().defect == "base_lost");
}
