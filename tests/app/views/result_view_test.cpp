#include "app/views/result_view.h"

#include <GLFW/glfw3.h>

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "app/session/number_scale.h"
#include "app/shell/start.h"
#include "app/views/figure_stage.h"
#include "tests/app/fixture.h"
#include "tests/support/sampled.h"

namespace orrery {
namespace {

/// Three figures whose curves are n times 1, 2, 3.
struct Three {
  test::FakeExperiment experiment{
      "three", {test::n_param()}, [](const ParamSet& params, Progress&) {
        const auto n = static_cast<double>(params.integer("n"));
        return test::result_of({test::lines("first", {{n, 2 * n, 3 * n}}),
                                test::lines("second", {{1, 2, 3}}), test::map("third", 6, 6)});
      }};
  Session session{{&experiment}, test::no_files, {}};
  test::NullDesktop desktop{session, 1280, 800};
  Three() {
    session.select(0);
    desktop.settle();
  }
};

double first_value(const StagedFigures& staged) {
  return std::get<LinePlot>(staged.figures.at(0)->content).series.at(0).y.at(0);
}

TEST_CASE("A layout draws as many figures as it says, at every size") {
  Three three;
  const std::pair<ViewLayout, std::size_t> layouts[] = {
      {ViewLayout::single, 1}, {ViewLayout::side_by_side, 2}, {ViewLayout::small_multiples, 3}};
  for (const auto& [width, height] : {std::pair(1280, 800), std::pair(300, 900), std::pair(2, 2)}) {
    three.desktop.io().DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
    for (const auto& [layout, figures] : layouts) {
      three.session.shown().layout = layout;
      three.desktop.frame(3);
      INFO(width << "x" << height << " " << layout_name(layout));
      const bool has_room = width > 2;
      CHECK(three.session.on_screen.size() == (has_room ? figures : 0));
    }
  }
}

TEST_CASE("The layout is chosen at the top right of the view, and the reference beside it") {
  Three three;
  for (const ViewLayout layout :
       {ViewLayout::small_multiples, ViewLayout::side_by_side, ViewLayout::single}) {
    three.desktop.click(three.desktop.item(fmt::format("layout {}", layout_name(layout))));
    CHECK(three.session.shown().layout == layout);
  }
  CHECK(three.session.shown().references.empty());
  three.desktop.click(three.desktop.item("button Pin as reference"));
  CHECK(three.session.shown().references.size() == 1);
}

TEST_CASE("A reference stays while the result changes, and is subtracted") {
  Three three;
  ViewState& shown = three.session.shown();
  shown.references = {three.session.current().result};
  REQUIRE(three.session.set("n", "13"));
  three.desktop.settle();
  FigureStage stage;
  const auto staged = [&](bool flipped) {
    return stage.figures(stage_request(three.session, flipped, nullptr));
  };
  CHECK(first_value(staged(false)) == 13);
  CHECK(staged(false).origin == FigureOrigin::result);
  CHECK(first_value(staged(true)) == 10);
  CHECK(staged(true).origin == FigureOrigin::reference);
  shown.difference = true;
  CHECK(first_value(staged(false)) == 3);
  CHECK(staged(false).origin == FigureOrigin::difference);
  CHECK(first_value(staged(true)) == 10);
}

TEST_CASE("Holding R shows the reference, letting go the result") {
  Three three;
  three.session.shown().references = {three.session.current().result};
  REQUIRE(three.session.set("n", "100"));  // other tick labels: other vertices
  three.desktop.settle();
  const std::size_t result = three.desktop.vertices();
  shim::inject_key(three.desktop.io(), GLFW_KEY_R, true);
  three.desktop.frame(2);
  const std::size_t reference = three.desktop.vertices();
  shim::inject_key(three.desktop.io(), GLFW_KEY_R, false);
  three.desktop.frame(2);
  CHECK(reference != result);
  CHECK(three.desktop.vertices() == result);
}

/// Which figure the keyboard moves: its id, or empty.
std::string moved_by_key(Three& three) {
  for (const char* id : {"first", "second", "third"}) three.session.view(id) = {};
  shim::inject_text(three.desktop.io(), "+");
  three.desktop.frame(2);
  std::string moved;
  for (const char* id : {"first", "second", "third"})
    if (three.session.view(id).x) moved += id;
  return moved;
}

TEST_CASE("F6 focuses the first figure, Tab the next ones in turn") {
  Three three;
  three.session.shown().layout = ViewLayout::small_multiples;
  three.desktop.frame(2);
  const auto press = [&](int key) {
    shim::inject_key(three.desktop.io(), key, true);
    three.desktop.frame();
    shim::inject_key(three.desktop.io(), key, false);
    three.desktop.frame(2);
  };
  CHECK(moved_by_key(three).empty());
  press(GLFW_KEY_F6);
  CHECK(moved_by_key(three) == "first");
  press(GLFW_KEY_TAB);
  CHECK(moved_by_key(three) == "second");
  press(GLFW_KEY_TAB);
  CHECK(moved_by_key(three) == "third");
  press(GLFW_KEY_TAB);
  CHECK(moved_by_key(three) == "first");
}

TEST_CASE("A bound reference line is dragged to set its parameter") {
  const auto session =
      start_session({.view = "long_term_decay", .overrides = {"distance=120"}}, {});
  session->select_figure("decay_bound");
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  const FigureLayout& frame = *desktop.app().item_rects().figure("decay_bound");
  const Point on_rule{std::round(frame.x.to_canvas(120)), desktop.in_figure("decay_bound").y};
  desktop.drag(on_rule, {on_rule.x + 60, on_rule.y});
  CHECK(session->current().params.integer("distance") > 120);
  CHECK(session->current().params.integer("distance") < 170);
  CHECK_FALSE(session->view("decay_bound").x);
}

TEST_CASE("Lines that show a parameter show the value of one that their experiment has") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  std::size_t bound = 0;
  for (std::size_t i = 0; i < session->size(); ++i) {
    if (!test::is_tried(i)) continue;
    session->select(i);
    desktop.settle();
    const ExperimentState& state = session->current();
    for (const Figure& figure : state.result->figures) {
      for (const Rule& rule : rules_of(figure)) {
        if (rule.param.empty()) continue;
        INFO(state.experiment->info.name << " " << figure.id << " " << rule.param);
        CHECK(number_shown(*session, state.params.spec(rule.param)) == rule.at);
        ++bound;
      }
    }
  }
  if (test::all_is_tried()) CHECK(bound >= 9);
}

Figure with_role(Figure figure, FigureRole role) {
  figure.role = std::move(role);
  return figure;
}

TEST_CASE("Terms are seen beside their sum: small multiples of one encoding at a time") {
  test::FakeExperiment experiment("terms", {test::n_param()}, [](const ParamSet&, Progress&) {
    Result result;
    const auto add = [&](const char* id, FigureRole role) {
      result.figures.push_back(with_role(test::map(id, 4, 4), std::move(role)));
    };
    add("first_term", {.kind = "term", .encodings = {"rope"}});
    add("first_sum", {.kind = "logits", .encodings = {"rope"}});
    add("second_term", {.kind = "term", .encodings = {"alibi"}});
    add("second_bias", {.kind = "term", .encodings = {"alibi"}});
    add("second_sum", {.kind = "logits", .encodings = {"alibi"}});
    return result;
  });
  experiment.info.view = {.layout = ViewLayout::small_multiples, .grouping = Grouping::by_encoding};
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  desktop.settle();
  const auto drawn = [&] {
    std::string ids;
    for (const auto& [id, marks] : session.current().shown.marks) ids += id + " ";
    session.shown().marks.clear();
    return ids;
  };
  drawn();
  desktop.frame();
  CHECK(drawn() == "first_sum first_term ");
  session.select_figure("alibi");
  desktop.frame();
  CHECK(drawn() == "second_bias second_sum second_term ");
}

TEST_CASE("The menu of a figure exports it") {
  Three three;
  std::string asked;
  three.session.export_figure = [&](const Figure& figure, const FigureView&,
                                    const std::string& extension) {
    asked = figure.id + "." + extension;
  };
  three.desktop.frame(2);
  const Point corner = three.desktop.in_figure("first", 0.2, 0.2);
  three.desktop.click(corner, 1);
  for (double y = corner.y + 420; y > corner.y && asked.empty(); y -= 5)
    for (double x = corner.x + 90; x < corner.x + 260 && asked.empty(); x += 10) {
      three.desktop.click({x, y});
      if (!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel))
        three.desktop.click(corner, 1);
    }
  CHECK(asked.starts_with("first."));
}

}  // namespace
}  // namespace orrery
