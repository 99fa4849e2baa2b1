#include "experiments/combine/combine.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/combine/sweep_overview.h"
#include "experiments/setup/encoding_summary.h"
#include "tests/support/sweep_fixture.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

/// s = dim + 2 · repeat for RoPE and ALiBi.
SavedSweep toy(int repeats) {
  SavedSweep sweep{.experiment = "toy", .repeats = repeats, .swept = {"dim", "encoding"}};
  int n = 0;
  for (const char* encoding : {"rope", "alibi"})
    for (const char* dim : {"64", "8", "512"})
      for (int repeat = 0; repeat < repeats; ++repeat)
        sweep.points.push_back({.id = std::to_string(n++),
                                .status = PointStatus::done,
                                .repeat = repeat,
                                .params = {{"dim", dim}, {"encoding", encoding}},
                                .scalars = {{.name = std::string(encoding) + "_s",
                                             .value = std::stod(dim) + 2.0 * repeat}}});
  return sweep;
}

const LinePlot& lines(const Panels& page, std::size_t panel = 0) {
  return std::get<LinePlot>(page.panels.at(panel).content);
}

/// Looks at everything.
struct Watcher final : Progress {
  std::vector<std::shared_ptr<Result>> seen{};

  void update(double, std::string_view) override {}
  bool stop_requested() const override { return false; }
  bool wants_to_see() const override { return true; }
  void see(std::shared_ptr<Result> so_far) override { seen.push_back(std::move(so_far)); }
};

std::vector<test::FixturePoint> numbered_points(int count) {
  std::vector<test::FixturePoint> made;
  for (int i = 0; i < count; ++i)
    made.push_back({.id = fmt::format("{:06x}", i * 7919 % 1000003),
                    .label = fmt::format("base={}", i),
                    .params = {{"base", std::to_string(i)}},
                    .score = 0.5 * i,
                    .has_folder = i % 20 == 0});
  return made;
}

}  // namespace

TEST_CASE("A measure over a number has one curve per encoding, in its colour, and bands") {
  const auto pages = combined(toy(2), {.measure = "s", .band = SpreadBand::deviation});
  REQUIRE(pages.size() == 1);
  REQUIRE(pages[0].panels.size() == 1);
  const LinePlot& plot = lines(pages[0]);
  REQUIRE(plot.series.size() == 2);
  CHECK(plot.series[0].name == "RoPE");
  CHECK(plot.series[0].color == encoding_color("rope"));
  CHECK(plot.series[1].color == encoding_color("alibi"));
  CHECK(plot.series[0].x == std::vector<double>{8, 64, 512});
  CHECK(plot.series[0].y == std::vector<double>{9, 65, 513});
  CHECK(plot.series[0].band_high[0] == Approx(9 + std::sqrt(2.0)));
  CHECK(plot.series[0].marked);
  CHECK(plot.x.scale == AxisScale::log2);
  CHECK_THAT(pages[0].caption, Contains("mean of 2 repeats, shaded: one standard deviation"));
}

TEST_CASE("A hue of numbers has colours in order, and a facet panels with the same axes") {
  SavedSweep sweep = toy(1);
  sweep.swept.emplace_back("base");
  const std::size_t count = sweep.points.size();
  for (std::size_t i = 0; i < count; ++i) {
    PointRecord other = sweep.points[i];
    other.id += "b";
    sweep.points[i].params.emplace_back("base", "10");
    other.params.emplace_back("base", "100");
    other.scalars[0].value *= 3;
    sweep.points.push_back(std::move(other));
  }
  const auto pages =
      combined(sweep, {.measure = "s", .x = "dim", .hue = "base", .facet = "encoding"});
  REQUIRE(pages.size() == 1);
  REQUIRE(pages[0].panels.size() == 2);
  CHECK(pages[0].panels[1].title == "ALiBi");
  CHECK(lines(pages[0]).series[0].shade == 0.0);
  CHECK(lines(pages[0]).series[1].shade == 1.0);
  CHECK(lines(pages[0]).y.range == lines(pages[0], 1).y.range);
  const auto map = combined(sweep, {.measure = "s", .x = "dim", .y = "base"});
  const auto& cells = std::get<Heatmap>(map.at(0).panels.at(0).content);
  CHECK(cells.row_labels == std::vector<std::string>{"100", "10"});  // numbers go up
  CHECK((*cells.values)[0] == 24.0);
  CHECK((*cells.values)[5] == 512.0);
}

TEST_CASE("A key that goes with the hue, as zipped ones do, makes no panels") {
  SavedSweep sweep{.experiment = "toy", .swept = {"dim", "base", "tokens"}};
  for (const char* dim : {"8", "64"})
    for (const char* tokens : {"1", "2", "4"})
      sweep.points.push_back(
          {.id = std::string(dim) + tokens,
           .status = PointStatus::done,
           .params = {{"dim", dim}, {"base", std::string(dim) + "0"}, {"tokens", tokens}},
           .scalars = {{.name = "s", .value = 1.0}}});
  const auto pages = combined(sweep, {.measure = "s", .x = "tokens"});
  REQUIRE(pages.size() == 1);
  CHECK(pages[0].panels.size() == 1);
  CHECK(lines(pages[0]).series.size() == 2);
}

TEST_CASE(
    "More curves than can be told apart are their median and two bands, as the caption says") {
  // s = x · base for base = 1 … n at x = 1, 2: quantiles of an arithmetic series.
  const auto bases = [](int n) {
    SavedSweep sweep{.experiment = "toy", .swept = {"x", "base"}};
    for (int base = 1; base <= n; ++base)
      for (const int x : {1, 2})
        sweep.points.push_back(
            {.id = std::to_string(sweep.points.size()),
             .status = PointStatus::done,
             .params = {{"x", std::to_string(x)}, {"base", std::to_string(base)}},
             .scalars = {{.name = "s", .value = static_cast<double>(x * base)}}});
    return sweep;
  };
  const auto few = combined(bases(40), {.measure = "s", .x = "x"});
  CHECK(lines(few[0]).series.size() == 40);
  CHECK(few[0].caption.find("median") == std::string::npos);
  const auto many = combined(bases(41), {.measure = "s", .x = "x"});
  const std::vector<Series>& bands = lines(many[0]).series;
  REQUIRE(bands.size() == 2);
  CHECK(bands[0].name == "median");
  CHECK(bands[0].y == std::vector<double>{21, 42});
  CHECK(bands[0].band_low == std::vector<double>{11, 22});
  CHECK(bands[0].band_high == std::vector<double>{31, 62});
  CHECK(bands[1].part_of == "median");
  CHECK(bands[1].band_low == std::vector<double>{3, 6});
  CHECK(bands[1].band_high == std::vector<double>{39, 78});
  CHECK_THAT(many[0].caption,
             Contains("median, shaded: 25 % to 75 %, and 5 % to 95 %, of all points over base"));
}

TEST_CASE("A curve of more points than can be told apart is drawn in steps along its axis") {
  SavedSweep sweep{.experiment = "toy", .swept = {"x"}};
  for (int x = 0; x <= 2000; ++x)
    sweep.points.push_back({.id = std::to_string(x),
                            .status = PointStatus::done,
                            .params = {{"x", std::to_string(x)}},
                            .scalars = {{.name = "s", .value = 2.0 * x}}});
  const auto pages = combined(sweep, {.measure = "s"});
  const LinePlot& plot = lines(pages[0]);
  REQUIRE(plot.series.size() == 2);
  REQUIRE(plot.series[0].x.size() == 100);
  CHECK(plot.series[0].x[0] == Approx(9.5));  // of 0 … 19
  CHECK(plot.series[0].y[0] == Approx(19));
  CHECK_THAT(pages[0].caption, Contains("in 100 steps of x"));
  sweep.points.pop_back();
  CHECK(lines(combined(sweep, {.measure = "s"})[0]).series[0].x.size() == 2000);
}

TEST_CASE("Many points of three settings have bands in place of too many pages") {
  SavedSweep sweep{.experiment = "toy", .swept = {"x", "base", "dim"}};
  const auto add = [&](int x, int base, int dim) {
    sweep.points.push_back({.id = std::to_string(sweep.points.size()),
                            .status = PointStatus::done,
                            .params = {{"x", std::to_string(x)},
                                       {"base", std::to_string(base)},
                                       {"dim", std::to_string(dim)}},
                            .scalars = {{.name = "s", .value = 1.0 * x}}});
  };
  for (int x = 0; x < 3; ++x)
    for (int base = 0; base < 18; ++base)
      for (int dim = 0; dim < 17; ++dim) add(x, base, dim);
  const PlotRequest request{.measure = "s", .x = "x"};
  CHECK_THROWS_WITH(combined(sweep, request), Contains("17 pages"));
  for (int x = 3; x < 7; ++x)
    for (int base = 0; base < 18; ++base)
      for (int dim = 0; dim < 17; ++dim) add(x, base, dim);
  const auto pages = combined(sweep, request);
  REQUIRE(pages.size() == 1);
  CHECK(lines(pages[0]).series[0].y == std::vector<double>{0, 1, 2, 3, 4, 5, 6});
  CHECK_THAT(pages[0].caption, Contains("over base and dim"));
}

TEST_CASE("What the sweep does not have or does not vary is refused by name") {
  const SavedSweep sweep = toy(1);
  const auto refusal = [&](const PlotRequest& request) -> std::string {
    try {
      combined(sweep, request);
    } catch (const UsageError& error) {
      return error.what();
    }
    return {};
  };
  CHECK_THAT(refusal({.measure = "t"}), Contains("is not among the measures"));
  CHECK_THAT(refusal({.measure = "s", .hue = "base"}), Contains("choose one of"));
  CHECK_THAT(refusal({.measure = "s", .x = "encoding"}), Contains("not numbers"));
  CHECK_THAT(refusal({}), Contains("either a figure or a measure"));
  CHECK_THAT(refusal({.measure = "s", .x = "dim", .y = "dim"}), Contains("is the axis x as well"));
  CHECK_THAT(refusal({.measure = "s", .y = "dim"}), Contains("no number is left for x"));
  CHECK_THAT(refusal({.measure = "rope_s"}), Contains("did you mean measure=s encoding=rope?"));
  CHECK_THAT(refusal({.measure = "s", .x = "dim", .y = "encoding", .hue = "dim"}),
             Contains("is for curves, and with y the plot is a map"));
  CHECK_THAT(refusal({.figure = "f", .x = "dim"}), Contains("a figure has its own axes"));
}

TEST_CASE("An overview obeys every word, and each page knows which it shows") {
  SavedSweep sweep = toy(1);
  const Drawing all = drawn(sweep, {}, 100);
  REQUIRE(all.pages.size() == 1);  // s over dim
  const Drawing one = drawn(sweep, {.where = {{"encoding", "alibi"}}}, 100);
  REQUIRE(one.pages.size() == 1);
  CHECK(lines(one.pages[0].panels).series.size() == 1);
  CHECK(one.pages[0].request.where.size() == 1);
  const auto refusal = [&](const PlotRequest& request) -> std::string {
    try {
      drawn(sweep, request, 100);
    } catch (const UsageError& error) {
      return error.what();
    }
    return {};
  };
  CHECK_THAT(refusal({.where = {{"dim", "7"}}}),
             Contains("dim=7: is the setting of no finished point; choose one of 8, 64, 512"));
  CHECK(refusal({.where = {{"dim", "6.4e1"}, {"encoding", "rope"}}}).find("no finished") ==
        std::string::npos);
  CHECK_THAT(refusal({.hue = "encodng"}), Contains("did you mean encoding?"));
  CHECK_THAT(refusal({.hue = "dim"}), Contains("hue=dim: fits none of the plots"));
  CHECK_THAT(refusal({.y = "dim"}), Contains("no number is left for x"));
}

TEST_CASE("A caption says how many points have no result") {
  SavedSweep sweep = toy(1);
  sweep.points[0].status = PointStatus::failed;
  CHECK_THAT(combined(sweep, {.measure = "s"})[0].caption, Contains("1 of 6 points has no result"));
}

TEST_CASE("Of many points a sample is drawn first, and says so; then all of them") {
  const TempFolder folder;
  test::write_sweep(folder.path(), {"base"}, numbered_points(2001));
  Watcher watcher;
  const Result result = sweep_overview(folder.path(), {}, watcher);
  REQUIRE(watcher.seen.size() == 1);
  const Result& first = *watcher.seen.front();
  CHECK(first.status == Status::stopped);
  REQUIRE(first.figures.size() == result.figures.size());
  for (std::size_t i = 0; i < first.figures.size(); ++i) {
    CHECK(first.figures[i].id == result.figures[i].id);
    CHECK_THAT(first.figures[i].caption, Contains("a sample of 400 of 2001 points"));
    CHECK_THAT(result.figures[i].caption, !Contains("sample"));
  }
}

TEST_CASE("Of few points all are drawn at once") {
  const TempFolder folder;
  test::write_sweep(folder.path(), {"base"}, numbered_points(3));
  Watcher watcher;
  CHECK_FALSE(sweep_overview(folder.path(), {}, watcher).figures.empty());
  CHECK(watcher.seen.empty());
}
