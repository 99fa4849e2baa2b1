// orrery plot and the look of figures drawn again.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "tests/cli/shell.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A sweep of two bases and two dims over RoPE and ALiBi, which reads no base.
void make_sweep(const Shell& shell, const std::string& more = "") {
  REQUIRE(shell
              .run("sweep long_term_decay encoding=rope,alibi dim=4,8 base=10,1000 "
                   "max_distance=6 --format none --quiet --out s " +
                   more)
              .status == 0);
}

std::size_t rows_with(const std::string& csv, const std::string& part) {
  std::istringstream in(csv);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);)
    if (line.find(part) != std::string::npos) ++count;
  return count;
}

}  // namespace

TEST_CASE("plot lays the curves of the points over one another, by hue and facet") {
  const Shell shell;
  make_sweep(shell);
  const Outcome outcome =
      shell.run("plot s figure=decay_bound hue=base facet=dim --format svg --out p");
  REQUIRE(outcome.status == 0);
  CHECK_THAT(outcome.err, Contains("drew 1 plot, 2 files in p/"));
  const fs::path stem = shell.folder() / "p/decay_bound_by_base_per_dim";
  const std::string csv = content(stem.string() + ".csv");
  CHECK(rows_with(csv, "dim = 4,base = 10,") == 7);
  CHECK(rows_with(csv, "dim = 8,base = 1000,") == 7);
  CHECK(rows_with(csv, "dim = ") == 28);  // the bound is RoPE's: no curve of ALiBi
  const std::string svg = content(stem.string() + ".svg");
  CHECK_THAT(svg, Contains("base = 1000") && Contains("dim = 8"));
}

TEST_CASE("A point that does not read a setting is in each of its panels") {
  const Shell shell;
  make_sweep(shell);
  REQUIRE(shell.run("plot s figure=decay_scores facet=base dim=4 --format svg --out p").status ==
          0);
  const std::string csv = content(shell.folder() / "p/decay_scores_per_base_dim_4.csv");
  CHECK(rows_with(csv, "base = 10,ALiBi,") == 7);
  CHECK(rows_with(csv, "base = 1000,ALiBi,") == 7);
  CHECK(rows_with(csv, "base = 1000,RoPE,") == 7);
}

TEST_CASE("plot draws a measure over one setting and over two, with bands over repeats") {
  const Shell shell;
  make_sweep(shell, "assumption=random draws=1 --repeats 3");
  REQUIRE(shell.run("plot s measure=change x=base dim=4 --format svg --out p").status == 0);
  const std::string lines = content(shell.folder() / "p/change_over_base_dim_4.csv");
  CHECK(rows_with(lines, ",RoPE,") == 2);
  CHECK_THAT(lines, Contains("ALiBi, any base"));
  CHECK(rows_with(lines, "nan") == 0);
  REQUIRE(shell.run("plot s measure=change x=base y=dim --format svg --out p").status == 0);
  const std::string map = content(shell.folder() / "p/change_over_base_and_dim.csv");
  CHECK(rows_with(map, "RoPE,8,1000,") == 1);
  CHECK(rows_with(map, "ALiBi,8,") == 2);
}

TEST_CASE("plot without a choice draws what differs; --list says what there is") {
  const Shell shell;
  make_sweep(shell);
  const Outcome list = shell.run("plot s --list");
  CHECK_THAT(list.out, Contains("figures   decay_scores decay_bound") && Contains("change") &&
                           Contains("settings  dim base encoding"));
  REQUIRE(shell.run("plot s --format svg").status == 0);
  CHECK(fs::exists(shell.folder() / "s-plots/decay_bound.svg"));
  CHECK(fs::exists(shell.folder() / "s-plots/change_over_base.svg"));
  CHECK(fs::exists(shell.folder() / "s-plots/change_over_dim_and_base.svg"));
}

TEST_CASE("plot refuses what the sweep does not have, and to replace a plot unasked") {
  const Shell shell;
  make_sweep(shell);
  const std::string figure = "plot s figure=decay_bound --format svg --out p ";
  const auto refused = [&](const std::string& words, int status, const std::string& why) {
    const Outcome outcome = shell.run(words);
    CHECK(outcome.status == status);
    CHECK_THAT(outcome.err, Contains(why));
  };
  refused("plot s figure=decay_bond", 2, "did you mean decay_bound?");
  refused("plot s figure=phasor_chain", 2, "is not a figure of curves");
  refused("plot s measure=chang", 2, "did you mean change?");
  refused("plot s measure=change x=encoding", 2, "has values that are not numbers");
  refused(figure + "hue=max_distance", 2, "is not among the settings that differ");
  refused(figure + "huge=base", 2, "did you mean hue?");
  refused(figure + "band=wide", 2, "interval, deviation, range or none");
  CHECK(!fs::exists(shell.folder() / "p"));
  REQUIRE(shell.run(figure).status == 0);
  refused(figure, 4, "replace it with --force");
  CHECK(shell.run(figure + "--force").status == 0);
  REQUIRE(shell.run("run rotation --format none --out r").status == 0);
  refused("plot r", 2, "is not the folder of a sweep");
}

TEST_CASE("The report of a sweep has the plots, the means and what is the same everywhere") {
  const Shell shell;
  make_sweep(shell, "assumption=random draws=1 --repeats 2");
  REQUIRE(shell.run("report s").status == 0);
  const std::string page = content(shell.folder() / "s-report.html");
  CHECK_THAT(page, Contains("The same everywhere") && Contains("Over repeats") &&
                       Contains("95 % from") && Contains("ALiBi, any base"));
  CHECK_THAT(page, Contains("mean of 2 repeats, shaded: 95 % interval of the mean"));
}

TEST_CASE("A figure is drawn again cropped, on other scales and with other colours") {
  const Shell shell;
  REQUIRE(shell.run("run attention_map --format none --out m").status == 0);
  const auto drawn = [&](const std::string& options, const std::string& out) {
    REQUIRE(shell.run("redraw m --format svg --out " + out + " " + options).status == 0);
    return content(shell.folder() / out / "weights_rope.svg");
  };
  const std::string usual = drawn("", "a");
  CHECK(drawn("--colors linear", "b") != usual);
  CHECK(drawn("--colors log", "c") == usual);  // they span decades
  CHECK(drawn("--colors quantile", "d") != usual);
  CHECK(drawn("--x-range 0:3", "e") != usual);
  const Outcome refused = shell.run("redraw m --x-range 3:0 --out f");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("is not a smaller and a larger number"));
}

TEST_CASE("export prints a sweep as tidy CSV, as JSON lines with types, and as a LaTeX table") {
  const Shell shell;
  make_sweep(shell, "assumption=random draws=1 --repeats 2");
  CHECK(shell.run("export s").out == content(shell.folder() / "s/results.csv"));
  CHECK(shell.run("export s --summary").out == content(shell.folder() / "s/summary.csv"));
  const std::string lines = shell.run("export s --as jsonl").out;
  CHECK(rows_with(lines, "\"encoding\":\"rope\"") == 8);
  CHECK_THAT(lines, Contains("\"dim\":4,") && Contains("\"mean_abs_S_at_0\":null"));
  REQUIRE(shell.run("export s --as latex --measures change --out t.tex").status == 0);
  const std::string table = content(shell.folder() / "t.tex");
  CHECK_THAT(table, Contains("\\toprule") && Contains("4 & 10 & RoPE & $") && Contains(" \\pm ") &&
                        Contains("max\\_distance = 6"));
  CHECK(shell.run("export s --as latex --out t.tex").status == 4);
  CHECK_THAT(shell.run("export s --as latex --measures chang").err,
             Contains("did you mean change"));
}
