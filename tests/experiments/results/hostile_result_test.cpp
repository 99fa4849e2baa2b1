// A saved result whose checksums are right may still come from somebody else: whatever its files
// state, it is read or refused by the name of the file.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/errors.h"
#include "experiments/figure/export.h"
#include "experiments/files/file.h"
#include "experiments/results/csv.h"
#include "experiments/results/figure_options.h"
#include "experiments/results/figure_table.h"
#include "experiments/results/result_folder.h"
#include "experiments/results/saved_result.h"
#include "tests/experiments/results/example_result.h"
#include "tests/support/json_changes.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t many_bytes = 1 << 20;

/// One figure of each kind, with every optional part.
Result small_result() {
  Result result = example_result();
  LinePlot& lines = std::get<LinePlot>(result.figures[0].content);
  lines.x.range = Range{0, 1};
  lines.series[0].band_low = {0, 0};
  lines.series[0].band_high = {1, 2};
  lines.rules = {{Rule::Direction::vertical, 0.5, "half"}};
  Heatmap& map = std::get<Heatmap>(result.figures[1].content);
  map.masked = std::make_shared<const Array>(Array{.name = "hidden",
                                                   .shape = {2, 2},
                                                   .axes = {"q", "k"},
                                                   .values = std::vector<float>{0, 1, 0, 0}});
  map.meaning = Meaning::cyclic;
  map.range = Range{-3, 3};
  map.row_labels = {"the", "cat"};
  map.column_labels = map.row_labels;
  result.figures.push_back({"cells", "Cells", "", TableFigure{{"a", "b"}, {{"1", "2"}, {"3"}}}});
  VectorPlot vectors{.arrows = {{0, 0, 1, 1, 2}}, .quantity = "t"};
  vectors.sum = Arrow{0, 0, 1, 1, 0};
  result.figures.push_back({"arrows", "Arrows", "", vectors});
  return result;
}

/// A saved result whose files are changed with the manifest's checksums set right again.
class SavedCopy {
 public:
  SavedCopy()
      : folder_(write_result(small_result(), {}, write_options(temp_.path() / "a/b/saved", {}))
                    .folder) {}

  const fs::path& folder() const { return folder_; }
  std::string bytes(const std::string& file) const { return read_file(folder_ / file, many_bytes); }

  void change(const std::string& file, const std::string& bytes) const {
    write(file, bytes);
    if (file == "manifest.json") return;
    Json manifest = Json::parse(this->bytes("manifest.json"));
    for (Json& listed : manifest["files"])
      if (listed["path"] == file) {
        listed["bytes"] = bytes.size();
        listed["sha256"] = sha256_hex(bytes);
      }
    write("manifest.json", manifest.dump());
  }

  /// Everything but the saved folder itself.
  std::set<std::string> surroundings() const {
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(temp_.path()))
      if (entry.path().lexically_relative(folder_).begin()->string() == "..")
        found.insert(entry.path().string());
    return found;
  }

 private:
  void write(const std::string& file, const std::string& bytes) const {
    std::ofstream(folder_ / file, std::ios::binary) << bytes;
  }

  TempFolder temp_{};
  fs::path folder_;
};

/// Reads and uses all of a saved result, as redraw, report, compare and the desktop do.
void use(const fs::path& folder) {
  const Result result = load_result(folder);
  for (const Table& table : result.tables) csv_text(table);
  for (const Figure& figure : result.figures) {
    csv_text(table_of(figure));
    export_figure(figure, FigureFormat::svg, Theme::light);
  }
}

/// The refusal of the folder, or "accepted". An error of another type than these is one of ours.
std::string refusal(const fs::path& folder) {
  try {
    use(folder);
  } catch (const DataError& error) {
    return error.what();
  } catch (const IoError& error) {
    return error.what();
  }
  return "accepted";
}

/// Changes a file's JSON and returns how it is refused.
std::string refusal_after(const std::string& file, const std::function<void(Json&)>& change) {
  const SavedCopy saved;
  Json json = Json::parse(saved.bytes(file));
  change(json);
  saved.change(file, json.dump());
  return refusal(saved.folder());
}

}  // namespace

TEST_CASE("Whatever one value of a saved result is changed to, it is read or refused by name") {
  const SavedCopy saved;
  REQUIRE(refusal(saved.folder()) == "accepted");
  const std::set<std::string> before = saved.surroundings();
  for (const std::string file : {"result.json", "figures/decay.json", "figures/map.json",
                                 "figures/cells.json", "figures/arrows.json", "manifest.json"}) {
    const std::string original = saved.bytes(file);
    int changes = 0, refused = 0;
    test::for_each_change(Json::parse(original), [&](const Json& json, const std::string& what) {
      saved.change(file, json.dump());
      INFO(file << " " << what);
      std::string said;
      REQUIRE_NOTHROW(said = refusal(saved.folder()));
      ++changes;
      refused += said != "accepted";
      if (said != "accepted") REQUIRE_THAT(said, Contains(saved.folder().string()));
      if (file == "manifest.json") saved.change(file, original);
    });
    CHECK(changes > (test::all_is_tried() ? 200 : 20));
    CHECK(refused > (test::all_is_tried() ? 150 : 12));
    saved.change(file, original);
    REQUIRE(refusal(saved.folder()) == "accepted");
  }
  CHECK(saved.surroundings() == before);
}

TEST_CASE("A figure that contradicts itself is refused, and is never called our defect") {
  const auto content = [](const char* key, const Json& value) {
    return [=](Json& json) { json["content"][key] = value; };
  };
  const std::string lines = "figures/decay.json", map = "figures/map.json";
  CHECK_THAT(refusal_after(lines, [](Json& json) { json["content"]["series"][0]["x"] = {1.0}; }),
             Contains("decay.json: is damaged: a series has 1 x and 2 y"));
  CHECK_THAT(
      refusal_after(lines, [](Json& json) { json["content"]["series"][0]["band_low"] = {1.0}; }),
      Contains("a series has 2 points, and a band of 1 and 2"));
  CHECK_THAT(refusal_after(lines, [](Json& json) { json["content"]["series"][0]["color"] = -1; }),
             Contains("'color' is -1, which is not from 0"));
  CHECK_THAT(refusal_after(lines,
                           [](Json& json) {
                             json["content"]["x"]["range"] = {1, 0};
                           }),
             Contains("the range of the x axis is not in order"));
  CHECK_THAT(refusal_after(lines,
                           [](Json& json) {
                             json["content"]["x"]["whole"] = {2, 2};
                           }),
             Contains("the whole of the x axis is not in order"));
  CHECK_THAT(refusal_after(lines, [](Json& json) { json["content"]["y"]["symlog_threshold"] = 0; }),
             Contains("the symlog threshold of the y axis is not a positive number"));
  CHECK_THAT(refusal_after(map, content("row_labels", {"a", "b", "c"})),
             Contains("a heatmap has 2 rows and 3 labels for them"));
  CHECK_THAT(refusal_after(map, content("column_labels", {"a"})),
             Contains("a heatmap has 2 columns and 1 labels for them"));
  CHECK_THAT(refusal_after(map, content("values", nullptr)),
             Contains("a heatmap does not have a matrix of values"));
  CHECK_THAT(refusal_after("figures/cells.json",
                           [](Json& json) {
                             json["content"]["rows"][0] = {"1", "2", "3"};
                           }),
             Contains("a row has 3 cells and the header 2"));
  CHECK_THAT(refusal_after("result.json",
                           [](Json& json) { json["tables"][0]["columns"][1]["values"] = {1}; }),
             Contains("the table by_encoding: its columns have 2 and 1 values"));
}

TEST_CASE("An id is a name and no path, and stands for one thing") {
  for (const char* path : {"../../../x", "/x", "a/b", "..", ".hidden", "", "a\\b", "é"}) {
    INFO(path);
    CHECK_THAT(refusal_after("result.json", [&](Json& json) { json["figures"][0]["id"] = path; }),
               Contains("result.json: is damaged: 'id' is ") && Contains("which is not a name"));
    CHECK_THAT(refusal_after("figures/decay.json", [&](Json& json) { json["id"] = path; }),
               Contains("decay.json: is damaged: 'id' is ") && Contains("which is not a name"));
    CHECK_THAT(refusal_after("result.json", [&](Json& json) { json["arrays"][0]["name"] = path; }),
               Contains("which is not a name"));
    CHECK_THAT(refusal_after("result.json", [&](Json& json) { json["tables"][0]["name"] = path; }),
               Contains("which is not a name"));
  }
  CHECK_THAT(refusal_after("result.json",
                           [](Json& json) { json["figures"].push_back(json["figures"][0]); }),
             Contains("'figures' has 'decay' twice"));
  CHECK_THAT(refusal_after("figures/map.json", [](Json& json) { json["id"] = "decay"; }),
             Contains("map.json: is damaged: 'id' is 'decay'"));
}
