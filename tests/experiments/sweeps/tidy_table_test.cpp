#include "experiments/sweeps/tidy_table.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

using namespace orrery;

namespace {

PointRecord point(const std::string& dim, int repeat, const std::string& encoding,
                  std::vector<Scalar> scalars) {
  return {.id = dim + encoding + std::to_string(repeat),
          .status = PointStatus::done,
          .repeat = repeat,
          .params = {{"dim", dim},
                     {"encoding", encoding},
                     {"seed", std::to_string(repeat)},
                     {"tokens", "9"}},
          .scalars = std::move(scalars)};
}

}  // namespace

TEST_CASE("A number begins with its encoding, the longest name that fits, or with none") {
  CHECK(measure_name("rope_change").encoding == "rope");
  CHECK(measure_name("rope_change").measure == "change");
  CHECK(measure_name("transformer_xl_mean_entropy").measure == "mean_entropy");
  CHECK(measure_name("tokens").encoding.empty());
  CHECK(measure_name("roped").measure == "roped");
}

TEST_CASE("One row per point and encoding, one column per measure, constants apart") {
  const std::vector<PointRecord> points{
      point("4", 0, "rope+alibi",
            {{.name = "rope_change", .value = 1},
             {.name = "alibi_change", .value = 2},
             {.name = "rope_rises", .value = 5},
             {.name = "all", .value = 7}}),
      point("8", 0, "alibi", {{.name = "alibi_change", .value = 3}, {.name = "all", .value = 7}})};
  const TidyTable table = tidy_table(points, {"dim", "encoding"});
  CHECK(table.keys == std::vector<std::string>{"dim"});
  CHECK(table.measures == std::vector<std::string>{"change", "rises", "all"});
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[0].encoding == "rope");
  CHECK(table.rows[1].values[0] == 2);
  CHECK(std::isnan(table.rows[1].values[1]));  // RoPE's rises are not ALiBi's
  CHECK(table.rows[2].values[2] == 7);
  CHECK(table.constants == Settings{{"seed", "0"}, {"tokens", "9"}});
  CHECK(!is_constant(table, 0));
  CHECK(is_constant(table, 2));
}

TEST_CASE("Repeats are rows of one group, with its mean, deviation and interval") {
  std::vector<PointRecord> points;
  for (int repeat = 0; repeat < 3; ++repeat)
    points.push_back(point("4", repeat, "rope",
                           {{.name = "rope_s", .value = repeat == 2 ? 6.0 : 1.0 + repeat}}));
  const TidyTable table = tidy_table(points, {"dim"});
  const std::vector<RepeatGroup> groups = repeat_groups(table);
  REQUIRE(groups.size() == 1);
  CHECK(groups[0].moments[0].mean == Approx(3.0));
  const Table summary = summary_table(table);
  CHECK(summary.columns.size() == 8);
  CHECK(std::get<std::vector<double>>(summary.columns[6].values)[0] ==
        Approx(3.0 - 4.302652729696 * std::sqrt(7.0 / 3.0)));
}
