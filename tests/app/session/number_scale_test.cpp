#include "app/session/number_scale.h"

#include <catch2/catch.hpp>

#include "tests/app/fixture.h"

namespace orrery {
namespace {

using Values = std::vector<ParamValue>;

ParamSpec real_spec(double min, double max, bool logarithmic) {
  return {.key = "x",
          .kind = ParamKind::real,
          .default_value = min,
          .min = min,
          .max = max,
          .logarithmic = logarithmic};
}

TEST_CASE("Values lie in equal steps of the slider's scale, its ends unchanged") {
  CHECK(values_between(real_spec(1, 1e9, true), 1, 1e4, 5) == Values{1.0, 10.0, 100.0, 1e3, 1e4});
  CHECK(values_between(real_spec(1, 1e9, true), 1e4, 1, 3) == Values{1.0, 100.0, 1e4});
  CHECK(values_between(real_spec(0, 1, false), 0.12345, 1.0, 3) == Values{0.12345, 0.562, 1.0});
  CHECK(values_between(real_spec(0, 1, false), 0.5, 0.5, 6) == Values{0.5});
}

TEST_CASE("Values of papers and models stand for those near them") {
  ParamSpec base = real_spec(1.001, 1e12, true);
  base.key = "base";
  // In equal steps 31.6, 1000, 31623, 10^6 and 3.16e7.
  CHECK(values_between(base, 1, 1e9, 7) == Values{1.001, 31.6, 1000.0, 1e4, 1e6, 3.16e7, 1e9});
  CHECK(values_between(base, 2500, 40000, 3) == Values{2500.0, 1e4, 4e4});
}

TEST_CASE("Whole numbers are distinct multiples that are allowed") {
  ParamSpec spec = test::n_param();
  using I = std::int64_t;
  CHECK(values_between(spec, 1, 4, 6) == Values{I{1}, I{2}, I{3}, I{4}});
  spec.multiple_of = 2;
  CHECK(values_between(spec, 2, 12, 6) == Values{I{2}, I{4}, I{6}, I{8}, I{10}, I{12}});
  CHECK(values_between(spec, 2, 6, 6) == Values{I{2}, I{4}, I{6}});
}

TEST_CASE("A range around a value is within what is allowed") {
  const auto base = ends_around(real_spec(1, 2e4, true), 1e4);
  CHECK(base.first == 2500);
  CHECK(base.second == 2e4);
  const auto n = ends_around(test::n_param(), 10);
  CHECK(n.first == 0);
  CHECK(n.second == 35);
}

}  // namespace
}  // namespace orrery
