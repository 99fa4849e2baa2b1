#include "core/analysis/decay.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace orrery;

TEST_CASE("A curve meets a level between its samples, on the straight line") {
  CHECK(first_at_or_below(std::vector<double>{1, 0.8, 0.4, 0.9}, 0.5) == Approx(1.75));
  CHECK(first_at_or_below(std::vector<double>{1, 0.5}, 0.5) == 1.0);
  CHECK(first_at_or_below(std::vector<double>{0.2, 0.9}, 0.5) == 0.0);
  CHECK_FALSE(first_at_or_below(std::vector<double>{1, 0.9}, 0.5));
  CHECK_FALSE(
      first_at_or_below(std::vector<double>{1, std::numeric_limits<double>::quiet_NaN(), 0}, 0.5));
}

TEST_CASE("The search finds the first of several solutions, to the last bits") {
  // cos falls below 1/2 at π/3 and again at 7π/3.
  const auto wave = [](double u) { return std::cos(10 * u); };
  const HalfSearch found = search_half(wave, 64);
  CHECK(found.outcome == HalfOutcome::found);
  CHECK(found.u == Approx(std::acos(0.5) / 10).epsilon(1e-14));
  CHECK(std::abs(found.value - 0.5) < 1e-15);
}

TEST_CASE("A curve that never falls to one half says how near it came") {
  const HalfSearch never = search_half([](double u) { return 0.7 + (u - 0.5) * (u - 0.5); }, 64);
  CHECK(never.outcome == HalfOutcome::never_falls);
  CHECK(never.u == 0.5);
  CHECK(never.value == 0.7);
}

TEST_CASE("A curve that begins below one half, or without a value, is told apart") {
  CHECK(search_half([](double) { return 0.3; }, 8).outcome == HalfOutcome::falls_earlier);
  CHECK(search_half([](double) { return std::nan(""); }, 8).outcome == HalfOutcome::undefined);
  const auto gap = [](double u) { return u > 0.5 ? std::nan("") : 0.9; };
  CHECK(search_half(gap, 8).outcome == HalfOutcome::undefined);
  CHECK(search_half(gap, 8).value == 0.9);
}
