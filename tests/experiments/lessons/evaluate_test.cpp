#include "experiments/lessons/evaluate.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/errors.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::shared_ptr<const Array> matrix(std::string name, std::size_t columns,
                                    std::vector<double> values) {
  Array array{.name = std::move(name), .shape = {values.size() / columns, columns}};
  array.values = std::move(values);
  return std::make_shared<const Array>(std::move(array));
}

/// A curve that falls, rises once and falls; a map with a masked cell; a check that fails.
Result sample() {
  Result result;
  result.scalars = {{.name = "first_rise_at", .value = 2}, {.name = "lost", .value = nan}};
  result.checks = {{.name = "fits", .measured = 1, .bound = 2},
                   {.name = "breaks", .measured = nan, .bound = 2}};
  LinePlot plot{.series = {{.name = "RoPE", .x = {0, 1, 2, 4}, .y = {4, 1, 3, 2}},
                           {.name = "ALiBi, slope 1", .x = {0, 1}, .y = {1, nan}},
                           {.name = "ALiBi, slope 2", .x = {0, 1}, .y = {1, 0}}}};
  result.figures.push_back({.id = "curve", .content = plot});
  Heatmap map{.values = matrix("weights", 2, {0.25, 0.75, 1, 9}),
              .masked = matrix("masked", 2, {0, 0, 0, 1})};
  result.figures.push_back({.id = "map", .content = map});
  result.arrays = {matrix("logits", 3, {1, 2, 3, 4, 5, 6})};
  result.tables = {{.name = "pairs", .columns = {{"theta", "", std::vector<double>{1, 0.1}}}}};
  return result;
}

ParamSet params() {
  return ParamSet({{.key = "base", .kind = ParamKind::real, .default_value = 100.0},
                   {.key = "encoding",
                    .kind = ParamKind::choice,
                    .default_value = std::string("rope"),
                    .choices = {{"rope", ""}, {"alibi", ""}}}});
}

double value(const std::string& text) {
  const Result result = sample();
  const ParamSet set = params();
  return value_of(parse_expression(text), {result, set});
}

bool holds(const std::string& text) {
  const Result result = sample();
  const ParamSet set = params();
  return judge(parse_assertion(text), {result, set}).holds;
}

}  // namespace

TEST_CASE("Expressions ask a result for numbers") {
  CHECK(value("first_rise_at") == 2);
  CHECK(value("base / 4 - 5") == 20);
  CHECK(value("-(1 + 2) * 3") == -9);
  CHECK(value("2 - 3 - 4") == -5);
  CHECK(value("value curve RoPE 1") == 1);
  CHECK(value("value curve RoPE 3") == 2.5);
  CHECK(value("value curve \"ALiBi, slope 2\" 0") == 1);
  CHECK(value("value curve \"ALiBi, slope 2*\" (3 - 2)") == 0);
  CHECK(value("largest curve RoPE") == 4);
  CHECK(value("argmax curve RoPE") == 0);
  CHECK(value("argmin curve RoPE") == 1);
  CHECK(value("smallest curve RoPE") == 1);
  CHECK(value("first_rise curve RoPE") == 2);
  CHECK(value("rises curve RoPE") == 1);
  CHECK(value("first_below curve RoPE 2") == 1);
  CHECK(std::isnan(value("first_below curve RoPE 0")));
  CHECK(std::isnan(value("first_rise curve \"ALiBi, slope 2\"")));
  CHECK(value("cell map 1 0") == 1);
  CHECK(value("cell logits 1 2") == 6);
  CHECK(value("row_sum map 0") == 1);
  CHECK(value("largest_cell map") == 1);
  CHECK(value("smallest_cell map") == 0.25);
  CHECK(value("measured fits + bound fits") == 3);
  CHECK(value("entry pairs theta 1") == 0.1);
  CHECK(value("abs -3") == 3);
}

TEST_CASE("Assertions compare in chains, with tolerances, and join") {
  CHECK(holds("1 < first_rise_at < 3"));
  CHECK_FALSE(holds("1 < first_rise_at < 2"));
  CHECK(holds("first_rise_at ≈ 2.1 ± 0.1001"));
  CHECK_FALSE(holds("first_rise_at = 2.1 +- 0.09"));
  CHECK(holds("base = 99 ± 2%"));
  CHECK_FALSE(holds("base = 90 ± 2%"));
  CHECK(holds("base ≥ 100 and base ≤ 100 and base != 99"));
  CHECK_FALSE(holds("base ≥ 100 and base < 100"));
  CHECK(holds("encoding is rope"));
  CHECK_FALSE(holds("encoding is alibi"));
  CHECK(holds("holds fits"));
  CHECK(holds("fails breaks"));
  CHECK_FALSE(holds("holds breaks"));
}

TEST_CASE("A NaN makes every comparison fail") {
  for (const char* sign : {"<", "<=", "=", "!=", ">=", ">"}) {
    INFO(sign);
    CHECK_FALSE(holds(std::string("lost ") + sign + " 1"));
    CHECK_FALSE(holds(std::string("1 ") + sign + " lost"));
  }
  CHECK_FALSE(holds("lost = 1 ± 1e300"));
  CHECK_FALSE(holds("value curve \"ALiBi, slope 1\" 1 != 0"));
  CHECK_FALSE(holds("measured breaks != 0"));
}

TEST_CASE("What a result does not have is named with what is near") {
  CHECK_THROWS_WITH(value("first_rise_ad"), Contains("did you mean first_rise_at?"));
  CHECK_THROWS_WITH(value("value curv RoPE 1"), Contains("did you mean curve?"));
  CHECK_THROWS_WITH(value("value curve RoPe 1"), Contains("did you mean RoPE?"));
  CHECK_THROWS_WITH(value("value curve RoPE 5"), Contains("it runs from 0 to 4"));
  CHECK_THROWS_WITH(value("value curve \"ALiBi*\" 0"), Contains("several"));
  CHECK_THROWS_WITH(value("value map RoPE 5"), Contains("without curves"));
  CHECK_THROWS_WITH(value("cell map 2 0"), Contains("counted from 0 to 1"));
  CHECK_THROWS_WITH(value("encoding"), Contains("encoding is rope"));
  CHECK_THROWS_AS(holds("holds fit"), UsageError);
}

TEST_CASE("What is no assertion is refused with a remedy") {
  for (const char* text : {"", "1", "1 <", "1 < 2 3", "1 < 2 and", "value curve", "(1 < 2", "\"x",
                           "1 ~ 2", "a is", "1 < 2 ± 3", "1 = 2 ± x", "1 = € 2", "holds"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_assertion(text), UsageError);
  }
  CHECK_THROWS_WITH(parse_expression(std::string(1000, '(')), Contains("nested too deeply"));
  CHECK_THROWS_AS(parse_expression(std::string(1000, '-') + "1"), UsageError);
  std::string sum = "1";
  for (int i = 0; i < 100000; ++i) sum += "+1";
  CHECK_THROWS_WITH(parse_expression(sum), Contains("too many operations"));
}
