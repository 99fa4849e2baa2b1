// Files and checks of many points.
#include "experiments/sweeps/sweep_results.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "experiments/files/file.h"
#include "experiments/results/csv.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/sweeps/tidy_table.h"
#include "tests/support/temp_folder.h"

using namespace orrery;

TEST_CASE("Results written a part at a time are the whole table and every line") {
  std::vector<PointRecord> points;
  for (int i = 0; i < 5000; ++i)
    points.push_back({.id = std::to_string(i),
                      .params = {{"dim", std::to_string(i % 7)}},
                      .scalars = {{.name = "s", .value = 0.1 * i}}});
  const TidyTable tidy = tidy_table(points, {"dim"});
  const TempFolder folder;
  const auto file = folder.path() / "results.csv";
  write_results_csv(file, tidy);
  CHECK(read_file(file, 1 << 30) == csv_text(results_table(tidy)));
  write_results_csv(file, tidy_table({}, {}));
  CHECK(read_file(file, 1 << 30) == csv_text(results_table(tidy_table({}, {}))));
  Plan plan;
  plan.experiment = &find_experiment("rotation");
  write_results(file, plan, points);
  CHECK(read_file(file, 1 << 30) == results_jsonl(plan, points));
  write_results(file, plan, {});
  CHECK(read_file(file, 1 << 30).empty());
}

TEST_CASE("Every point of few and of many is worked on once") {
  for (const std::size_t count : {std::size_t{0}, std::size_t{3}, std::size_t{1000}}) {
    std::vector<int> visits(count);
    for_points(count, [&](std::size_t i) { ++visits[i]; });
    CHECK(std::count(visits.begin(), visits.end(), 1) == static_cast<std::ptrdiff_t>(count));
  }
}
