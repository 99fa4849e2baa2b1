#include "core/analysis/decay.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "core/encodings/frequencies.h"
#include "core/errors.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

TEST_CASE("mean |S_j| and B_m equal 60-digit sums up to a million tokens") {
  const auto file = golden("core.json");
  for (const auto& c : file.at("decay")) {
    const auto theta = inverse_frequencies(c.at("d").get<Index>(), c.at("base").get<double>());
    const auto distances = c.at("distances").get<Positions>();
    for (std::size_t i = 0; i < distances.size(); ++i) {
      const DecayCurve curve = decay_curve(theta, distances[i], 1);
      INFO("d " << c.at("d") << " distance " << distances[i]);
      // A frequency is half an ulp from its real value; the angle feels that times the distance.
      const double margin = 1e-13 + 2e-15 * static_cast<double>(distances[i]);
      CHECK(std::abs(curve.mean_abs_S[0] - c.at("mean_abs_S_and_B")[i][0].get<double>()) < margin);
      CHECK(std::abs(curve.B[0] - c.at("mean_abs_S_and_B")[i][1].get<double>()) < margin * 2);
    }
  }
}

TEST_CASE("Fig. 2 for d = 128 and base 10000 equals the reference") {
  const auto reference = golden("formulas.json").at("decay, d=128");
  const auto theta = inverse_frequencies(128, 10000);
  const DecayCurve curve = decay_curve(theta, 0, 1001);
  for (const auto& [distance, value] : reference.at("mean |S_j| by distance").items())
    CHECK(curve.mean_abs_S[std::stoul(distance)] == Approx(value.get<double>()).epsilon(1e-13));
  std::vector<int> rises;
  for (std::size_t r = 1; rises.size() < 15; ++r)
    if (curve.mean_abs_S[r] > curve.mean_abs_S[r - 1]) rises.push_back(static_cast<int>(r));
  CHECK(rises ==
        reference.at("first 15 distances at which mean |S_j| rises").get<std::vector<int>>());
  CHECK(first_rise(curve.mean_abs_S) == 19u);
}

TEST_CASE("B_m first falls below zero at 1707 tokens for base 10000 and d = 128") {
  const auto first = [](double base) {
    return first_negative(decay_curve(inverse_frequencies(128, base), 0, 10000).B);
  };
  CHECK(first(10000) == 1707u);
  CHECK(first(100000) == 7757u);
  CHECK_FALSE(first_negative(std::vector<double>{1, 0, 2}).has_value());
}

TEST_CASE("A curve is the same in one piece and in many, to the bit of its block") {
  const auto theta = inverse_frequencies(64, 10000);
  const DecayCurve whole = decay_curve(theta, 0, 300);
  const DecayCurve tail = decay_curve(theta, 128, 100);
  for (std::size_t i = 0; i < 100; ++i) CHECK(whole.B[128 + i] == tail.B[i]);
}

TEST_CASE("The phasor chain ends at the curve's sum") {
  const auto theta = inverse_frequencies(32, 10000);
  const auto chain = phasor_chain(theta, 21);
  double total = 0;
  for (const auto& s : chain) total += std::abs(s);
  const DecayCurve curve = decay_curve(theta, 21, 1);
  CHECK(total / 16 == Approx(curve.mean_abs_S[0]).epsilon(1e-14));
  CHECK(chain.back().real() == Approx(curve.B[0]).epsilon(1e-14));
}

TEST_CASE("Any distance can be made the peak: with k = R_37 q the score at r is B_{37 − r}") {
  const auto theta = inverse_frequencies(128, 10000);
  std::vector<std::complex<double>> h;  // q = (1, 0) in each pair, k = q turned by 37 tokens
  for (const double t : theta) h.push_back(std::polar(1.0, -37 * t));
  const DecayCurve curve = decay_curve(theta, 0, 1000);
  CHECK(complex_score(h, theta, 37) == Approx(64).epsilon(1e-14));
  for (Position r = 0; r < 1000; ++r) {
    const double score = complex_score(h, theta, r);
    CHECK(score == Approx(curve.B[static_cast<std::size_t>(std::abs(37 - r))]).margin(1e-12));
    if (r != 37) CHECK(score < 64);
  }
}

TEST_CASE("Pair products refuse what is not a pair") {
  const std::vector<double> three(3, 1.0);
  const std::vector<double> two(2, 1.0);
  CHECK_THROWS_AS(pair_products(three, three), UsageError);
  CHECK_THROWS_AS(pair_products(three, two), UsageError);
  CHECK_THROWS_AS(decay_curve({}, 0, 1), UsageError);
}

TEST_CASE("Pair products are q times the conjugate of k, and their steps end at 0, by hand") {
  const std::vector<double> q{1, 2, 3, 4}, k{5, 6, 7, 8};
  const auto h = pair_products(q, k);
  REQUIRE(h.size() == 2);
  CHECK(h[0] == std::complex<double>(17, 4));                      // (1 + 2i)(5 − 6i)
  CHECK(h[1] == std::complex<double>(53, 4));                      // (3 + 4i)(7 − 8i)
  CHECK(largest_step(h) == Approx(std::sqrt(53.0 * 53 + 4 * 4)));  // the last one, to 0
  const std::vector<std::complex<double>> opposite{10, -10};
  CHECK(largest_step(opposite) == 20);
}
