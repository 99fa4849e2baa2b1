#include "core/precision.h"

#include <catch2/catch.hpp>

#include <rapidcheck.h>
#include <cmath>

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

TEST_CASE("Rounding to fp32 is the processor's conversion, for any bits") {
  CHECK(rc::check("round_to fp32", [](std::uint64_t bits) {
    double value;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    if (std::isnan(value)) return std::isnan(round_to(Precision::fp32, value));
    return round_to(Precision::fp32, value) == static_cast<double>(static_cast<float>(value));
  }));
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
