#include "app/player/player.h"

#include <catch2/catch.hpp>

#include "app/player/step_screen.h"
#include "experiments/studies/catalogue.h"

namespace orrery {
namespace {

constexpr const char* two_steps = R"(# A lesson

```lesson
number: 1
minutes: 5
misconception: None.
```

## First

Words.

```state
experiment = "long_term_decay"
figure = "decay_bound"
```

```predict
ask: Which?
choose: one if rope_first_rise = 19
choose: other if rope_first_rise > 19
```

```say
First.
```

## Second

Words.

```state
experiment = "long_term_decay"
figure = "decay_bound"
[params]
base = 100
```

```say
Second.
```
)";

Player opened(const char* text = two_steps) {
  Player player;
  player.open(parse_lesson(text, "a.md"), "a.md");
  return player;
}

}  // namespace

TEST_CASE("On reveals what a step hides before it goes to the next one, and back goes back") {
  Player player = opened();
  REQUIRE(player.size() == 2);
  CHECK(player.hides());
  CHECK(player.next() == Player::Moved::revealed);
  CHECK_FALSE(player.hides());
  CHECK(player.next() == Player::Moved::on);
  CHECK(player.at() == 1);
  CHECK(player.next() == Player::Moved::nowhere);
  CHECK(player.back());
  CHECK_FALSE(player.back());
  CHECK(player.work().revealed);
}

TEST_CASE("Nothing is locked: any step can be shown, and none that does not exist") {
  Player player = opened();
  CHECK(player.go_to(1));
  CHECK(player.at() == 1);
  CHECK_FALSE(player.go_to(2));
  CHECK(player.at() == 1);
}

TEST_CASE("A class answers by a tally, which is described together with the answer being made") {
  Player player = opened();
  CHECK(player.answers().empty());
  player.raise(0);
  player.raise(0);
  player.raise(1);
  player.raise(1, -1);
  player.raise(7);
  player.toggle_option(0);
  const std::vector<Answer> all = player.answers();
  REQUIRE(all.size() == 3);
  for (const Answer& one : all) CHECK(one.options == std::vector<bool>{true, false});
  player.erase();
  CHECK(player.answers().size() == 2);
}

TEST_CASE("A drawn curve has one value at each place, from left to right") {
  Player player = opened();
  player.draw(4, 1);
  CHECK_FALSE(player.work().answered);
  player.draw(2, 5);
  player.draw(3, 6);
  player.draw(2, 7);
  CHECK(player.work().answer.x == std::vector<double>{2, 3, 4});
  CHECK(player.work().answer.y == std::vector<double>{7, 6, 1});
  CHECK(player.work().answered);
}

TEST_CASE("A cell is marked and unmarked; marks are kept in order") {
  Player player = opened();
  player.toggle_cell(2, 1);
  player.toggle_cell(0, 3);
  player.toggle_cell(0, 3);
  player.toggle_cell(1, 0);
  CHECK(player.work().answer.cells ==
        std::vector<std::pair<std::size_t, std::size_t>>{{1, 0}, {2, 1}});
}

TEST_CASE("A lesson that is read again keeps the reader's place and his answers") {
  Player player = opened();
  player.toggle_option(1);
  player.reveal();
  std::string longer = two_steps;
  longer.insert(longer.find("Words."), "More ");
  player.reload(parse_lesson(longer, "a.md"));
  CHECK(player.work().answer.options == std::vector<bool>{false, true});
  CHECK(player.work().revealed);
  SECTION("but not those of a question that has changed") {
    longer.replace(longer.find("Which?"), 6, "What?!");
    player.reload(parse_lesson(longer, "a.md"));
    CHECK_FALSE(player.work().answered);
  }
  SECTION("and stands at the last step where his own has gone") {
    player.go_to(1);
    player.reload(parse_lesson(longer.substr(0, longer.find("## Second")), "a.md"));
    CHECK(player.at() == 0);
  }
}

TEST_CASE("Motion runs along the scale of the slider, slow at both ends, and ends exactly") {
  const Experiment& decay = find_experiment("long_term_decay");
  ParamSet from(decay.info.params), to(decay.info.params);
  CHECK_FALSE(can_move(from, to));
  to.set("base", "1000000");
  to.set("encoding", "alibi");
  REQUIRE(can_move(from, to));
  CHECK(part_way(from, to, 1.0) == to);
  CHECK(part_way(from, to, 0.0).real("base") == Approx(from.real("base")));
  // Half way by ratios between 10⁴ and 10⁶.
  CHECK(part_way(from, to, 0.5).real("base") == Approx(1e5));
  CHECK(part_way(from, to, 0.5).to_text("encoding") == "alibi");
  const double early = part_way(from, to, 0.1).real("base");
  CHECK(early < 1e4 * std::pow(100.0, 0.1));
  CHECK(early > 1e4);
  ParamSet elsewhere(find_experiment("rotation").info.params);
  CHECK_FALSE(can_move(from, elsewhere));
}

TEST_CASE("A zoom runs along the scale of its axis, from and to what fits, and ends exactly") {
  const Series series{.name = "a", .x = {0, 100}, .y = {1, 3}};
  const Figure curve{.id = "f", .content = LinePlot{.series = {series}}};
  FigureView whole, part;
  part.x = Range{0, 10};
  CHECK_FALSE(can_zoom(part, part));
  CHECK(can_zoom(whole, part));
  const auto at = [&](double share) { return limits_part_way(curve, whole, part, share); };
  REQUIRE(at(0.0).x);
  CHECK(at(0.0).x->max > 99);
  CHECK(at(0.5).x->max == Approx((at(0.0).x->max + 10) / 2));
  CHECK_FALSE(at(0.5).y);
  CHECK(at(1.0) == AxisLimits{.x = Range{0, 10}});
  CHECK(limits_part_way(curve, part, whole, 1.0) == AxisLimits{});
  SECTION("by ratios on a logarithmic axis") {
    FigureView near, far;
    near.x_scale = far.x_scale = AxisScale::log10;
    near.x = Range{1, 10};
    far.x = Range{1, 1000};
    CHECK(limits_part_way(curve, near, far, 0.5).x->max == Approx(100));
  }
  SECTION("and on a map, whose cells reach half a cell further") {
    Heatmap map;
    map.values =
        std::make_shared<const Array>(Array{.shape = {4, 4}, .values = std::vector<double>(16)});
    const Figure figure{.id = "f", .content = map};
    const auto limits = limits_part_way(figure, whole, part, 0.0);
    CHECK(limits.x == Range{-0.5, 3.5});
  }
}

TEST_CASE("What is on screen is copied as a step that reads back as the same settings") {
  ExperimentState state{.experiment = &find_experiment("long_term_decay"),
                        .params = ParamSet(find_experiment("long_term_decay").info.params)};
  state.params.set("base", "500");
  state.figure = "decay_bound";
  const std::string text = step_text(state);
  const ParsedLesson parsed = parse_lesson(
      "# T\n\n```lesson\nnumber: 1\nminutes: 5\nmisconception: None.\n```\n\n" + text, "t.md");
  // What is missing is what an author writes: prose, and the card of a last step.
  for (const Problem& problem : parsed.problems) CHECK(problem.line == 9);
  REQUIRE(parsed.lesson.steps.size() == 1);
  const LessonStep& step = parsed.lesson.steps.front();
  CHECK(step.state.params == state.params);
  CHECK(step.state.figure == "decay_bound");
  CHECK(step.controls == std::vector<std::string>{"base"});
  CHECK(read_state(state_in(text)).params == state.params);
  CHECK(state_in("experiment = \"rotation\"\n") == "experiment = \"rotation\"\n");
}

}  // namespace orrery
