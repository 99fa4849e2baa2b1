// What `describe` prints of FIRE and of additive GRAPE is what they compute: the ε that the paper
// of the one does not print, and the lengths by which the other divides given tables. Expected
// numbers are those of Python's math module for the printed formulas.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/encodings/fire.h"
#include "core/encodings/grape_additive.h"
#include "tests/support/modern_golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

TEST_CASE("FIRE divides by ψ(max(m, L)) + 10^-6, and says so") {
  const Matrix<double> one = Matrix<double>::Ones(1, 1), zero = Matrix<double>::Zero(1, 1);
  const Fire<double> fire({.c = 0.1, .threshold = 512}, {one, zero, one, zero});  // f(x) = x
  const double found = logits_of<double>(fire, zero, zero, {700}, {650})(0, 0);
  CHECK(found == Approx(0.42033629091927177).epsilon(1e-15));  // ln 6/(ln 71 + 10^-6)
  CHECK(std::abs(found - 0.42033638952773006) > 9e-8);         // without it
  const EncodingInfo info = Fire<double>::info();
  CHECK_THAT(std::string(info.formulas.front().tex), Contains(R"(\psi(\max(m, L)) + \epsilon)"));
  const bool stated =
      std::any_of(info.symbols.begin(), info.symbols.end(), [](const SymbolMeaning& symbol) {
        return symbol.symbol == "ε" && symbol.words.starts_with("10⁻⁶");
      });
  CHECK(stated);
}

TEST_CASE("Additive GRAPE divides u and v by their lengths, and says so") {
  Matrix<double> u(1, 4), v(1, 4), q(1, 4), k(1, 4);
  u << 3, 0, 4, 0;
  v << 0, 6, 8, 0;
  q << 1, 1.5, -1.75, 2;  // v·q/(10·2) = −1/4
  k << 1, 2, 0.5, -1;     // u·k/(5·2) = 1/2
  const ForgetGates none{Matrix<double>::Zero(1, 4), Matrix<double>::Zero(1, 1)};
  const auto bias = [&](GrapeGate gate) {
    const GrapeAdditive<double> grape(1, gate, {u, v, none});
    const Matrix<double> content = q * k.transpose() / 2;
    return logits_of<double>(grape, q, k, {30}, {20})(0, 0) - content(0, 0);
  };
  // −10·2^-8·ln(1 + e^(1/2)), and the same of −1/4
  CHECK(bias(GrapeGate::key) == Approx(-0.038049882194535416).epsilon(1e-13));
  CHECK(bias(GrapeGate::query) == Approx(-0.02249763358901733).epsilon(1e-13));
  const EncodingInfo info = GrapeAdditive<double>::info();
  CHECK_THAT(std::string(info.formulas.front().tex), Contains(R"({|\mathbf{u}_h| \sqrt{d}})"));
  CHECK_THAT(std::string(info.formulas.back().tex), Contains(R"({|\mathbf{v}_h| \sqrt{d}})"));
}
