#include "experiments/results/saved_result.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/figure/export.h"
#include "experiments/files/file.h"
#include "experiments/results/figure_options.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/result_folder.h"
#include "experiments/studies/catalogue.h"
#include "tests/experiments/results/example_result.h"
#include "tests/support/experiment_run.h"
#include "tests/support/same_result.h"
#include "tests/support/sample_figures.h"
#include "tests/support/sampled.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string rendered(const Figure& figure, std::string_view format, Theme theme = Theme::light) {
  return export_figure(figure, figure_format_named(format), theme);
}

WriteOptions saving_to(const fs::path& folder, std::vector<std::string> formats = {}) {
  return write_options(folder, {.formats = std::move(formats)});
}

fs::path save(const Result& result, const TempFolder& temp) {
  return write_result(result, {}, saving_to(temp.path() / "saved")).folder;
}

/// One of everything that is hard to write down.
Result hard_result() {
  Result result = example_result();
  result.status = Status::stopped;
  result.provenance.seed = std::numeric_limits<std::int64_t>::min();
  result.scalars.push_back({"minus_zero", "", "", -0.0, "keeps its sign"});
  result.scalars.push_back({"least", "", "", 5e-324, "the least double, “quoted”"});
  result.tables.push_back({"words",
                           "",
                           {{"looks_like_numbers", "", std::vector<std::string>{"nan", "1"}},
                            {"numbers", "", std::vector<double>{nan, -0.0}}}});
  result.tables.push_back({"empty", "", {{"none", "", std::vector<double>{}}}});
  LinePlot lines{.x = {"x", "x_t", "tokens", AxisScale::log2, 1.0, Range{1.0, inf},
                       AxisRole::relative_distance, Range{-0.5, inf}},
                 .y = {"y", "", "", AxisScale::symlog, 1e-300, {}}};
  lines.series = {{"a", {0.1, -0.0}, {nan, -inf}, {0, 0}, {1, inf}, LineStyle::dotted, 7}, {}};
  lines.rules = {{Rule::Direction::vertical, 1.0 / 3, "a third", "distance"}, {}};
  auto own = std::make_shared<Array>();
  own->name = "own";
  own->shape = {1, 3};
  own->axes = {"r", "c"};
  own->values = std::vector<float>{-0.0f, std::bit_cast<float>(0x7fc01234u), -1e-45f};
  auto doubles = std::make_shared<Array>(*own);
  doubles->values = std::vector<double>{-0.0, std::bit_cast<double>(0xfff8000000000abcull), inf};
  Heatmap map{.values = own, .masked = doubles, .x = lines.x, .quantity = "q", .symbol = "s"};
  map.meaning = Meaning::cyclic;
  map.range = Range{-0.0, 3.0};
  map.column_labels = {"the", "位置", ""};
  map.row_labels = {"\"quoted\"\n"};
  map.classes = {"still", "turns"};
  map.lines = {{"line “quoted”", {0.1, inf}, {-0.0, nan}}, {}};
  map.rules = lines.rules;
  VectorPlot vectors{.x = lines.y, .arrows = {{0.1, -0.0, nan, inf, 1e300}}, .quantity = "t"};
  vectors.value_role = AxisRole::pair;
  VectorPlot summed = vectors;
  summed.sum = Arrow{1, 2, 3, 4, 5};
  summed.tips = {"$k$", "$q$ at 3"};
  result.figures.push_back({"lines", "T", "C", lines});
  result.figures.push_back({"cyclic", "", "", map});
  result.figures.push_back({"again", "", "", map});
  result.figures.push_back({"table", "", "", TableFigure{{"a", "b"}, {{"1"}, {}, {"2", "nan"}}}});
  result.figures.push_back({"vectors", "", "", vectors});
  result.figures.push_back({"summed", "", "", summed});
  result.figures.push_back({"with_role", "", "", map, {"term", {"rope", "alibi"}, "linear_bias"}});
  auto hollow = std::make_shared<Array>();
  hollow->name = "hollow";
  hollow->shape = {0, 4};
  result.arrays.push_back(hollow);
  return result;
}

}  // namespace

TEST_CASE("What was written is what is read, to the bit") {
  const TempFolder temp;
  for (const Result& result : {example_result(), hard_result(), Result{}}) {
    const Result loaded = load_result(save(result, temp));
    CHECK(test::same(loaded, result));
  }
}

TEST_CASE("Numbers that are in a file already are not written again, and shared again when read") {
  const TempFolder temp;
  const fs::path folder = save(hard_result(), temp);
  CHECK_FALSE(fs::exists(folder / "figures/map.values.npy"));  // arrays/weights.npy
  CHECK(fs::exists(folder / "figures/cyclic.values.npy"));
  CHECK(fs::exists(folder / "figures/cyclic.masked.npy"));
  CHECK_FALSE(fs::exists(folder / "figures/again.values.npy"));
  const Result loaded = load_result(folder);
  CHECK(std::get<Heatmap>(loaded.figures[1].content).values == loaded.arrays[0]);
  CHECK(std::get<Heatmap>(loaded.figures[3].content).values ==
        std::get<Heatmap>(loaded.figures[4].content).values);
}

TEST_CASE("Equal numbers under different descriptions share a file and keep their descriptions") {
  Result result;
  for (const char* name : {"a", "b"}) {
    auto array = std::make_shared<Array>();
    array->name = name;
    array->shape = {1, 1};
    array->values = std::vector<double>{2.0};
    result.figures.push_back({std::string("map_") + name, "", "", Heatmap{.values = array}});
  }
  const TempFolder temp;
  const fs::path folder = save(result, temp);
  CHECK_FALSE(fs::exists(folder / "figures/map_b.values.npy"));
  CHECK(test::same(load_result(folder), result));
}

TEST_CASE("Every kind of figure is redrawn to the byte in every format and theme") {
  Result result;
  for (Figure figure : test::sample_figures()) {
    figure.id += std::to_string(result.figures.size());
    result.figures.push_back(figure);
  }
  const TempFolder temp;
  const Result loaded = load_result(save(result, temp));
  for (std::size_t i = 0; i < result.figures.size(); ++i)
    for (const Theme theme : {Theme::light, Theme::dark, Theme::print})
      for (const char* format : {"svg", "png", "pdf"}) {
        INFO(result.figures[i].id << " " << format);
        CHECK(rendered(loaded.figures[i], format, theme) ==
              rendered(result.figures[i], format, theme));
      }
}

TEST_CASE("The figures of every experiment are redrawn from the folder as the run drew them") {
  std::size_t seen = 0;
  for (const Experiment* experiment : experiment_catalogue()) {
    if (!test::is_tried(seen++)) continue;
    INFO(experiment->info.name);
    SilentProgress progress;
    const ParamSet params = test::affordable_params(*experiment);
    const Result result = experiment->run(params, load_inputs(params).inputs, progress);
    const TempFolder temp;
    const fs::path folder = temp.path() / "run";
    write_result(result, {}, saving_to(folder, {"svg", "png", "pdf"}));
    const Result loaded = load_result(folder);
    CHECK(test::same(loaded, result));
    for (const Figure& figure : loaded.figures)
      for (const std::string format : {"svg", "png", "pdf"}) {
        INFO(figure.id << "." << format);
        const std::string run = read_file(folder / "figures" / (figure.id + "." + format), 1 << 28);
        CHECK(figure_file(figure, format, auto_theme, {}) == run);
      }
  }
}

TEST_CASE("A missing, cut or changed file is refused by its name, and reported") {
  const TempFolder temp;
  const fs::path folder = save(hard_result(), temp);
  REQUIRE(SavedFolder(folder).damages().empty());
  const auto name = GENERATE(as<std::string>(), "result.json", "figures/lines.json",
                             "figures/cyclic.values.npy", "arrays/weights.npy");
  const auto way = GENERATE(0, 1, 2, 3);
  const fs::path file = folder / name;
  std::string bytes = read_file(file, 1 << 20);
  if (way == 0) fs::remove(file);
  if (way == 1) bytes.pop_back();
  if (way == 2) bytes[bytes.size() / 2] ^= 1;
  if (way == 3) bytes += " ";
  if (way != 0) std::ofstream(file, std::ios::binary) << bytes;
  INFO(name << " in way " << way);
  CHECK_THROWS_AS(load_result(folder), DataError);
  CHECK_THROWS_WITH(load_result(folder), Contains(name) &&
                                             Contains(way == 0 ? "is missing" : "is damaged") &&
                                             Contains("run the experiment again"));
  REQUIRE(SavedFolder(folder).damages().size() == 1);
  CHECK_THAT(SavedFolder(folder).damages()[0], Contains(name));
}

TEST_CASE("A damaged picture does not keep the numbers from being read, but is reported") {
  const TempFolder temp;
  const fs::path folder = temp.path() / "saved";
  write_result(example_result(), {}, saving_to(folder, {"svg"}));
  std::ofstream(folder / "figures/decay.svg") << "<svg/>";
  CHECK(test::same(load_result(folder), example_result()));
  CHECK(SavedFolder(folder).damages().size() == 1);
}

TEST_CASE("What is no saved result is refused") {
  const TempFolder temp;
  CHECK_THROWS_AS(load_result(temp.path() / "nowhere"), IoError);
  CHECK_THROWS_WITH(load_result(temp.path()), Contains("contains no manifest.json"));
  const auto refused = [&](const char* manifest, const char* part) {
    temp.file("manifest.json", manifest);
    CHECK_THROWS_AS(load_result(temp.path()), DataError);
    CHECK_THROWS_WITH(load_result(temp.path()), Contains("manifest.json") && Contains(part));
  };
  refused("{", "parse error");
  refused("[]", "'schema' is not in an object");
  refused(R"({"schema": "other/1"})", "'schema' is not orrery.manifest/1");
  refused(R"({"schema": "orrery.manifest/1"})", "'files' is missing");
  refused(R"({"schema": "orrery.manifest/1", "files": 3})", "'files' is not a list");
  for (const char* path : {"../escape", "/etc/passwd", "a/../b", ""}) {
    const std::string manifest =
        std::string(R"({"schema": "orrery.manifest/1", "files": [{"path": ")") + path +
        R"(", "bytes": 1, "sha256": ""}]})";
    refused(manifest.c_str(), "is outside of the folder");
  }
}

TEST_CASE("A result of before figures were saved says that it must be run again") {
  const TempFolder temp;
  const fs::path folder = save(example_result(), temp);
  auto manifest = parse_saved_json(read_file(folder / "manifest.json", 1 << 20), "m");
  auto& files = manifest["files"];
  for (std::size_t i = files.size(); i-- > 0;)
    if (files[i]["path"] == "figures/decay.json") files.erase(i);
  std::ofstream(folder / "manifest.json") << manifest.dump();
  CHECK_THROWS_WITH(load_result(folder), Contains("figures/decay.json: is not in the manifest") &&
                                             Contains("run the experiment again"));
}

TEST_CASE("Fields of another type or an unknown word are refused") {
  const nlohmann::ordered_json json = {{"number", true}, {"text", 3}, {"list", {1.5}}};
  CHECK_THROWS_AS(number_field(json, "number"), MalformedJson);
  CHECK_THROWS_AS(text_field(json, "text"), MalformedJson);
  CHECK_THROWS_AS(integer_field(json, "number"), MalformedJson);
  CHECK_THROWS_AS(sizes_field(json, "list"), MalformedJson);
  CHECK_THROWS_WITH(field(json, "absent"), "'absent' is missing");
  CHECK(numbers_field(json, "list") == std::vector<double>{1.5});
}
