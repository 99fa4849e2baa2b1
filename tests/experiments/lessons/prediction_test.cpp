#include "experiments/lessons/prediction.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/errors.h"
#include "experiments/lessons/step_state.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

StepState decay() { return read_state("experiment = \"long_term_decay\"\n"); }

Answer truth(const Prediction& prediction, const StepState& state) {
  static ResultCache results;
  SilentProgress progress;
  return truth_of(prediction, state, [&](const std::vector<std::string>& words) {
    return results.result_of(state, words, progress);
  });
}

}  // namespace

TEST_CASE("A drawn curve is described beside the true one, never graded") {
  const Prediction draw{.kind = DrawCurve{"decay_bound", "RoPE"}};
  const Answer real = truth(draw, decay());
  REQUIRE(real.y.size() == 257);
  const Answer straight{.x = {0, 256}, .y = {32, 0}};
  const std::string said = describe_answer(draw, straight, real);
  CHECK_THAT(said, Contains("It rises at 115 of 256 steps; yours rises not once."));
  CHECK_THAT(said, Contains("It ends at 6.543, yours at 0"));
  CHECK_THAT(describe_answer(draw, real, real), Contains("100 %"));
  CHECK_THAT(describe_class(draw, std::vector<Answer>{straight, straight, real}, real),
             Contains("2 of 3 drawings never rise."));
}

TEST_CASE("Stretches of a curve rise where a hand did not merely shake") {
  CHECK(rising_stretches({4, 3, 2, 1}, 0.1) == 0);
  CHECK(rising_stretches({4, 3, 3.05, 1}, 0.1) == 0);
  CHECK(rising_stretches({4, 1, 2, 3, 1, 2}, 0.1) == 2);
  CHECK(rank_agreement({1, 2, 3}, {3, 5, 9}) == 1);
  CHECK(rank_agreement({1, 2, 3}, {9, 5, 3}) == -1);
  CHECK(std::isnan(rank_agreement({1, 1}, {2, 3})));
}

TEST_CASE("Guesses, choices and orders have the truth of a result") {
  const Prediction guess{.kind = GuessNumber{parse_expression("rope_first_rise"), 0, 64, "tokens"}};
  const Answer nineteen = truth(guess, decay());
  CHECK(nineteen.number == 19);
  CHECK(describe_answer(guess, {.number = 30}, nineteen) ==
        "It is 19 tokens; you said 30, 11 more.");
  const Prediction choose{
      .kind = ChooseOption{{{"no", {.assertion = parse_assertion("rope_rises = 0")}},
                            {"yes", {.assertion = parse_assertion("rope_rises > 0")}}}}};
  const Answer yes = truth(choose, decay());
  CHECK(yes.options == std::vector<bool>{false, true});
  CHECK(describe_answer(choose, {.options = {true, false}}, yes) == "“yes” holds; you chose “no”.");
  const Prediction order{.kind =
                             OrderItems{{{"far", parse_expression("value decay_bound RoPE 256")},
                                         {"near", parse_expression("value decay_bound RoPE 0")}}}};
  CHECK(truth(order, decay()).order == std::vector<std::size_t>{0, 1});
}

TEST_CASE("Marked cells are those that a change of the settings changes") {
  const StepState state = read_state(
      "experiment = \"attention_map\"\n[params]\nencoding = \"rope\"\nmax_tokens = 6\n"
      "causal = false\nprecision = \"exact\"\n");
  const Prediction mark{.kind = MarkCells{.map = "weights_rope", .changed_by = {"order=swapped"}}};
  CHECK(truth(mark, state).cells.size() > 6);
  const Prediction shift{
      .kind = MarkCells{.map = "weights_rope", .changed_by = {"first_position=100"}}};
  CHECK(truth(shift, state).cells.empty());
  CHECK(describe_answer(shift, {.cells = {{0, 0}}}, {}) ==
        "0 cells in truth; you marked 1 cell, 0 of them among these.");
}

TEST_CASE("A truth that is no answer is refused") {
  const Prediction outside{.kind = GuessNumber{parse_expression("rope_first_rise"), 0, 5, ""}};
  CHECK_THROWS_WITH(truth(outside, decay()), Contains("outside of the slider"));
  const Prediction none{
      .kind = ChooseOption{{{"a", {.assertion = parse_assertion("rope_rises = 0")}}}}};
  CHECK_THROWS_WITH(truth(none, decay()), Contains("no option that is true"));
}

TEST_CASE("The hint is the first that fits the settings") {
  LessonTask task{.goal = "Lower it", .until = parse_assertion("base < 100")};
  task.hints = {{parse_assertion("base > 1e5"), "far too high"}, {std::nullopt, "lower"}};
  const Result empty;
  const StepState state = decay();
  const auto hint = [&](const std::vector<std::string>& words) {
    const ParamSet params = with_words(state.params, words);
    return hint_for(task, {empty, params});
  };
  CHECK(hint({"base=500000"}) == "far too high");
  CHECK(hint({}) == "lower");
  CHECK(hint({"base=50"}).empty());
}
