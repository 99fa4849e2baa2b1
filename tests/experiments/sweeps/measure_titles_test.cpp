#include "experiments/sweeps/measure_titles.h"

#include <catch2/catch.hpp>
#include <limits>

#include "experiments/results/csv.h"

using namespace orrery;

namespace {

PointRecord point(std::vector<Scalar> scalars, std::vector<Check> checks = {}) {
  PointRecord record;
  record.scalars = std::move(scalars);
  record.checks = std::move(checks);
  return record;
}

}  // namespace

TEST_CASE("A measure's title is its description, without the encoding before it or remarks after") {
  const auto titles = measure_titles(
      {point({{"rope_change", "Δ", "", 1, "RoPE (untrained table): mean logit; not checked: 0.1"},
              {"alibi_change", "Δ", "", 2, "ALiBi: mean logit"},
              {"gap", "", "tokens", 3, "base 10: distance between peaks"}},
             {{"rope_bound_holds", "RoPE: scores stay within the bound"}})});
  REQUIRE(titles.size() == 3);
  CHECK(titles[0].name == "change");
  CHECK(titles[0].title == "mean logit");
  CHECK(titles[0].symbol == "Δ");
  CHECK(title_of(titles, "gap").title == "base 10: distance between peaks");
  CHECK(title_of(titles, "gap").unit == "tokens");
  CHECK(titles[2].name == "check.bound_holds");
  CHECK(check_title(titles, "rope_bound_holds") == "RoPE: scores stay within the bound");
}

TEST_CASE("Points that describe a measure differently leave its name in words") {
  const auto titles = measure_titles({point({{"share_of_bound", "", "", 1, "share at 200"}}),
                                      point({{"share_of_bound", "", "%", 1, "share at 400"}})});
  CHECK(titles[0].title == "share of bound");
  CHECK(titles[0].unit.empty());
  CHECK(title_of(titles, "check.is_new").title == "is new");
  CHECK(check_title(titles, "alibi_is_new") == "ALiBi: is new");
}

TEST_CASE("A point without a number says why, which is no title where others have one") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const PointRecord with = point({{"first", "", "", 1, "first distance"}});
  const PointRecord without = point({{"first", "", "", none, "there is none to 200"}});
  CHECK(measure_titles({without, with, without})[0].title == "first distance");
  CHECK(measure_titles({without, without})[0].title == "there is none to 200");
}

TEST_CASE("Titles are read from measures.csv as they were written") {
  const auto titles =
      measure_titles({point({{"a", "s", "u", 1, "one, \"two\""}, {"b", "", "", 1, ""}})});
  const auto again = titles_in(read_csv(csv_text(measures_table(titles)), empty_measures_table(),
                                        std::nullopt, "measures.csv"));
  REQUIRE(again.size() == 2);
  CHECK(again[0].title == "one, \"two\"");
  CHECK(again[0].symbol == "s");
  CHECK(again[0].unit == "u");
  CHECK(again[1].title == "b");
}
