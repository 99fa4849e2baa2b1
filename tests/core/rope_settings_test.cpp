#include "core/encodings/rope_settings.h"

#include <catch2/catch.hpp>

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

RopeConvention read_from(const ParamSet& params) {
  return rope_convention_of({.d_model = 96, .d_head = 96, .params = params});
}

}  // namespace

TEST_CASE("The settings of a convention give it back") {
  for (const auto& words : std::vector<std::vector<std::pair<std::string, std::string>>>{
           {},
           {{"base", "31415"}, {"rope.pairing", "half_split"}, {"rope.fraction", "0.6875"}},
           {{"rope.fraction", "0.25"}, {"rope.partial", "proportional"}},
           {{"rope.scaling", "yarn"},
            {"rope.factor", "40"},
            {"rope.mscale", "1"},
            {"rope.mscale_all_dim", "0.7"},
            {"rope.truncate", "no"}},
           {{"rope.scaling", "llama3"},
            {"rope.low_freq_factor", "2"},
            {"rope.original_length", "8192"}},
           {{"rope.scaling", "longrope"}, {"rope.length", "99"}, {"rope.attention_factor", "1.5"}},
           {{"rope.fraction", "0.0625"},
            {"rope.scaling", "factors"},
            {"rope.factors", "1+2.5+8"}}}) {
    ParamSet params(rope_params(false)), again(rope_params(false));
    for (const auto& [key, value] : words) params.set(key, value);
    const RopeConvention convention = read_from(params);
    for (const auto& [key, value] : settings_of(convention)) again.set_value(key, value);
    CHECK(read_from(again) == convention);
    for (const auto& [key, value] : words) CHECK(again.value(key) == params.value(key));
    CHECK_NOTHROW(check_settings(convention));
  }
}

TEST_CASE("The share of channels that turn gives their number back, in every head") {
  // 98·(2/98) is below 2 in floating-point numbers.
  for (Index d = 2; d <= 512; d += 2)
    for (Index r = 2; r <= d; r += 2) {
      const RopeConvention convention{.d_head = d, .rotary_dims = r};
      ParamSet params(rope_params(false));
      for (const auto& [key, value] : settings_of(convention)) params.set_value(key, value);
      const RopeConvention again =
          rope_convention_of({.d_model = d, .d_head = d, .params = params});
      if (again.rotary_dims != r) FAIL(again.rotary_dims << " for " << r << " of " << d);
    }
  SUCCEED();
}

TEST_CASE("Values that no parameter takes are refused by its name") {
  CHECK_THROWS_WITH(check_settings({.d_head = 8, .rotary_dims = 8, .base = 1e13}),
                    Contains("base=1e+13") || Contains("base=10000000000000"));
  CHECK(find_rope_setting("rope.sections") == nullptr);
}
