// Tables and curves that are in their CSV file alone.
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/results/figure_options.h"
#include "experiments/results/result_folder.h"
#include "experiments/results/result_json.h"
#include "experiments/results/saved_result.h"
#include "tests/support/same_result.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;
using Json = nlohmann::ordered_json;
using Numbers = std::vector<double>;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t many = most_rows_in_json + 1;
constexpr std::uintmax_t most_bytes = 1 << 24;

/// Numbers that differ in their last bits, with all that is not finite among them.
Numbers numbers(std::size_t count, double from) {
  Numbers values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = std::sin(from + static_cast<double>(i)) / 3;
  values[0] = -0.0;
  values[1] = std::numeric_limits<double>::quiet_NaN();
  values[2] = -std::numeric_limits<double>::infinity();
  values[3] = 5e-324;
  return values;
}

Series curve(const char* name, std::size_t points, double from) {
  return {.name = name, .x = numbers(points, 0.5), .y = numbers(points, from)};
}

Series with_band(Series series) {
  series.band_low = numbers(series.x.size(), 3);
  series.band_high = numbers(series.x.size(), 4);
  return series;
}

/// Long curves side by side, and long and short ones below each other.
Result long_result() {
  Result result;
  result.tables = {
      {"long", "Long", {{"n", "tokens", numbers(many, 1)}, {"word", "", Words(many, "a, \"b\"")}}},
      {"short", "Short", {{"n", "", numbers(most_rows_in_json, 2)}}}};
  LinePlot wide{.series = {with_band(curve("RoPE", many, 5)), curve("ALiBi", many, 6)}};
  wide.series[0].style = LineStyle::dotted;
  wide.series[1].shade = 0.25;
  wide.series[1].marked = true;
  wide.series[1].part_of = "RoPE";
  LinePlot below{.series = {curve("short", 9, 7), with_band(curve("long", many, 8)),
                            curve("again", many + 5, 9)}};
  LinePlot zeros{.series = {curve("a", many, 1), curve("b", many, 2)}};
  zeros.series[1].x[0] = 0.0;  // −0 in the other
  result.figures = {{"wide", "W", "C", wide}, {"below", "B", "", below}, {"zeros", "Z", "", zeros}};
  return result;
}

class Saved {
 public:
  Saved()
      : folder_(write_result(long_result(), {}, write_options(temp_.path() / "r", {})).folder) {}

  const fs::path& folder() const { return folder_; }
  std::string bytes(const std::string& file) const { return read_file(folder_ / file, most_bytes); }

  /// Changes a file's JSON, sets the manifest right again, and returns how the folder is refused.
  std::string refusal_after(const std::string& file,
                            const std::function<void(Json&)>& change) const {
    Json json = Json::parse(bytes(file)), manifest = Json::parse(bytes("manifest.json"));
    change(json);
    std::ofstream(folder_ / file) << json.dump();
    for (Json& listed : manifest["files"])
      if (listed["path"] == file) {
        listed["bytes"] = json.dump().size();
        listed["sha256"] = sha256_hex(json.dump());
      }
    std::ofstream(folder_ / "manifest.json") << manifest.dump();
    try {
      load_result(folder_);
    } catch (const DataError& error) {
      return error.what();
    }
    return "accepted";
  }

 private:
  TempFolder temp_{};
  fs::path folder_;
};

}  // namespace

TEST_CASE("Long tables and curves are read as they were written, to the bit") {
  const Saved saved;
  CHECK(test::same(load_result(saved.folder()), long_result()));
  CHECK(test::same(recover_result(SavedFolder(saved.folder())).result, long_result()));
}

TEST_CASE("The numbers of long tables and curves are in their CSV files alone") {
  const Saved saved;
  const Json result = Json::parse(saved.bytes("result.json"));
  CHECK(
      result["tables"][0].dump() ==
      R"({"name":"long","caption":"Long","file":"tables/long.csv","rows":4097,"columns":)"
      R"([{"name":"n","unit":"tokens","type":"number"},{"name":"word","unit":"","type":"text"}]})");
  CHECK(result["tables"][1]["columns"][0]["values"].size() == most_rows_in_json);
  const Json wide = Json::parse(saved.bytes("figures/wide.json"))["content"];
  CHECK(wide["table"]["file"] == "figures/wide.csv");
  CHECK(
      wide["series"][0].dump() ==
      R"({"name":"RoPE","style":"dotted","color":0,"columns":["x","RoPE","RoPE_low","RoPE_high"],)"
      R"("first_row":0,"rows":4097})");
  const Json below = Json::parse(saved.bytes("figures/below.json"))["content"];
  CHECK(below["series"][0]["y"].size() == 9);
  CHECK(below["series"][1]["first_row"] == 9);
  CHECK(saved.bytes("figures/wide.json").size() < 2000);
}

TEST_CASE("What is printed has all numbers, as no file is beside it") {
  CHECK(to_json(long_result())["tables"][0]["columns"][0]["values"].size() == many);
}

TEST_CASE("Text that is not UTF-8 is in the JSON however long its table is") {
  const TempFolder temp;
  Result result;
  result.tables = {{"t", "", {{"word", "", Words(many, "caf\xE9")}}}};
  result.figures = {{"f", "", "", LinePlot{.series = {curve("caf\xE9", many, 1)}}}};
  const fs::path folder = write_result(result, {}, write_options(temp.path() / "r", {})).folder;
  const Result loaded = load_result(folder);
  CHECK(std::get<Words>(loaded.tables[0].columns[0].values).back() == "caf\uFFFD");
  CHECK(std::get<LinePlot>(loaded.figures[0].content).series[0].name == "caf\uFFFD");
}

TEST_CASE("A missing or damaged CSV file is named, and its table or figure left out") {
  const auto name = GENERATE(as<std::string>(), "tables/long.csv", "figures/below.csv");
  const bool missing = GENERATE(true, false);
  const Saved saved;
  if (missing)
    fs::remove(saved.folder() / name);
  else
    std::ofstream(saved.folder() / name, std::ios::app) << "1";
  CHECK_THROWS_WITH(load_result(saved.folder()),
                    Contains(name) && Contains(missing ? "is missing" : "is damaged"));
  const RecoveredResult recovered = recover_result(SavedFolder(saved.folder()));
  REQUIRE(recovered.problems.size() == 1);
  CHECK_THAT(recovered.problems[0], Contains(name));
  CHECK(recovered.result.tables.size() + recovered.result.figures.size() == 4);
}

TEST_CASE("Curves are read alone, and other kinds of figures are not") {
  const Saved saved;
  const auto figure = load_curves(SavedFolder(saved.folder()), "below");
  REQUIRE(figure);
  CHECK(test::same(*figure, long_result().figures[1]));
  const TempFolder temp;
  Result result;
  result.figures = {{"cells", "", "", TableFigure{{"a"}, {{"1"}}}}};
  const fs::path folder = write_result(result, {}, write_options(temp.path() / "r", {})).folder;
  CHECK_FALSE(load_curves(SavedFolder(folder), "cells"));
}

TEST_CASE("JSON that names a CSV file wrongly is refused by name") {
  const auto refused = [](const char* file, const std::function<void(Json&)>& change) {
    return Saved().refusal_after(file, change);
  };
  const auto table = [&](const char* key, const Json& value) {
    return refused("result.json", [&](Json& json) { json["tables"][0][key] = value; });
  };
  for (const char* file : {"../r/tables/long.csv", "/etc/passwd", "tables/short.csv", ""})
    CHECK_THAT(table("file", file), Contains("result.json: is damaged: 'file' is ") &&
                                        Contains("not 'tables/long.csv'"));
  CHECK_THAT(table("rows", 4096), Contains("long.csv: is damaged: row 4097 is beyond"));
  CHECK_THAT(table("rows", 4098), Contains("long.csv: is damaged: row 4098 is missing"));
  CHECK_THAT(table("rows", -1), Contains("'rows' is -1, which is not from 0"));
  CHECK_THAT(table("columns", Json::array()), Contains("long.csv: is damaged"));
  const auto series = [&](const char* key, const Json& value) {
    return refused("figures/below.json",
                   [&](Json& json) { json["content"]["series"][1][key] = value; });
  };
  CHECK_THAT(series("first_row", 8300),
             Contains("'first_row' is 8300, which is not from 0 to 8208"));
  CHECK_THAT(series("rows", 8208), Contains("'rows' is 8208, which is not from 0 to 8199"));
  CHECK_THAT(series("columns", {"x"}), Contains("'columns' does not name x and y"));
  CHECK_THAT(series("columns", {"x", "series"}),
             Contains("'columns' has 'series', which is not a column of numbers"));
  CHECK_THAT(refused("figures/below.json", [](Json& json) { json["content"].erase("table"); }),
             Contains("below.json: is damaged: 'x' is missing"));
  CHECK_THAT(refused("figures/below.json",
                     [](Json& json) {
                       Json& list = json["content"]["series"];
                       for (int i = 0; i < 9; ++i) list.push_back(list[1]);
                     }),
             Contains("'series' names the same rows again"));
}
