// lens, patch, repeat and needle on the model made by hand, whose answers are known, and beside model_heads.
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/studies/catalogue.h"
#include "tests/heads/hand_built.h"
#include "tests/support/experiment_run.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Result run_with_files(const char* name, const Settings& settings) {
  const Experiment& experiment = find_experiment(name);
  return run_experiment(experiment, settings, load_inputs(params_for(experiment, settings)).inputs);
}

/// The model made by hand, asked about a text of ids.
class AskedByHand {
 public:
  Result asked(const char* name, const std::vector<std::int32_t>& text, Settings more) {
    more.emplace_back("tokens", ids_file(folder_, text));
    return asked(name, std::move(more));
  }

  Result asked(const char* name, Settings more) const {
    more.emplace_back("model", model_.path().string());
    more.emplace_back("precision", "exact");
    return run_with_files(name, more);
  }

 private:
  TempFolder folder_{};
  HandBuilt model_{folder_};
};

}  // namespace

TEST_CASE("The last row of the lens has the model's own loss, also under an edit") {
  for (const Settings& edit : {Settings{}, Settings{{"edits", "base"}, {"new_base", "300"}}}) {
    Settings settings{{"length", "24"}, {"precision", "exact"}};
    settings.insert(settings.end(), edit.begin(), edit.end());
    const Result lens = run_with_files("lens", settings),
                 heads = run_with_files("model_heads", settings);
    check_all_hold(lens);
    const char* loss = edit.empty() ? "loss" : "edited_loss";
    CHECK(scalar(lens, "loss") == Approx(scalar(heads, loss)).epsilon(1e-12));
    const Array& map = array(lens, "lens");
    REQUIRE(map.shape == std::vector<std::size_t>{3, 23});
    double last = 0;
    for (std::size_t i = 0; i < 23; ++i) last += at(map, 2, i) / 23;
    CHECK(last == Approx(scalar(lens, "loss")).epsilon(1e-12));
    CHECK(column(table(lens, "lens"), "loss").front() == scalar(lens, "first_loss"));
  }
}

TEST_CASE("The table of a token lists what each state makes the most probable") {
  AskedByHand by_hand;
  // Behind the second 3 comes 4, as behind the first; before the induction head nothing tells.
  const Result result = by_hand.asked("lens", {0, 1, 2, 3, 4, 5, 3, 4}, {{"token", "6"}});
  const auto& becomes = content_of<TableFigure>(result, "becomes");
  REQUIRE(becomes.rows.size() == 3);
  CHECK(becomes.rows[2].at(1) == "4");
  CHECK(becomes.rows[2].at(2) == "1.000");
  CHECK(becomes.rows[1].at(2) == "0.083");  // one of twelve
}

TEST_CASE("Patching by hand names the token that was changed, and the head that read it") {
  AskedByHand by_hand;
  const Result result = by_hand.asked("patch", {0, 1, 2, 3, 4, 5, 3}, {{"token", "4"}});
  CHECK(at(array(result, "stream"), 0, 4) == Approx(1).margin(1e-9));
  CHECK(at(array(result, "stream"), 0, 2) == Approx(0).margin(1e-9));
  CHECK(at(array(result, "head_part"), 1, 0) == Approx(1).margin(1e-9));
  CHECK(at(array(result, "head_part"), 1, 1) == Approx(0).margin(1e-9));
  CHECK(at(array(result, "feed_forward_part"), 0, 4) == Approx(0).margin(1e-9));
  CHECK(scalar(result, "clean_difference") > scalar(result, "corrupted_difference"));
  for (const Figure& figure : result.figures)
    CHECK_THAT(figure.caption, Contains("4 becomes 3 at token 4"));
}

TEST_CASE("By hand, tokens that come again cost nothing, but for a silenced induction head") {
  AskedByHand by_hand;
  const Settings settings{{"repeated", "8"}, {"repeats", "3"}};
  const Result result = by_hand.asked("repeat", settings);
  CHECK(scalar(result, "gain") > 1.5);
  const auto& plot = content_of<LinePlot>(result, "repeated");
  CHECK(plot.series.at(1).y.back() < 1e-6);
  Settings silenced = settings;
  for (const auto& [key, value] : Settings{{"edits", "silence"}, {"layer", "1"}, {"head", "0"}})
    silenced.emplace_back(key, value);
  const Result without = by_hand.asked("repeat", silenced);
  CHECK(scalar(without, "second_loss") == Approx(std::log(12.0)));
  CHECK_THAT(without.figures.front().title, Contains("zero 1.0"));
}

TEST_CASE("By hand, a needle is found at every depth, and without the induction head nowhere") {
  AskedByHand by_hand;
  std::vector<std::int32_t> text;
  for (int i = 0; i < 40; ++i) text.push_back(1 + (i * 3 + i / 8) % 8);
  const Settings settings{{"lengths", "8+16+32"}, {"question_length", "1"}, {"draws", "3"}};
  const Result result = by_hand.asked("needle", text, settings);
  // Without a token in front, none comes before a fact that comes first.
  const Array& found = array(result, "found");
  REQUIRE(found.shape == std::vector<std::size_t>{3, 5});
  for (std::size_t length = 0; length < 3; ++length)
    for (std::size_t depth = 1; depth < 5; ++depth) CHECK(at(found, length, depth) == Approx(1));
  CHECK(column(table(result, "needle"), "length").front() == 8);
  Settings silenced = settings;
  for (const auto& [key, value] : Settings{{"edits", "silence"}, {"layer", "1"}})
    silenced.emplace_back(key, value);
  CHECK(scalar(by_hand.asked("needle", text, silenced), "found") == 0);
}

TEST_CASE("What a model was asked before does not change its answer") {
  const Settings lens{{"length", "20"}, {"edits", "mute"}, {"pair", "1"}};
  const Settings repeat{{"repeated", "6"}, {"repeats", "2"}};
  const double loss = scalar(run_with_files("lens", lens), "loss");
  const double gain = scalar(run_with_files("repeat", repeat), "gain");
  static_cast<void>(run_with_files("lens", {{"length", "12"}, {"token", "3"}}));
  static_cast<void>(run_with_files("model_heads", {{"length", "16"}}));
  static_cast<void>(run_with_files("needle", {{"draws", "1"}}));
  CHECK(scalar(run_with_files("lens", lens), "loss") == loss);
  CHECK(scalar(run_with_files("lens", {{"length", "20"}}), "loss") != loss);
  CHECK(scalar(run_with_files("repeat", repeat), "gain") == gain);
  Settings other_token = lens;
  other_token.emplace_back("token", "5");
  CHECK(scalar(run_with_files("lens", other_token), "loss") == loss);
}

TEST_CASE("What a model cannot be asked is refused") {
  const auto refused = [](const char* name, const Settings& settings, const char* message) {
    CHECK_THROWS_WITH(run_with_files(name, settings), Contains(message));
  };
  refused("lens", {{"length", "12"}, {"token", "11"}}, "11 tokens have one behind them");
  refused("lens", {{"edit", "bse:3"}}, "did you mean base?");
  refused("lens", {{"precision", "fp32"}}, "write exact_fp32");
  refused("patch", {{"length", "12"}, {"token", "12"}}, "take 11 at most");
  refused("needle", {{"lengths", "16.5"}}, "whole number");
  refused("needle", {{"lengths", "100"}}, "a context takes");
  refused("needle", {{"fact", "cog"}}, "all three");
  refused("settle", {{"parts", "2"}}, "4 or more");
  refused("passport", {{"parts", "3"}}, "4 or more");
}

TEST_CASE("An edit in words is the edit that has a slider") {
  const Settings length{{"length", "20"}};
  Settings slider = length, words = length;
  slider.insert(slider.end(), {{"edits", "mute"}, {"pair", "1"}});
  words.emplace_back("edit", "mute:1");
  CHECK(scalar(run_with_files("lens", slider), "loss") ==
        scalar(run_with_files("lens", words), "loss"));
}
