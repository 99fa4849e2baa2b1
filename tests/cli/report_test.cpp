// redraw, report and compare, as people call them.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/shell.h"
#include "tests/support/tools.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// Lines of the page's or Markdown's command blocks that begin with `orrery WORD`.
std::vector<std::string> commands_in(const std::string& markdown, const std::string& word) {
  std::vector<std::string> found;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("orrery " + word, 0) == 0) found.push_back(line.substr(7));
  return found;
}

std::size_t parts_in(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

}  // namespace

TEST_CASE("redraw gives the bytes that run gave, in every format") {
  const Shell shell;
  REQUIRE(shell.run("run long_term_decay max_distance=40 --theme dark --out d").status == 0);
  REQUIRE(shell.run("redraw d --theme dark").status == 0);
  int files = 0;
  for (const auto& entry : fs::directory_iterator(shell.folder() / "d-redrawn")) {
    ++files;
    INFO(entry.path());
    CHECK(content(entry.path()) == content(shell.folder() / "d/figures" / entry.path().filename()));
  }
  CHECK(files >= 3);
  const Outcome again = shell.run("redraw d");
  CHECK(again.status == 4);
  CHECK_THAT(again.err, Contains("already exists and was drawn otherwise"));
}

TEST_CASE("redraw gives formulas to figures as run does, and only where asked to") {
  const Shell shell;
  const std::string run = "run equal_half_distance measure=weight --quiet --format svg,png ";
  REQUIRE(shell.run(run + "--formulas --out with").status == 0);
  REQUIRE(shell.run(run + "--out without").status == 0);
  REQUIRE(shell.run("redraw without --format svg,png --formulas --out drawn").status == 0);
  REQUIRE(shell.run("redraw with --format svg,png --out bare").status == 0);
  int files = 0;
  for (const auto& entry : fs::directory_iterator(shell.folder() / "drawn")) {
    ++files;
    const fs::path name = entry.path().filename();
    INFO(name);
    const std::string with = content(shell.folder() / "with/figures" / name);
    const std::string without = content(shell.folder() / "without/figures" / name);
    CHECK(content(entry.path()) == with);
    CHECK(content(shell.folder() / "bare" / name) == without);
    CHECK(with != without);
    if (name.extension() != ".svg") continue;
    // The formula of the weight, not of the logit: e^{L(h) − L(0)} = 1/2.
    CHECK_THAT(with, Contains(">L</text>") && Contains(">e</text>"));
    // Labels and captions have symbols too.
    CHECK(parts_in(with, ">L</text>") == parts_in(without, ">L</text>") + 2);
  }
  CHECK(files >= 4);
}

TEST_CASE("redraw takes themes, formats and scales, and refuses others") {
  const Shell shell;
  REQUIRE(shell.run("run long_term_decay max_distance=40 --format none --out d").status == 0);
  CHECK(shell.run("redraw d --format png --scale 1 --out small").status == 0);
  CHECK(shell.run("redraw d --format png --scale 3.5 --out large").status == 0);
  const auto name = fs::directory_iterator(shell.folder() / "small")->path().filename();
  CHECK(fs::file_size(shell.folder() / "small" / name) <
        fs::file_size(shell.folder() / "large" / name));
  CHECK(shell.run("redraw d --scale 1000 --out huge").status == 2);
  CHECK(shell.run("redraw d --scale -1 --out minus").status == 2);
  CHECK(shell.run("redraw d --format gif --out gif").status == 2);
  CHECK(shell.run("redraw nowhere").status == 4);
}

TEST_CASE("Figures are drawn for print, the same by run, redraw and a sweep's plot") {
  const Shell shell;
  const std::string page = "--width icml --text-size 7 --title --format svg,pdf,tex ";
  REQUIRE(shell.run("run equal_half_distance --out d " + page).status == 0);
  REQUIRE(shell.run("redraw d --out drawn " + page).status == 0);
  int files = 0;
  for (const auto& entry : fs::directory_iterator(shell.folder() / "drawn")) {
    ++files;
    INFO(entry.path());
    CHECK(content(entry.path()) == content(shell.folder() / "d/figures" / entry.path().filename()));
  }
  CHECK(files == 9);
  CHECK_THAT(content(shell.folder() / "drawn/equal_half_distance.svg"),
             Contains("width=\"234pt\"") || Contains("width=\"234\""));
  REQUIRE(shell.run("redraw d --panels --format svg,tex --width neurips --out p").status == 0);
  CHECK_THAT(content(shell.folder() / "p/panels.tex"), Contains("{panels}") && Contains("(a) "));
  REQUIRE(shell.run("sweep long_term_decay base=1e3,1e4 max_distance=40 --format none --out s")
              .status == 0);
  REQUIRE(shell.run("plot s figure=decay_bound --width acl --format svg,tex").status == 0);
  REQUIRE(shell.run("report d --width 5in").status == 0);
  CHECK_THAT(content(shell.folder() / "d-report.html"), Contains("width=\"360"));
}

TEST_CASE("A page that is none is refused before anything is drawn") {
  const Shell shell;
  for (const char* words : {"--width nature", "--width 1in --text-size 1", "--height 3in",
                            "--width 3.25", "--width -1in"}) {
    INFO(words);
    const Outcome refused = shell.run("run rotation --out d " + std::string(words));
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, Contains("--width") || Contains("--text-size"));
    CHECK_FALSE(fs::exists(shell.folder() / "d"));
  }
}

TEST_CASE("The commands in a report make the same numbers again, and compare says so") {
  const Shell shell;
  REQUIRE(shell.run("run relative_invariance encoding=rope+alibi seed=5 --out r").status == 0);
  const Outcome report = shell.run("report r");
  CHECK(report.status == 0);
  CHECK_THAT(report.err, Contains("r-report.html and r-report.md"));
  const std::string markdown = content(shell.folder() / "r-report.md");
  const auto runs = commands_in(markdown, "run");
  REQUIRE(runs.size() == 2);
  CHECK(shell.run(runs[0]).status == 0);
  const auto compares = commands_in(markdown, "compare");
  REQUIRE(compares.size() == 1);
  const Outcome compared = shell.run(compares[0]);
  CHECK(compared.status == 0);
  CHECK_THAT(compared.out, Contains("All numbers are the same."));
  CHECK(content(shell.folder() / "r/result.json") == content(shell.folder() / "again/result.json"));
  const auto redraws = commands_in(markdown, "redraw");
  REQUIRE(redraws.size() == 1);
  CHECK(shell.run(redraws[0]).status == 0);
}

TEST_CASE("compare tells what differs and ends with status 1") {
  const Shell shell;
  REQUIRE(shell.run("run long_term_decay max_distance=40 --format none --out a").status == 0);
  REQUIRE(shell.run("run long_term_decay max_distance=40 base=5e5 --format none --out b").status ==
          0);
  const Outcome text = shell.run("compare a b");
  CHECK(text.status == 1);
  CHECK_THAT(text.out, Contains("base: 10000 -> 500000") && Contains("mean_abs_S_at_10") &&
                           Contains("tables/decay") && Contains("Numbers differ."));
  const Outcome json = shell.run("compare a b --json");
  CHECK(json.status == 1);
  const auto parsed = nlohmann::json::parse(json.out);
  CHECK(parsed.at("schema") == "orrery.comparison/1");
  CHECK(parsed.at("result").at("settings").at(0).at("b") == "500000");
  CHECK(shell.run("compare a nowhere").status == 4);
  shell.write("b/result.json", "{}");
  const Outcome damaged = shell.run("compare a b");
  CHECK(damaged.status == 3);
  CHECK_THAT(damaged.err, Contains("b/result.json: is damaged"));
}

TEST_CASE("A sweep is reported, redrawn and compared with another by its settings") {
  const Shell shell;
  const std::string sweep = "sweep long_term_decay dim=8,16 encoding=rope,alibi max_distance=40 ";
  REQUIRE(shell.run(sweep + "assumption=random draws=2 --repeats 3 --quiet --out s").status == 0);
  CHECK(shell.run("report s --points 2").status == 0);
  const std::string markdown = content(shell.folder() / "s-report.md");
  CHECK_THAT(markdown, Contains("12 points of long\\_term\\_decay: 12 done") &&
                           Contains("Mean \\|S\\_j\\| at distance 10 over dim") &&
                           Contains("| dim | d | 8, 16 | channels | Channels of a head") &&
                           Contains("| RoPE: scores of random q, k stay within the bound") &&
                           Contains("| dim (channels) | encoding | mean \\|S\\_j\\| at") &&
                           Contains("](s-report-figures/decay_bound.svg)") &&
                           Contains("](s-report-figures/mean_abs_S_at_10_over_dim.svg)"));
  for (const char* name : {"decay_bound.svg", "mean_abs_S_at_10_over_dim.svg"})
    CHECK_THAT(content(shell.folder() / "s-report-figures" / name), Contains("<svg "));
  CHECK(shell.run("report s --points 2").status == 0);  // an older report is replaced
  const std::string measures = content(shell.folder() / "s/measures.csv");
  CHECK_THAT(measures, Contains("mean_abs_S_at_10,mean $|S_j|$ at distance 10,mean $|S_j|$,"));
  shell.write("s/measures.csv", measures + "x");
  const Outcome damaged = shell.run("report s --points 2");
  CHECK(damaged.status == 1);
  CHECK_THAT(damaged.err, Contains("measures.csv: is damaged"));
  fs::remove(shell.folder() / "s/measures.csv");  // as in sweeps of earlier versions
  CHECK(shell.run("report s --points 2").status == 0);
  CHECK_THAT(content(shell.folder() / "s-report.md"), Contains("| mean abs S at 10 |"));
  fs::create_directory(shell.folder() / "mine-figures");
  const Outcome foreign = shell.run("report s --out mine.html");
  CHECK(foreign.status == 4);
  CHECK_THAT(foreign.err, Contains("mine-figures: is there already, and not of a report"));
  const auto runs = commands_in(markdown, "run");
  REQUIRE(runs.size() == 2);
  const std::string id = runs[0].substr(runs[0].rfind(' ') + 1);
  CHECK(shell.run(runs[0]).status == 0);
  CHECK(content(shell.folder() / id / "result.json") ==
        content(shell.folder() / "s/points" / id / "result.json"));
  CHECK(shell.run("redraw s --format svg").status == 0);
  const auto figure = fs::directory_iterator(shell.folder() / "s-redrawn" / id)->path().filename();
  CHECK(content(shell.folder() / "s-redrawn" / id / figure) ==
        content(shell.folder() / "s/points" / id / "figures" / figure));
  CHECK(shell.run("compare s s").status == 0);
  REQUIRE(shell.run(sweep + "assumption=random draws=4 --repeats 3 --quiet --out t").status == 0);
  const Outcome compared = shell.run("compare s t --json");
  CHECK(compared.status == 1);
  const auto json = nlohmann::json::parse(compared.out).at("sweep");
  CHECK(json.at("matched") == 12);
  CHECK(json.at("settings").at(0).at("name") == "draws");
  REQUIRE_FALSE(json.at("repeats").empty());
  CHECK(json.at("repeats").at(0).at("a").at("n") == 3);
}

TEST_CASE("A report is replaced by a newer one, and nothing else is") {
  const Shell shell;
  REQUIRE(shell.run("run long_term_decay max_distance=40 --out d").status == 0);
  REQUIRE(shell.run("report d --out page.html").status == 0);
  const std::string first = content(shell.folder() / "page.html");
  REQUIRE(shell.run("report d/ --out page.html").status == 0);
  CHECK(content(shell.folder() / "page.html") == first);
  shell.write("thesis.html", "years of work");
  const Outcome refused = shell.run("report d --out thesis.html");
  CHECK(refused.status == 4);
  CHECK_THAT(refused.err, Contains("is not a report of orrery"));
  CHECK(content(shell.folder() / "thesis.html") == "years of work");
  CHECK(shell.run("report d --out page.md").status == 2);
}

TEST_CASE("A report of a damaged result says so and ends with status 1") {
  const Shell shell;
  REQUIRE(shell.run("run long_term_decay max_distance=40 --out d").status == 0);
  fs::remove(shell.folder() / "d/tables/decay.csv");
  const Outcome outcome = shell.run("report d");
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.err, Contains("tables/decay.csv: is missing"));
  CHECK_THAT(content(shell.folder() / "d-report.html"), Contains("tables/decay.csv: is missing"));
  fs::remove(shell.folder() / "d/manifest.json");
  CHECK(shell.run("report d").status == 3);
}

TEST_CASE("Long curves are plotted, drawn again, reported and compared from their CSV files") {
  const Shell shell;
  REQUIRE(
      shell.run("sweep long_term_decay dim=8,16 max_distance=5000 --format svg --out s").status ==
      0);
  std::vector<fs::path> points;
  for (const auto& entry : fs::directory_iterator(shell.folder() / "s/points"))
    points.push_back(entry.path());
  REQUIRE(points.size() == 2);
  CHECK_THAT(content(points[0] / "result.json"), Contains("\"file\": \"tables/decay.csv\""));
  CHECK_THAT(content(points[0] / "figures/decay_bound.json"),
             Contains("\"file\":\"figures/decay_bound.csv\""));
  REQUIRE(shell.run("plot s figure=decay_bound hue=dim --format svg --out p").status == 0);
  std::uintmax_t plotted = 0;
  for (const auto& entry : fs::directory_iterator(shell.folder() / "p"))
    if (entry.path().extension() == ".csv") plotted += entry.file_size();
  CHECK(plotted > fs::file_size(points[0] / "figures/decay_bound.csv"));
  REQUIRE(shell.run("redraw s --format svg --out again").status == 0);
  for (const fs::path& point : points)
    CHECK(content(point / "figures/decay_bound.svg") ==
          content(shell.folder() / "again" / point.filename() / "decay_bound.svg"));
  CHECK(shell.run("compare s s").status == 0);
  CHECK(shell.run("report s").status == 0);
  std::ofstream(points[0] / "figures/decay_bound.csv", std::ios::app) << "0,0\r\n";
  for (const std::string command : {"plot s figure=decay_bound hue=dim --out q", "compare s s",
                                    "report s", "redraw s --out third"}) {
    const Outcome damaged = shell.run(command);
    INFO(command);
    CHECK(damaged.status != 0);
    CHECK_THAT(damaged.err, Contains("figures/decay_bound.csv: is damaged") ||
                                Contains("is damaged: figures/decay_bound.csv"));
  }
}

TEST_CASE("pandas and NumPy read every table and array of a result without help") {
  const std::string python = python_with("numpy, pandas");
  if (python.empty()) {
    WARN("python3 with numpy and pandas is not installed: nothing was read with them");
    return;
  }
  const Shell shell;
  REQUIRE(shell.run("run attention_map encoding=rope+alibi --out r").status == 0);
  REQUIRE(shell.run("run long_term_decay --out d").status == 0);
  REQUIRE(shell
              .run("sweep long_term_decay dim=8,16 encoding=rope,alibi max_distance=40 --out s "
                   "--format none --quiet")
              .status == 0);
  shell.write("read.py", R"(
import glob, json, math, numpy, pandas

def number(text):
    return {None: math.nan, "inf": math.inf, "-inf": -math.inf}.get(text, text)

def same(a, b):
    return a == b or (a != a and b != b)

tables = arrays = curves = 0
for folder in ("r", "d"):
    result = json.load(open(folder + "/result.json"))
    for table in result["tables"]:
        frame = pandas.read_csv(f"{folder}/tables/{table['name']}.csv", float_precision="round_trip")
        assert list(frame.columns) == [column["name"] for column in table["columns"]]
        for column in table["columns"]:
            values = frame[column["name"]]
            if column["type"] == "number":
                assert values.dtype.kind in "fi", column["name"]
                assert all(same(a, number(b)) for a, b in zip(values, column["values"]))
            assert len(values) == len(column["values"])
            tables += 1
    for array in result["arrays"]:
        values = numpy.load(f"{folder}/arrays/{array['name']}.npy")
        assert list(values.shape) == array["shape"] and values.dtype == array["dtype"]
        arrays += 1
    for path in glob.glob(folder + "/figures/*.csv"):
        frame = pandas.read_csv(path, float_precision="round_trip")
        plot = json.load(open(path[:-4] + ".json"))["content"]
        for series in plot["series"]:
            if series["name"] in frame.columns:
                assert all(same(a, number(b)) for a, b in zip(frame[series["name"]], series["y"]))
                curves += 1
    for path in glob.glob(folder + "/figures/*.npy"):
        numpy.load(path)
lines = pandas.read_json("s/results.jsonl", lines=True)
table = pandas.read_csv("s/results.csv", float_precision="round_trip")
assert list(lines["id"]) == list(table["id"]) and len(lines) == 4
assert list(table["dim"]) == [8, 8, 16, 16] and list(table["encoding"])[:2] == ["rope", "alibi"]
scalars = pandas.json_normalize(json.loads(line) for line in open("s/results.jsonl"))
measured = [name for name in table.columns if "scalars.rope_" + name in scalars.columns]
assert measured
for name in measured:
    for i, encoding in enumerate(table["encoding"]):
        value = scalars.get(f"scalars.{encoding}_{name}", [None] * len(table))[i]
        assert same(table[name][i], number(value)), name
assert tables > 5 and arrays > 0 and curves > 0
)");
  const std::string read = "cd '" + shell.folder().string() + "' && " + python + " read.py";
  CHECK(std::system(read.c_str()) == 0);
}

TEST_CASE("Folders from somebody else: redraw stays in its folder, and no file is our defect") {
  const Shell shell;
  REQUIRE(shell.run("run long_term_decay dim=8 max_distance=8 --format none --out r").status == 0);
  REQUIRE(shell.run("sweep long_term_decay dim=4,8 max_distance=8 --format none --out s").status ==
          0);
  const auto change = [&](const std::string& file, const std::string& from, const std::string& to) {
    std::string text = content(shell.folder() / file);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    shell.write(file, text.replace(at, from.size(), to));
  };
  const auto ids = nlohmann::json::parse(content(shell.folder() / "s/plan.json"))["points"];
  change("s/plan.json", "\"sha256\"", "\"note\"");  // else that alone is what every command refuses
  change("s/plan.json", "\"id\": " + ids[0]["id"].dump(), "\"id\": \"../../r\"");
  const Outcome points = shell.run("redraw s --out drawn/a/b");
  CHECK(points.status == 3);
  CHECK_THAT(points.err, Contains("plan.json") && Contains("which is not a name"));
  CHECK_FALSE(fs::exists(shell.folder() / "drawn"));
  change("s/plan.json", "\"id\": \"../../r\"", "\"id\": " + ids[0]["id"].dump());
  change("s/plan.json", "\"points\"", "\"shard\": {\"index\": 1, \"count\": 0}, \"points\"");
  for (const std::string command : {"status s", "resume s", "report s", "redraw s --out drawn"}) {
    const Outcome refused = shell.run(command);
    INFO(command << ": " << refused.err);
    CHECK(refused.status == 3);
    CHECK_THAT(refused.err, Contains("'count' is 0, which is not from 1 to"));
  }
}
