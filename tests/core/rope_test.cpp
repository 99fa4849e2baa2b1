#include "core/encodings/rope.h"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <complex>

#include "core/analysis/score_chain.h"
#include "core/attention/head.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/rope_realisations.h"
#include "core/random.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

Matrix<double> row(std::initializer_list<double> values) {
  Matrix<double> m(1, static_cast<Index>(values.size()));
  Index c = 0;
  for (const double v : values) m(0, c++) = v;
  return m;
}

Matrix<double> turned(const RopeConvention& config, Matrix<double> x, Position m,
                      const RopeOptions& options = {}) {
  Rope<double>(config, options).transform_queries(Positions{m}, x);
  return x;
}

/// Logits of three tokens at positions 0, 1, 2 with equal queries and equal keys.
Matrix<double> three_by_three(const RopeConvention& config, const Matrix<double>& q,
                              const Matrix<double>& k, const RopeOptions& options = {}) {
  const Positions at{0, 1, 2};
  const Matrix<double> queries = q.replicate(3, 1);
  const Matrix<double> keys = k.replicate(3, 1);
  return attention_from_qkv<double>(Rope<double>(config, options), {queries, keys, keys, at, at})
      .logits;
}

}  // namespace

TEST_CASE("RoPE turns pairs as the reference does, interleaved and half-split") {
  const auto reference = golden("formulas.json").at("rope");
  const Matrix<double> x = row({1, 2, 3, 4});
  const auto inter = turned({.d_head = 4}, x, 1);
  const auto half = turned({.d_head = 4, .pairing = RopePairing::half_split}, x, 1);
  for (Index c = 0; c < 4; ++c) {
    const auto i = static_cast<std::size_t>(c);
    CHECK(inter(0, c) ==
          Approx(reference.at("[1, 2, 3, 4] at position 1, interleaved")[i].get<double>())
              .epsilon(1e-14));
    CHECK(half(0, c) ==
          Approx(reference.at("[1, 2, 3, 4] at position 1, half_split")[i].get<double>())
              .epsilon(1e-14));
  }
}

TEST_CASE("RoPE's last pair is not the misprint of early copies of eq. (34)") {
  const auto misprint =
      golden("formulas.json").at("rope").at("[1, 2, 3, 4] at position 1, misprint of eq. (34)");
  const auto ours = turned({.d_head = 4}, row({1, 2, 3, 4}), 1);
  CHECK(std::abs(ours(0, 2) - misprint[2].get<double>()) > 1e-3);
}

TEST_CASE("By hand: with d = 2 and q = k = (1, 0), logits are cos(m − n)/√2") {
  const auto logits = three_by_three({.d_head = 2}, row({1, 0}), row({1, 0}));
  for (Index m = 0; m < 3; ++m)
    for (Index n = 0; n < 3; ++n)
      CHECK(logits(m, n) == Approx(std::cos(static_cast<double>(m - n)) / std::sqrt(2.0)));
}

TEST_CASE(
    "By hand: with q = (1, 0) and k = (0, 1), logits are sin(m − n)/√2, which shows the sign") {
  const auto logits = three_by_three({.d_head = 2}, row({1, 0}), row({0, 1}));
  for (Index m = 0; m < 3; ++m)
    for (Index n = 0; n < 3; ++n)
      CHECK(logits(m, n) ==
            Approx(std::sin(static_cast<double>(m - n)) / std::sqrt(2.0)).margin(1e-15));
}

TEST_CASE("By hand: channel 1 turns with channel 0 when interleaved, channel 2 when half-split") {
  const auto inter = three_by_three({.d_head = 4}, row({1, 0, 0, 0}), row({0, 1, 0, 0}));
  CHECK(inter(1, 0) == Approx(std::sin(1.0) / 2));
  const RopeConvention half{.d_head = 4, .pairing = RopePairing::half_split};
  CHECK(three_by_three(half, row({1, 0, 0, 0}), row({0, 1, 0, 0})) == Matrix<double>::Zero(3, 3));
  CHECK(three_by_three(half, row({1, 0, 0, 0}), row({0, 0, 1, 0}))(1, 0) ==
        Approx(std::sin(1.0) / 2));
}

TEST_CASE("Partial RoPE turns the first channels with their own denominators and keeps the rest") {
  const auto y = turned({.d_head = 8, .rotary_dims = 4}, row({1, 0, 1, 0, 5, 6, 7, 8}), 3);
  CHECK(y(0, 0) == Approx(std::cos(3.0)));
  CHECK(y(0, 2) == Approx(std::cos(3.0 * std::pow(10000.0, -2.0 / 4.0))));
  CHECK(y.rightCols(4) == row({5, 6, 7, 8}));
}

TEST_CASE("p-RoPE keeps the full head's frequencies and stills the lowest, as the reference") {
  const auto reference = golden("formulas.json").at("rope");
  const RopeConvention config{.d_head = 8,
                              .rotary_dims = 4,
                              .partial = RopePartial::proportional,
                              .pairing = RopePairing::half_split};
  const auto theta =
      reference.at("frequencies of p-RoPE, d=8, fraction 1/2").get<std::vector<double>>();
  const auto y = turned(config, row({1, 2, 3, 4, 5, 6, 7, 8}), 2);
  for (std::size_t t = 0; t < 4; ++t)
    CHECK(Rope<double>(config).theta()[t] == Approx(theta[t]).epsilon(1e-15));
  const auto expected =
      reference.at("[1, ..., 8] at position 2, half_split, p-RoPE with fraction 1/2")
          .get<std::vector<double>>();
  for (Index c = 0; c < 8; ++c)
    CHECK(y(0, c) == Approx(expected[static_cast<std::size_t>(c)]).epsilon(1e-14));
}

TEST_CASE("rotary_value turns the values by their own positions, as the reference, or back again") {
  const auto file = golden("formulas.json").at("rope");
  const auto expected = file.at("values [1..4], [2..5], [3..6] turned by their positions 0, 1, 2, "
                                "weighted 0.2, 0.3, 0.5")
                            .get<std::vector<double>>();
  Matrix<double> weights(1, 3), v(3, 4);
  weights << .2, .3, .5;
  v << 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6;
  const Positions m{2}, n{0, 1, 2};
  const auto output = [&](RotaryValue value) {
    Matrix<double> out = weights * v;
    Rope<double>({.d_head = 4}, {.rotary_value = value}).add_to_output({weights, v, m, n}, out);
    return out;
  };
  const Matrix<double> rotated = output(RotaryValue::rotated);
  const Matrix<double> undone = turned({.d_head = 4}, rotated, -2);
  for (Index c = 0; c < 4; ++c) {
    CHECK(rotated(0, c) == Approx(expected[static_cast<std::size_t>(c)]).epsilon(1e-14));
    CHECK(output(RotaryValue::counter_rotated)(0, c) == Approx(undone(0, c)).epsilon(1e-14));
  }
  CHECK(output(RotaryValue::none) == Matrix<double>(weights * v));
}

TEST_CASE("The two pairings are one encoding after the channels are permuted as the field does") {
  const auto order = golden("formulas.json")
                         .at("rope")
                         .at("interleaved channel at each half_split channel, d=8")
                         .get<std::vector<Index>>();
  Random random(3, "pairings");
  const Matrix<double> x = normal_matrix<double>(random, 1, 8);
  Matrix<double> permuted(1, 8);
  for (Index c = 0; c < 8; ++c) permuted(0, c) = x(0, order[static_cast<std::size_t>(c)]);
  const auto inter = turned({.d_head = 8}, x, 11);
  const auto half = turned({.d_head = 8, .pairing = RopePairing::half_split}, permuted, 11);
  for (Index c = 0; c < 8; ++c)
    CHECK(half(0, c) == Approx(inter(0, order[static_cast<std::size_t>(c)])).epsilon(1e-14));
}

TEST_CASE("By hand: rows of two heads of 4 moved from neighbours to halves, and back") {
  Matrix<double> rows(8, 3), halves(8, 3);
  constexpr std::array order{0, 2, 1, 3, 4, 6, 5, 7};
  for (Index i = 0; i < rows.rows(); ++i) {
    rows.row(i).setConstant(static_cast<double>(i));
    halves.row(i).setConstant(order[static_cast<std::size_t>(i)]);
  }
  using Pairing = RopePairing;
  CHECK(repaired_rows<double>(rows, 2, Pairing::interleaved, Pairing::half_split) == halves);
  CHECK(repaired_rows<double>(halves, 2, Pairing::half_split, Pairing::interleaved) == rows);
  CHECK(repaired_rows<double>(rows, 2, Pairing::half_split, Pairing::half_split) == rows);
}

TEST_CASE("cos and sin are right to the last bits at any position fp64 can count") {
  const auto reference = golden("core.json").at("turns");
  const auto theta = reference.at("theta").get<std::vector<double>>();
  const auto ours = inverse_frequencies(reference.at("d").get<Index>(), 10000.0);
  const auto positions = reference.at("positions").get<Positions>();
  for (std::size_t t = 0; t < theta.size(); ++t) {
    CHECK(ours[t] == Approx(theta[t]).epsilon(3e-16));
    for (std::size_t p = 0; p < positions.size(); ++p) {
      const CosSin turn = rotation_at(positions[p], theta[t]);
      INFO("position " << positions[p] << " pair " << t);
      CHECK(std::abs(turn.cos - reference.at("cos_sin")[p][t][0].get<double>()) <= 4 * 0x1p-53);
      CHECK(std::abs(turn.sin - reference.at("cos_sin")[p][t][1].get<double>()) <= 4 * 0x1p-53);
    }
  }
}

TEST_CASE("bf16 positions collapse: 1995 becomes 1992 and 15962 becomes 15936") {
  CHECK(round_to(Precision::bf16, 1995) == 1992);
  CHECK(round_to(Precision::bf16, 15962) == 15936);
  const StageRounding rounding(Precision::bf16, {Stage::position});
  const auto a = turned({.d_head = 4}, row({1, 2, 3, 4}), 1995, {.rounding = rounding});
  const auto b = turned({.d_head = 4}, row({1, 2, 3, 4}), 1992, {.rounding = rounding});
  CHECK(a == b);
}

TEST_CASE("A slice turns as a head of its own does, and clockwise by the opposite positions") {
  Random random(3, "a slice");
  const Matrix<double> q = normal_matrix<double>(random, 2, 14);
  const Positions m{5, -300}, opposite{-5, 300};
  for (const RopePairing pairing : {RopePairing::interleaved, RopePairing::half_split}) {
    const Rope<double> rope(
        {.d_head = 14, .begin = 6, .rotary_dims = 8, .pairing = pairing, .clockwise = true});
    Matrix<double> turned = q, slice = q.rightCols(8);
    rope.transform_queries(m, turned);
    Rope<double>({.d_head = 8, .pairing = pairing}).transform_queries(opposite, slice);
    CHECK(turned.leftCols(6) == q.leftCols(6));
    CHECK(largest_difference(turned.rightCols(8), slice) < 1e-14);
    CHECK(largest_difference(rope_by_matrix<double>(rope, m, q), turned) < 1e-13);
    const MatrixIn<double> one = q.row(0), other = q.row(1);
    CHECK(rope_complex_score<double>(rope, one, other, 5, -300) ==
          Approx(turned.row(0).dot(turned.row(1))).epsilon(1e-12));
  }
  CHECK_THROWS_WITH(Rope<double>({.d_head = 14, .begin = 8, .rotary_dims = 8}),
                    Catch::Matchers::Contains("rotary_dims=8 from channel 8 of d_head=14"));
}

TEST_CASE("RoPE refuses an odd head, an odd or too wide rotary part, a base of 1") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(Rope<double>({.d_head = 63}), Contains("d_head=63: must be even"));
  CHECK_THROWS_WITH(Rope<double>({.d_head = 8, .rotary_dims = 3}),
                    Contains("rotary_dims=3 of d_head=8"));
  CHECK_THROWS_WITH(Rope<double>({.d_head = 8, .rotary_dims = 10}), Contains("at most d_head"));
  CHECK_THROWS_WITH(Rope<double>({.d_head = 8, .base = 1}), Contains("greater than 1"));
  Matrix<double> x = row({1, 2});
  CHECK_THROWS_WITH(Rope<double>({.d_head = 8}).transform_keys(Positions{0}, x),
                    Contains("2 channels"));
  Matrix<double> y = row({1, 2, 3, 4, 5, 6, 7, 8});
  CHECK_THROWS_WITH(Rope<double>({.d_head = 8}).transform_keys(Positions{0, 1}, y),
                    Contains("2 positions for 1 rows"));
}

namespace {

RopeOptions muting(std::initializer_list<std::size_t> bands) {
  RopeOptions options;
  for (const std::size_t band : bands) options.muted[band] = true;
  return options;
}

}  // namespace

TEST_CASE(
    "By hand: with band 0 of d = 4 muted, logits are cos((m − n)/100)/2; with band 4, the rest") {
  // Pairs 0 and 1 turn by 1 and 1/100 rad per token and lie in bands 0 and 4; q = k = (1, 0, 1, 0).
  const auto slow =
      three_by_three({.d_head = 4}, row({1, 0, 1, 0}), row({1, 0, 1, 0}), muting({0}));
  const auto fast =
      three_by_three({.d_head = 4}, row({1, 0, 1, 0}), row({1, 0, 1, 0}), muting({4}));
  for (Index m = 0; m < 3; ++m)
    for (Index n = 0; n < 3; ++n) {
      const auto r = static_cast<double>(m - n);
      CHECK(slow(m, n) == Approx(std::cos(0.01 * r) / 2));
      CHECK(fast(m, n) == Approx(std::cos(r) / 2));
    }
}

TEST_CASE("Scores with some bands muted and scores with the others muted add up to all") {
  Random random(7, "muted bands");
  const Matrix<double> q = normal_matrix<double>(random, 1, 48);
  const Matrix<double> k = normal_matrix<double>(random, 1, 48);
  for (const RopePairing pairing : {RopePairing::interleaved, RopePairing::half_split}) {
    const RopeConvention rope{.d_head = 48, .pairing = pairing};
    const Matrix<double> first = three_by_three(rope, q, k, muting({0, 3, 7}));
    const Matrix<double> second = three_by_three(rope, q, k, muting({1, 2, 4, 5, 6}));
    const Matrix<double> whole = three_by_three(rope, q, k);
    CHECK(largest_difference(first + second, whole) < 1e-14);
    CHECK(largest_difference(first, whole) > 1e-3);
  }
}

TEST_CASE("Muting takes nothing from channels that do not turn, nor from values") {
  const RopeConvention convention{.d_head = 8, .rotary_dims = 4};
  RopeOptions options = muting({0});
  options.rotary_value = RotaryValue::rotated;
  const auto turned_row = turned(convention, row({1, 2, 3, 4, 5, 6, 7, 8}), 0, options);
  CHECK(turned_row == row({0, 0, 3, 4, 5, 6, 7, 8}));
  const Positions at{0};
  const Matrix<double> v = row({1, 2, 3, 4, 5, 6, 7, 8}), one = row({1});
  Matrix<double> out = v;
  const Rope<double> rope(convention, options);
  const MatrixIn<double> values = v, weights = one;
  rope.add_to_output({.weights = weights, .v = values, .m = at, .n = at}, out);
  CHECK(out == v);
}

TEST_CASE("The three realisations agree on what is muted") {
  Random random(3, "muted realisations");
  const Matrix<double> q = normal_matrix<double>(random, 1, 16);
  const Matrix<double> k = normal_matrix<double>(random, 1, 16);
  const Rope<double> rope({.d_head = 16}, muting({1, 6}));
  const Positions m{5}, n{2};
  Matrix<double> turned_q = q, turned_k = k;
  rope.transform_queries(m, turned_q);
  rope.transform_keys(n, turned_k);
  CHECK(largest_difference(rope_by_matrix<double>(rope, m, q), turned_q) < 1e-14);
  CHECK(largest_difference(rope_by_complex<double>(rope, m, q), turned_q) < 1e-14);
  const double score = turned_q.row(0).dot(turned_k.row(0));
  CHECK(rope_complex_score<double>(rope, q, k, 5, 2) == Approx(score));
  const ScoreChain chain = score_chain(rope, {q.data(), 16}, {k.data(), 16}, 3);
  CHECK(chain.end().real() == Approx(score));
}

TEST_CASE("Muting every pair is refused with the bands that hold one") {
  CHECK_THROWS_WITH(Rope<double>({.d_head = 4}, muting({0, 4})),
                    Catch::Contains("leaves none of 2 pairs") && Catch::Contains("band0, band4"));
  CHECK_NOTHROW(Rope<double>({.d_head = 4}, muting({0, 1, 2, 3, 5, 6, 7})));
}
