#include "app/views/result_view.h"

#include <GLFW/glfw3.h>

#include <catch2/catch.hpp>

#include "app/start.h"
#include "app/views/catalogue.h"
#include "app/views/comparison.h"
#include "tests/app/fixture.h"

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

double first_value(const std::vector<Figure>& figures) {
  return std::get<LinePlot>(figures.at(0).content).series.at(0).y.at(0);
}

TEST_CASE("Every layout draws, at every size") {
  Three three;
  for (const auto& [width, height] : {std::pair(1280, 800), std::pair(300, 900), std::pair(2, 2)}) {
    three.desktop.io().DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
    for (const ViewLayout layout :
         {ViewLayout::single, ViewLayout::side_by_side, ViewLayout::small_multiples}) {
      three.session.shown().layout = layout;
      three.desktop.frame(3);
      CHECK(three.desktop.vertices() > 0);
    }
  }
}

TEST_CASE("The layout is chosen at the top right of the view") {
  Three three;
  // From the right: pin as reference, small multiples, side by side, single.
  const auto click_until = [&](ViewLayout wanted) {
    for (double x = 965; x > 700; x -= 8) {
      three.desktop.click({x, 80});
      if (three.session.shown().layout == wanted) return true;
    }
    return false;
  };
  CHECK(click_until(ViewLayout::small_multiples));
  CHECK(click_until(ViewLayout::side_by_side));
  CHECK(three.session.shown().reference);  // the button was on the way
}

TEST_CASE("A reference stays while the result changes, and is subtracted") {
  Three three;
  ViewState& shown = three.session.shown();
  shown.reference = three.session.current().result;
  REQUIRE(three.session.set("n", "13"));
  three.desktop.settle();
  const auto result = three.session.current().result;
  Comparison comparison;
  CHECK(first_value(comparison.figures(result, shown, false)) == 13);
  CHECK(comparison.kind() == Comparison::Kind::result);
  CHECK(first_value(comparison.figures(result, shown, true)) == 10);
  CHECK(comparison.kind() == Comparison::Kind::reference);
  shown.difference = true;
  CHECK(first_value(comparison.figures(result, shown, false)) == 3);
  CHECK(comparison.kind() == Comparison::Kind::difference);
  CHECK(first_value(comparison.figures(result, shown, true)) == 10);
}

TEST_CASE("Holding R shows the reference, letting go the result") {
  Three three;
  three.session.shown().reference = three.session.current().result;
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

TEST_CASE("F6 brings the keyboard to the figures, Tab goes round them") {
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
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  // The rule is somewhere on the plot's middle row; a drag on anything else pans.
  for (double x = 420; x < 800 && session->current().params.integer("distance") == 120; x += 4) {
    session->view("decay_bound") = {};
    desktop.frame();
    desktop.drag({x, 300}, {x + 60, 300});
  }
  CHECK(session->current().params.integer("distance") > 120);
  CHECK(session->current().params.integer("distance") < 170);
  CHECK_FALSE(session->view("decay_bound").x);
}

TEST_CASE(
    "The rules that views bind are rules of their experiments' figures, for parameters of theirs") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  std::size_t bound = 0;
  for (std::size_t i = 0; i < session->size(); ++i) {
    session->select(i);
    desktop.settle();
    const ExperimentState& state = session->current();
    for (const BoundRule& rule : view_plan(state.experiment->info().name).rules) {
      INFO(state.experiment->info().name << " " << rule.figure);
      CHECK_NOTHROW(state.params.spec(rule.param));
      bool found = false;
      for (const Figure& figure : state.result->figures)
        found = found || (figure.id == rule.figure && rule_of(figure, rule.direction) != nullptr);
      CHECK(found);
      ++bound;
    }
  }
  CHECK(bound > 0);
}

Figure named(Figure figure, std::string id) {
  figure.id = std::move(id);
  return figure;
}

TEST_CASE("Terms are seen beside their sum: small multiples of one encoding at a time") {
  const test::FakeExperiment experiment(
      "score_decomposition", {test::n_param()}, [](const ParamSet&, Progress&) {
        Result result;
        for (const char* id : {"term_rope_content", "logits_rope", "term_alibi_content",
                               "term_alibi_linear_bias", "logits_alibi"}) {
          result.figures.push_back(named(test::map(id, 4, 4), id));
          result.arrays.push_back(std::get<Heatmap>(result.figures.back().content).values);
        }
        return result;
      });
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
  CHECK(drawn() == "logits_rope term_rope_content ");
  session.select_figure("alibi");
  desktop.frame();
  CHECK(drawn() == "logits_alibi term_alibi_content term_alibi_linear_bias ");
}

TEST_CASE("Export is offered where somebody takes it") {
  Three three;
  std::string asked;
  three.session.export_figure = [&](const Figure& figure, const FigureView&,
                                    const std::string& extension) {
    asked = figure.id + "." + extension;
  };
  three.desktop.frame(2);
  const Point corner{400, 200};
  three.desktop.click(corner, 1);
  for (double y = corner.y + 280; y > corner.y && asked.empty(); y -= 5)
    for (double x = corner.x + 90; x < corner.x + 260 && asked.empty(); x += 10) {
      three.desktop.click({x, y});
      if (!ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel))
        three.desktop.click(corner, 1);
    }
  CHECK(asked.starts_with("first."));
}

}  // namespace
}  // namespace orrery
