
#include <catch2/catch.hpp>
#include <stdexcept>

#include "experiments/setup/measures.h"

using namespace orrery;

namespace {

struct Word {
  double letters{}, vowels{};
};

const Measures<Word> measures{{"letters", &Word::letters, "its letters", "letters"},
                              {"vowels", [](const Word& word) { return word.vowels; }}};

TableBuilder lengths() { return {"lengths", "of tokens", {{"token", ""}, {"length", "letters"}}}; }

}  // namespace

TEST_CASE("A table builder puts each cell of a row into its column") {
  TableBuilder builder = lengths();
  builder.row({"sun", 3});
  builder.row({std::string("moon"), 4.0});
  const Table table = std::move(builder).finish();
  CHECK(table.name == "lengths");
  CHECK(table.columns.at(1).unit == "letters");
  CHECK(std::get<std::vector<std::string>>(table.columns.at(0).values) ==
        std::vector<std::string>{"sun", "moon"});
  CHECK(std::get<std::vector<double>>(table.columns.at(1).values) == std::vector<double>{3, 4});
}

TEST_CASE("A table builder refuses rows of another length and columns of mixed kinds") {
  TableBuilder builder = lengths();
  CHECK_THROWS_AS(builder.row({"sun"}), std::logic_error);
  builder.row({"sun", 3});
  CHECK_THROWS_AS(builder.row({"moon", "four"}), std::logic_error);
}

TEST_CASE("A measure becomes columns, and a scalar where it has words") {
  TableBuilder builder("words", "", headings({"word"}, measures));
  builder.row(cells({"moon"}, Word{4, 2}, measures));
  const Table table = std::move(builder).finish();
  CHECK(table.columns.at(1).name == "letters");
  CHECK(table.columns.at(1).unit == "letters");
  CHECK(std::get<std::vector<double>>(table.columns.at(2).values) == std::vector<double>{2});

  Result result;
  FindingsOn(result, "moon", "Moon").scalars(Word{4, 2}, measures);
  REQUIRE(result.scalars.size() == 1);
  CHECK(result.scalars.front().name == "moon_letters");
  CHECK(result.scalars.front().description == "Moon: its letters");
  CHECK(result.scalars.front().value == 4);
}

TEST_CASE("Findings on a subject without key and label have the names that they are given") {
  Result result;
  const FindingsOn all(result);
  all.scalar("words", 2, "counted");
  all.at_least("has_words", "there are words", "", 2, 1);
  CHECK(result.scalars.front().name == "words");
  CHECK(result.checks.front().statement == "there are words");
  CHECK(result.checks.front().holds());
}

TEST_CASE("A curve over the first column of its table has the numbers of its own column") {
  Table table{.name = "orbits", .columns = {{"year", "", std::vector<double>{1, 2}}}};
  LinePlot plot;
  add_curve(table, plot, {"mean", "", std::vector<double>{10, 20}}, {1, 2}, {.name = "Mars"});
  CHECK(plot.series.front().x == std::vector<double>{1, 2});
  CHECK(plot.series.front().band_low == std::vector<double>{9, 18});
  CHECK(plot.series.front().band_high == std::vector<double>{11, 22});
  CHECK(table.columns.at(1).name == "mean");
  CHECK(table.columns.at(2).name == "mean_deviation");
}
