#include "core/analysis/spectrum.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>

#include "core/encodings/frequencies.h"
#include "core/errors.h"
#include "tests/support/golden.h"

using namespace orrery;

TEST_CASE("Wavelengths equal mpmath's; a pair that does not turn has none that is finite") {
  const auto expected = test::golden("spectrum.json").at("wavelengths").at("d=8 base=10000");
  const std::vector<double> lambda = wavelengths(inverse_frequencies(8, 10000));
  for (std::size_t t = 0; t < 4; ++t)
    CHECK(lambda[t] == Approx(expected.at(t).get<double>()).epsilon(1e-15));
  CHECK(std::isinf(wavelengths(std::vector<double>{0.0})[0]));
}

TEST_CASE("A pair of wavelength L turns once in L tokens: it is not beyond them") {
  const double two_pi = 2 * std::numbers::pi;
  CHECK(pairs_beyond(std::vector<double>{1, 0.5, 0}, two_pi) == 2);
  CHECK(pairs_beyond(std::vector<double>{1, 0.5, 0}, two_pi * 1.99) == 2);
  CHECK(pairs_beyond(std::vector<double>{1, 0.5, 0}, two_pi * 2) == 1);
}

TEST_CASE("The base that reaches a context equals mpmath's; small heads and contexts have none") {
  const auto expected = test::golden("spectrum.json").at("base_reaching");
  CHECK(base_reaching(128, 8192).value() ==
        Approx(expected.at("d=128 L=8192").get<double>()).epsilon(1e-13));
  CHECK(base_reaching(4, 1000).value() ==
        Approx(expected.at("d=4 L=1000").get<double>()).epsilon(1e-13));
  CHECK_FALSE(base_reaching(2, 1000));
  CHECK_FALSE(base_reaching(64, 6.28));
}

TEST_CASE("Interpolation divides every frequency; its factor must be a positive number") {
  CHECK(interpolated(std::vector<double>{1, 0.25}, 4) == std::vector<double>{0.25, 0.0625});
  CHECK_THROWS_AS(interpolated(std::vector<double>{1}, 0), UsageError);
  CHECK_THROWS_AS(interpolated(std::vector<double>{1}, std::nan("")), UsageError);
}
