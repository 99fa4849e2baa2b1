#include "core/analysis/spectrum.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "core/attention/content.h"
#include "core/errors.h"
#include "core/random.h"
#include "tests/support/rotation_golden.h"

using namespace orrery;
using orrery::test::golden;
using orrery::test::rope_of;

namespace {

Matrix<double> row(std::vector<double> values) {
  return Eigen::Map<Matrix<double>>(values.data(), 1, static_cast<Index>(values.size()));
}

}  // namespace

TEST_CASE("A band for each pair gives mpmath's links of eq. (35), over √d") {
  const auto file = golden("rotation.json");
  const Matrix<double> q = row(file.at("q")), k = row(file.at("k"));
  for (const auto& c : file.at("cases")) {
    INFO(c.dump());
    const Rope<double> rope = rope_of(c);
    const auto parts = rope_decomposition<double>(rope, rope.turning_pairs(), q, k,
                                                  Positions{c.at("m").get<Position>()},
                                                  Positions{c.at("n").get<Position>()}, 4);
    REQUIRE(parts.bands.size() == c.at("links").size());
    for (std::size_t t = 0; t < parts.bands.size(); ++t) {
      CHECK(parts.bands[t].first == t);
      CHECK(parts.bands[t].last == t);
      CHECK(parts.bands[t].logits(0, 0) * std::sqrt(8.0) ==
            Approx(c.at("links").at(t).at(0).get<double>()).margin(1e-14));
    }
    const double rest = parts.rest.size() > 0 ? parts.rest(0, 0) * std::sqrt(8.0) : 0.0;
    CHECK(rest == Approx(c.at("rest").get<double>()).margin(1e-15));
  }
}

TEST_CASE("Bands cover every pair once and add up to the product of the turned q and k") {
  Random random(1, "rope_bands test");
  const Positions p = consecutive_positions(7);
  for (const int bands : {1, 2, 3, 5, 100}) {
    const Rope<double> rope({.d_head = 24, .rotary_dims = 20});
    const Matrix<double> q = normal_matrix<double>(random, 7, 24);
    const Matrix<double> k = normal_matrix<double>(random, 7, 24);
    const auto parts = rope_decomposition<double>(rope, rope.turning_pairs(), q, k, p, p, bands);
    CHECK(parts.bands.size() == static_cast<std::size_t>(std::min<int>(bands, 10)));
    std::size_t next = 0;
    Matrix<double> sum = parts.rest;
    for (const auto& band : parts.bands) {
      CHECK(band.first == next);
      next = band.last + 1;
      sum += band.logits;
    }
    CHECK(next == 10);
    Matrix<double> turned_q = q, turned_k = k;
    rope.transform_queries(p, turned_q);
    rope.transform_keys(p, turned_k);
    CHECK(test::largest_difference<double>(sum, scaled_product<double>(turned_q, turned_k, 1)) <
          1e-14);
  }
  const Rope<double> rope({.d_head = 2});
  CHECK_THROWS_AS(
      rope_decomposition<double>(rope, rope.turning_pairs(), Matrix<double>::Ones(1, 2),
                                 Matrix<double>::Ones(1, 2), Positions{0}, Positions{0}, 0),
      UsageError);
}

TEST_CASE("RoPE says which channels a pair turns, and leaves out the values of muted bands") {
  RopeOptions options;
  options.muted[2] = options.muted[7] = true;
  const Rope<double> rope({.d_head = 24, .rotary_dims = 20, .pairing = RopePairing::half_split},
                          options);
  std::vector<Index> pairs, kept;
  for (std::size_t t = 0; t < 10; ++t) {
    INFO("pair " << t);
    const bool silent = 8 * t / 10 == 2 || 8 * t / 10 == 7;
    const auto pair = static_cast<Index>(t);
    pairs.push_back(pair);
    if (!silent) kept.push_back(pair);
    CHECK(rope.is_muted(t) == silent);
    CHECK(rope.channels(t).a == pair);
    CHECK(rope.channels(t).b == pair + 10);
  }
  CHECK(rope.unmuted(pairs) == kept);
  const Rope<double> neighbours({.d_head = 24, .rotary_dims = 20});
  CHECK(neighbours.channels(3).a == 6);
  CHECK(neighbours.channels(3).b == 7);
}
