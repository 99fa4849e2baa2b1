#include "experiments/reports/report.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <regex>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/reports/report_parts.h"
#include "tests/experiments/results/example_result.h"
#include "tests/support/sample_figures.h"
#include "tests/support/sweep_fixture.h"
#include "tests/support/temp_folder.h"
#include "tests/support/xml_check.h"

using namespace orrery;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

Report report_of(const fs::path& folder, std::size_t points = 24) {
  return make_report({folder, folder.parent_path(), points});
}

fs::path save(const Result& result, const TempFolder& temp) {
  return write_result(result, {.argv = {"/opt/orrery", "run", "decay", "text=my file.txt"}},
                      write_options(temp.path() / "saved", {.formats = {"svg"}}))
      .folder;
}

/// Elements that HTML leaves open, closed, so that the rest can be read strictly as XML.
std::string as_xml(std::string html) {
  html = html.substr(html.find("<html"));
  html = std::regex_replace(html, std::regex("<meta([^>]*)>"), "<meta$1/>");
  html = std::regex_replace(html, std::regex("<style>[^]*?</style>"), "");
  return std::regex_replace(html, std::regex("<script>[^]*?</script>"), "");
}

std::size_t count(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    ++found;
  return found;
}

/// No reference to anything outside of the page: names of XML's vocabularies are none.
bool is_self_contained(const std::string& html) {
  const std::regex outside(R"((src|href|action)\s*=\s*"(?!#|data:)|url\((?!#)|@import)");
  return !std::regex_search(html, outside);
}

}  // namespace

TEST_CASE("The report of a result has its claims, numbers, figures, settings and commands") {
  const TempFolder temp;
  const Report report = report_of(save(example_result(), temp));
  CHECK(report.problems.empty());
  const std::string html = html_of(report.document);
  const test::XmlCheck xml(as_xml(html));
  CHECK(xml.error().empty());
  CHECK(is_self_contained(html));
  CHECK(xml.has_text("p", "1 of 2 claims FAIL."));
  CHECK(xml.has_text("td", "holds"));
  CHECK(xml.has_text("td", "FAILS"));
  CHECK(xml.has_text("td", "the mean is below the bound"));
  CHECK(xml.has_text("td", "half_distance"));
  CHECK(xml.has_text("td", "rope+alibi"));
  CHECK(xml.has_text("code", "orrery run decay 'text=my file.txt'"));
  CHECK(xml.count("figure") == 2);
  CHECK(count(html, "prefers-color-scheme:dark") == 1);
  const std::string markdown = markdown_of(report.document);
  CHECK_THAT(markdown, Contains("# decay") && Contains("| **FAILS** | a NaN never holds |") &&
                           Contains("![Decay](saved/figures/decay.svg)") &&
                           Contains("orrery run decay 'text=my file.txt'"));
}

TEST_CASE("A page allows no source and no script but its own") {
  Document document{.title = "t"};
  document.blocks.push_back(Grid{.header = {"a"}, .rows = {{text_cell("b")}}, .interactive = true});
  const std::string html = html_of(document);
  CHECK_THAT(html, Contains("Content-Security-Policy") && Contains("default-src 'none'"));
  // Hexadecimal digits of the script's SHA-256, of which base64 takes three for every two of its
  // own.
  const std::size_t begin = html.find("<script>") + 8;
  const std::string script = html.substr(begin, html.find("</script>") - begin);
  const std::string hex = sha256_hex(script);
  const std::size_t at = html.find("script-src 'sha256-") + 19;
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string found;
  for (std::size_t i = 0; i < 42; i += 2)
    found += fmt::format("{:03x}", digits.find(html[at + i]) << 6 | digits.find(html[at + i + 1]));
  CHECK(found == hex.substr(0, 63));
  CHECK(html[at + 43] == '=');
}

TEST_CASE("The same folder gives the same report") {
  const TempFolder temp;
  const fs::path folder = save(example_result(), temp);
  CHECK(html_of(report_of(folder).document) == html_of(report_of(folder).document));
}

TEST_CASE("Every kind of figure is in the page once for light and dark, with ids of its own") {
  Result result = example_result();
  result.figures.clear();
  for (Figure figure : test::sample_figures()) {
    figure.id += std::to_string(result.figures.size());
    result.figures.push_back(figure);
  }
  const TempFolder temp;
  const test::XmlCheck xml(as_xml(html_of(report_of(save(result, temp)).document)));
  CHECK(xml.error().empty());  // ids are unique and found
  CHECK(xml.count("figure") == 8);
  CHECK(xml.count("svg") == 8 + 5);  // maps and the phasors' colour bar have other pixels in dark
}

TEST_CASE("Damaged and missing parts are said, and the rest is reported") {
  const TempFolder temp;
  const fs::path folder = save(example_result(), temp);
  fs::remove(folder / "arrays/weights.npy");
  std::ofstream(folder / "tables/by_encoding.csv") << "changed";
  const Report report = report_of(folder);
  CHECK(report.problems.size() == 2);
  const std::string html = html_of(report.document);
  CHECK_THAT(html, Contains("Parts of this result are missing or damaged") &&
                       Contains("arrays/weights.npy: is missing") &&
                       Contains("tables/by_encoding.csv: is damaged"));
  CHECK(test::XmlCheck(as_xml(html)).count("figure") == 1);  // the map has lost its numbers
  std::ofstream(folder / "result.json") << "{}";
  CHECK_THROWS_AS(report_of(folder), DataError);
}

TEST_CASE("The report of a sweep has its summary, claims, overview, results and points") {
  const TempFolder temp;
  const fs::path folder = temp.path() / "sweep";
  test::write_sweep(folder, {"dim", "base"}, test::fixture_points());
  const Report report = report_of(folder);
  CHECK(report.problems.empty());
  const std::string html = html_of(report.document);
  const test::XmlCheck xml(as_xml(html));
  CHECK(xml.error().empty());
  CHECK(is_self_contained(html));
  CHECK(xml.has_text("p",
                     "4 points of toy: 3 done, 1 failed, 0 not computed. 1 claims FAIL, at 1 "
                     "points."));
  CHECK(xml.has_text("h2", "dim=8 base=100"));
  CHECK(xml.has_text("li", "dim=16 base=100 (dddddddddddd): dim=16: breaks <rules>"));
  CHECK(xml.has_text("code", "orrery sweep 'it'\\''s toy.toml'"));
  CHECK(xml.has_text("code", "orrery run toy dim=8 base=10 --out aaaaaaaaaaaa"));
  CHECK(xml.has_text("td", "6"));
  CHECK(xml.count("figure") == 4 + 3);  // the curves together, score over dim, base and both
  CHECK_THAT(markdown_of(report.document), Contains("sweep/points/aaaaaaaaaaaa/figures/curve.svg"));
}

TEST_CASE("Of many points the first show their figures, all are in the table and looked at") {
  const TempFolder temp;
  const fs::path folder = temp.path() / "sweep";
  test::write_sweep(folder, {"dim", "base"}, test::fixture_points());
  fs::remove(folder / "points/cccccccccccc/figures/curve.svg");
  const Report report = report_of(folder, 1);
  const std::string html = html_of(report.document);
  CHECK(count(html, "<h2 id=\"point-") == 1);
  CHECK(count(html, "cccccccccccc") >= 1);
  CHECK_THAT(html, Contains("figures of the other 3 points"));
  REQUIRE(report.problems.size() == 1);
  CHECK_THAT(report.problems[0], Contains("cccccccccccc/figures/curve.svg: is missing"));
}

TEST_CASE("The report of many points has figures before tables, and says where all rows are") {
  const TempFolder temp;
  const fs::path folder = temp.path() / "sweep";
  std::vector<test::FixturePoint> points;
  for (int dim = 0; dim < 210; ++dim)
    points.push_back({.id = "id" + std::to_string(1000 + dim),
                      .label = "dim=" + std::to_string(dim),
                      .params = {{"dim", std::to_string(dim)}},
                      .error = dim < 9 ? "" : "too large",
                      .score = 1.0 + dim});
  test::write_sweep(folder, {"dim"}, points);
  const Report report = report_of(folder, 60);
  const std::string html = html_of(report.document);
  CHECK(test::XmlCheck(as_xml(html)).error().empty());
  REQUIRE(html.find("<svg") < html.find("<table"));
  CHECK_THAT(html, Contains("Swept: dim (210 values)."));
  CHECK_THAT(html, Contains("These are 200 of 210 rows, those of points without a result or with a "
                            "failing claim first; all of them are in sweep/results.csv."));
  std::string rows = html.substr(html.find("id=\"results\""));
  rows.resize(rows.find("</table>"));
  CHECK(count(rows, "<tr>") == 1 + 200);  // and its header
  CHECK(count(rows, ">id1000<") == 0);    // done, and its claim holds
  CHECK(count(rows, ">id1005<") == 1);    // its claim fails
  CHECK_THAT(html, Contains("<li>… and 101 more: the column error of results.csv has all</li>"));
  const std::string contents = html.substr(0, html.find("</nav>"));
  CHECK(count(contents, "<li><a") == 40);
  CHECK_THAT(contents, Contains("more, each under its own heading") && Contains("#provenance"));
}

TEST_CASE("A page without room leaves out figures of points, and says what shows them") {
  const TempFolder temp;
  const fs::path folder = temp.path() / "sweep";
  test::write_sweep(folder, {"dim", "base"}, test::fixture_points());
  Report report = report_of(folder);
  const std::string whole = html_of(report.document);
  CHECK(count(whole, "are left out") == 0);
  report.document.room = 0;
  const std::string html = html_of(report.document);
  CHECK(test::XmlCheck(as_xml(html)).error().empty());
  CHECK(count(html, "<figure") == 4);  // of the overview
  CHECK(count(html,
              "are left out, as the page would be too large: orrery report "
              "sweep/points/") == 3);
  Report kept = make_report({.folder = folder, .beside = temp.path(), .keeps_figures = true});
  kept.document.room = 0;
  CHECK(html_of(kept.document) == whole);
}

TEST_CASE("Damaged lines of a sweep are said, and their points are not computed") {
  const TempFolder temp;
  const fs::path folder = temp.path() / "sweep";
  test::write_sweep(folder, {"dim", "base"}, test::fixture_points());
  std::ofstream(folder / "results.jsonl", std::ios::app) << "{\"id\"\n{\"id\": \"eeee\"}\n";
  fs::remove_all(folder / "points/aaaaaaaaaaaa");
  const Report report = report_of(folder);
  REQUIRE(report.problems.size() == 3);
  CHECK_THAT(report.problems[0], Contains("results.jsonl:5: is damaged"));
  CHECK_THAT(report.problems[1], Contains("its id is not in the plan"));
  CHECK_THAT(report.problems[2], Contains("aaaaaaaaaaaa"));
  temp.file("sweep/plan.json", "[]");
  CHECK_THROWS_AS(report_of(folder), DataError);
}

TEST_CASE("Text that HTML or Markdown would read as marks is shown as it is") {
  Document document{.title = "<b>&", .subtitle = "*a* | [b](c)"};
  document.blocks.push_back(Grid{.header = {"|"}, .rows = {{text_cell("a|b\n<script>")}}});
  const test::XmlCheck xml(as_xml(html_of(document)));
  CHECK(xml.error().empty());
  CHECK(xml.has_text("h1", "<b>&"));
  CHECK(xml.has_text("td", "a|b\n<script>"));
  CHECK_THAT(markdown_of(document),
             Contains(R"(\*a\* \| \[b\](c))") && Contains(R"(| a\|b \<script\> |)"));
}
