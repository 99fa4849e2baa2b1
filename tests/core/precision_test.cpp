#include "core/precision.h"

#include <catch2/catch.hpp>

#include <rapidcheck.h>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/errors.h"
#include "core/random.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

TEST_CASE("Roundings equal NumPy's fp32 and fp16 and a bfloat16 by bits") {
  const auto file = golden("core.json");
  for (const auto& r : file.at("roundings")) {
    const double value = r.at("value").get<double>();
    INFO(value);
    CHECK(round_to(Precision::fp32, value) == r.at("fp32").get<double>());
    CHECK(round_to(Precision::fp16, value) == std::stod(r.at("fp16").get<std::string>()));
    CHECK(round_to(Precision::bf16, value) == std::stod(r.at("bf16").get<std::string>()));
    CHECK(round_to(Precision::fp64, value) == value);
  }
}

namespace {

/// The definition: the nearest multiple of the format's unit in the last place, ties to even.
double by_definition(Precision precision, double value) {
  if (value == 0 || std::isinf(value)) return value;
  const double unit = ulp(precision, value);
  // Dividing by a power of two is exact unless the quotient is subnormal, and that rounds to 0.
  const double rounded = std::nearbyint(value / unit) * unit;
  const double largest = precision == Precision::fp16 ? 65504.0
                         : precision == Precision::bf16
                             ? std::ldexp(255, 120)
                             : static_cast<double>(std::numeric_limits<float>::max());
  return std::abs(rounded) <= largest ? rounded : std::copysign(INFINITY, value);
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

TEST_CASE("Roundings by bits are those of the definition, for any bits and near every border") {
  const auto agrees = [](double value) {
    for (const Precision p : {Precision::fp32, Precision::bf16, Precision::fp16}) {
      if (std::isnan(value) ? !std::isnan(round_to(p, value))
                            : !same_bits(round_to(p, value), by_definition(p, value)))
        return false;
    }
    return true;
  };
  CHECK(rc::check("any bits",
                  [&](std::uint64_t bits) { return agrees(std::bit_cast<double>(bits)); }));
  // Exponents that the formats have, ties among them: few significant bits, then a neighbour.
  CHECK(rc::check("near ties", [&] {
    const int exponent = *rc::gen::inRange(-170, 135);
    const double value = std::ldexp(*rc::gen::inRange(-(1 << 13), 1 << 13), exponent);
    return agrees(value) && agrees(std::nextafter(value, INFINITY)) &&
           agrees(std::nextafter(value, -INFINITY));
  }));
}

TEST_CASE("Many numbers are rounded together as each is alone") {
  // All exponents and signs of a float, with significands around the borders of bf16 and fp16.
  std::vector<float> numbers;
  for (std::uint32_t top = 0; top < 512; ++top)
    for (const std::uint32_t significand :
         {0U, 1U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU, 0x18000U, 0x1000U, 0x3000U, 0x7fffffU})
      numbers.push_back(std::bit_cast<float>((top << 23) | significand));
  for (const Precision p : {Precision::fp64, Precision::fp32, Precision::bf16, Precision::fp16}) {
    std::vector<float> rounded = numbers;
    std::vector<double> wide(numbers.begin(), numbers.end());
    round_all<float>(p, rounded);
    round_all<double>(p, wide);
    std::size_t other = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double alone = round_to(p, static_cast<double>(numbers[i]));
      const auto is_alone = [&](double value) {
        return std::isnan(alone) ? std::isnan(value) : same_bits(value, alone);
      };
      other += is_alone(static_cast<double>(rounded[i])) && is_alone(wide[i]) ? 0U : 1U;
    }
    INFO(name(p));
    CHECK(other == 0);
  }
}

TEST_CASE("Through fp32 a number is rounded twice, and otherwise once") {
  // Just above a tie of bf16, which fp32 cannot tell from the tie.
  const double value = 1 + 0x1p-8 + 0x1p-40;
  CHECK(round_to(Precision::bf16, value) == 1 + 0x1p-7);
  CHECK(round_through_fp32(Precision::bf16, value) == 1);
  CHECK(round_through_fp32(Precision::fp32, value) == 1 + 0x1p-8);
  CHECK(round_through_fp32(Precision::fp64, value) == value);
}

TEST_CASE("Rounding is idempotent and monotone in every format") {
  Random random(7, "rounding");
  for (const Precision p : {Precision::fp32, Precision::bf16, Precision::fp16}) {
    for (int i = 0; i < 2000; ++i) {
      const double a = random.normal() * std::exp2(40 * random.uniform() - 20);
      const double b = a + std::abs(random.normal() * a * 1e-3);
      const double rounded = round_to(p, a);
      CHECK(round_to(p, rounded) == rounded);
      CHECK(rounded <= round_to(p, b));
      if (std::isfinite(rounded)) CHECK(std::abs(rounded - a) <= 0.5 * ulp(p, a));
    }
  }
}

TEST_CASE("Units in the last place") {
  CHECK(ulp(Precision::fp64, 1.0) == 0x1p-52);
  CHECK(ulp(Precision::fp32, 1.5) == 0x1p-23);
  CHECK(ulp(Precision::bf16, 256.0) == 2);
  CHECK(ulp(Precision::fp16, 0.0) == 0x1p-24);
  CHECK(std::isnan(ulp(Precision::fp32, std::nan(""))));
  CHECK(unit_roundoff(Precision::bf16) == 0x1p-8);
}

TEST_CASE("Precisions and stages are found by name, with a hint") {
  for (const Stage stage : {Stage::position, Stage::log, Stage::table, Stage::term, Stage::logits})
    CHECK(stage_named(name(stage)) == stage);
  const StageRounding distance(Precision::bf16, {Stage::distance, Stage::table});
  CHECK(distance.with(Stage::position, Stage::distance).rounds(Stage::position));
  CHECK_FALSE(distance.with(Stage::table, Stage::angle).rounds(Stage::table));
  CHECK(precision_named("bf16") == Precision::bf16);
  CHECK(stage_named("rotated_qk") == Stage::rotated_qk);
  CHECK(name(Stage::cos_sin) == "cos_sin");
  CHECK_THROWS_WITH(precision_named("bf61"), Catch::Matchers::Contains("did you mean bf16?"));
  CHECK_THROWS_AS(stage_named("nowhere"), UsageError);
}
