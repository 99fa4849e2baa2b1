#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include "experiments/studies/experiments.h"
#include "experiments/studies/score_spectrogram/log_columns.h"
#include "tests/support/experiment_run.h"
#include "tests/support/golden_file.h"

using namespace orrery;
using namespace orrery::test;

namespace {

Result run_score_spectrogram(const Settings& settings) {
  return run_experiment(score_spectrogram_experiment(), settings);
}

const Heatmap& parts(const Result& result, const std::string& encoding) {
  for (const Figure& figure : result.figures)
    if (figure.id == "parts_" + encoding) return std::get<Heatmap>(figure.content);
  FAIL("no figure of the parts of " << encoding);
  throw std::logic_error("unreachable");
}

}  // namespace

TEST_CASE("Cosines averaged over columns equal mpmath's sums over tokens, and so does their mean") {
  const auto golden_cases = golden("score_spectrogram.json").at("cases");
  for (const auto& expected : golden_cases) {
    const Result result =
        run_score_spectrogram({{"dim", std::to_string(expected.at("d").get<int>())},
                               {"base", std::to_string(expected.at("base").get<int>())},
                               {"max_distance", std::to_string(expected.at("last").get<int>())},
                               {"columns", std::to_string(expected.at("columns").get<int>())}});
    const Array& values = *parts(result, "rope").values;
    const std::size_t columns = values.shape.at(1);
    REQUIRE(values.shape.at(0) == expected.at("rows").size());
    for (std::size_t t = 0; t < values.shape[0]; ++t)
      for (std::size_t c = 0; c < columns; ++c)
        CHECK(values[t * columns + c] ==
              Approx(expected.at("rows")[t][c].get<double>()).margin(1e-12));
    for (std::size_t c = 0; c < columns; ++c) {
      CHECK(column(result, "from")[c] == Approx(expected.at("from")[c].get<double>()));
      CHECK(column(result, "mean_rope")[c] ==
            Approx(expected.at("mean")[c].get<double>()).margin(1e-12));
    }
    check_all_hold(result);
  }
}

TEST_CASE("A column is the mean of what it covers of each token, worked out by hand") {
  const LogColumns columns(3, 2);  // edges 1, √3.5, 3.5
  const double edge = std::sqrt(3.5);
  const std::vector<double> values{10, 20, 40};
  const Band means = columns.of(values);
  CHECK(means.mean[0] == Approx((0.5 * 10 + (edge - 1.5) * 20) / (edge - 1)));
  CHECK(means.mean[1] == Approx(((2.5 - edge) * 20 + 1.0 * 40) / (3.5 - edge)));
  CHECK(means.least == std::vector<double>{10, 20});
  CHECK(means.greatest == std::vector<double>{20, 40});
  CHECK(std::isnan(columns.of(std::vector<double>{10, 20}).mean[1]));
}

TEST_CASE("ALiBi's rows are its heads, and each multiplies a weight by e to the slope times r") {
  const Result result =
      run_score_spectrogram({{"encoding", "alibi"}, {"max_distance", "16"}, {"columns", "4096"}});
  const Array& values = *parts(result, "alibi").values;
  REQUIRE(values.shape == std::vector<std::size_t>{8, 4096});
  for (std::size_t head = 0; head < 8; ++head) {
    const double slope = std::exp2(-static_cast<double>(head + 1));
    CHECK(values[head * 4096] == Approx(std::exp(-slope)));
    CHECK(values[head * 4096 + 4095] == Approx(std::exp(-16 * slope)));
  }
}

TEST_CASE("Muted pairs have no row, channels that do not turn have cosine 1, and the sum holds") {
  const Result result = run_score_spectrogram({{"dim", "16"},
                                               {"max_distance", "64"},
                                               {"columns", "16"},
                                               {"rope.fraction", "0.5"},
                                               {"rope.muted", "band0"}});
  const Array& values = *parts(result, "rope").values;
  REQUIRE(values.shape.at(0) == 8);
  CHECK(std::isnan(values[0]));
  CHECK(values[7 * 16 + 15] == 1.0);
  check_all_hold(result);
}

TEST_CASE("The line of a quarter turn, the context line and the wavelengths are those of theta") {
  const Result result = run_score_spectrogram(
      {{"dim", "4"}, {"base", "10000"}, {"max_distance", "1024"}, {"context", "100"}});
  const Heatmap& map = parts(result, "rope");
  // theta is 1 and 1/100.
  REQUIRE(map.lines.size() == 1);
  CHECK(map.lines[0].x[0] == Approx(1.5707963267948966));
  CHECK(map.lines[0].x[1] == Approx(157.07963267948966));
  CHECK(map.lines[0].y == std::vector<double>{0, 1});
  REQUIRE(map.rules.size() == 1);
  CHECK(map.rules[0].at == 100);
  CHECK(map.rules[0].param == "context");
  const auto pairs = std::find_if(result.tables.begin(), result.tables.end(),
                                  [](const Table& table) { return table.name == "pairs_rope"; });
  REQUIRE(pairs != result.tables.end());
  const auto& wavelengths = std::get<std::vector<double>>(pairs->columns.at(1).values);
  CHECK(wavelengths.at(0) == Approx(6.283185307179586));
  CHECK(wavelengths.at(1) == Approx(628.3185307179587));
}

TEST_CASE("Hands and links of the chain bear the numbers of their pairs where others are muted") {
  const Result result =
      run_score_spectrogram({{"dim", "16"}, {"max_distance", "64"}, {"rope.muted", "band0+band3"}});
  for (const Figure& figure : result.figures) {
    const auto* plot = std::get_if<VectorPlot>(&figure.content);
    if (!plot) continue;
    std::vector<double> numbers;
    for (const Arrow& arrow : plot->arrows) numbers.push_back(arrow.value);
    CHECK(numbers == std::vector<double>{1, 2, 4, 5, 6, 7});
  }
}

TEST_CASE(
    "Every encoding has its parts, a curve that begins near 1, and no NaN where it is defined") {
  for (const char* name : {"none", "sinusoidal", "rope", "alibi", "learned", "shaw",
                           "transformer_xl", "t5", "tupe", "deberta", "kerple"}) {
    INFO(name);
    const Result result =
        run_score_spectrogram({{"encoding", name}, {"max_distance", "300"}, {"dim", "32"}});
    const Array& values = *parts(result, name).values;
    CHECK_FALSE(std::isnan(values[values.size() - 1]));
    CHECK_FALSE(std::isnan(column(result, std::string("mean_") + name).back()));
    check_all_hold(result);
  }
}
