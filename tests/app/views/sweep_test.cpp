// A number swept in place.
#include <GLFW/glfw3.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "app/session/session_toml.h"
#include "app/shell/start.h"
#include "experiments/combine/combine.h"
#include "tests/app/fixture.h"
#include "tests/cli/shell.h"

namespace orrery {
namespace {

using Names = std::vector<std::string>;

void shift_drag(test::NullDesktop& desktop, Point from, Point to) {
  shim::inject_shift(desktop.io(), true);
  desktop.drag(from, to);
  shim::inject_shift(desktop.io(), false);
  desktop.frame();
}

/// A curve of n times 1, 2, 3, and a map of n.
Result curve_and_map(const ParamSet& params) {
  const auto n = static_cast<double>(params.integer("n"));
  Figure map = test::map("map", 6, 6);
  auto& heatmap = std::get<Heatmap>(map.content);
  heatmap.values = std::make_shared<const Array>(
      Array{.name = "map", .shape = {6, 6}, .values = std::vector<double>(36, n)});
  Result result = test::result_of({test::lines("curve", {{n, 2 * n, 3 * n}}), std::move(map)});
  result.provenance = {.experiment = "curve", .params = {{"n", params.to_text("n")}}};
  return result;
}

struct SweptCurve {
  std::atomic<bool> held{};  ///< whether every n but the default waits
  test::FakeExperiment experiment{
      "curve", {test::n_param()}, [this](const ParamSet& params, Progress& progress) {
        while (held && params.integer("n") != 10) {
          progress.update(0.5, "waiting");
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return curve_and_map(params);
      }};
  Session session{{&experiment}, test::no_files, {}};
  test::NullDesktop desktop{session, 1280, 800};
  SweptCurve() {
    session.select(0);
    session.shown().layout = ViewLayout::single;
    desktop.settle();
  }
  ~SweptCurve() { held = false; }
  void shift_drag_to(double share) {
    shift_drag(desktop, desktop.item("param n", 0.1), desktop.item("param n", share));
  }
  std::vector<Series> curves() const {
    return std::get<LinePlot>(session.on_screen.at(0)->content).series;
  }
  Names names() const {
    Names all;
    for (const Series& series : curves()) all.push_back(series.name);
    return all;
  }
};

TEST_CASE("Shift held while a slider is dragged leaves a curve per value, in ordered colours") {
  SweptCurve curve;
  const std::string before = session_text(document_of(curve.session));
  curve.shift_drag_to(0.8);
  curve.desktop.settle();
  const auto n = curve.session.current().params.integer("n");
  REQUIRE(n > 60);
  const std::vector<Series> curves = curve.curves();
  REQUIRE(curves.size() == sweep_values);
  CHECK(curves.front().name == "n = 10");
  CHECK(curves.back().name == "n = " + std::to_string(n));
  const auto last = static_cast<double>(n);
  CHECK(curves.back().y == std::vector<double>{last, 2 * last, 3 * last});
  for (int i = 0; i < 6; ++i)
    CHECK(curves[static_cast<std::size_t>(i)].shade.value() == Approx(i / 5.0));
  curve.desktop.frame(60);
  CHECK(curve.curves().size() == curves.size());
  CHECK(curve.desktop.app().history().undo_text() == "n = " + std::to_string(n));
  SECTION("Esc takes the sweep back, and the drag that made it") {
    curve.desktop.press(GLFW_KEY_ESCAPE);
    curve.desktop.settle();
    CHECK(curve.names() == Names{"curve 0"});
    CHECK(curve.session.current().params.integer("n") == 10);
  }
  SECTION("so does a click beside everything, or on its chip") {
    const bool chip = GENERATE(true, false);
    curve.desktop.click(chip ? curve.desktop.item("button end sweep") : Point{3, 700});
    curve.desktop.frame();
    CHECK(curve.names().front() == "curve 0");
  }
  SECTION("a click on the figure pins, and the family stays") {
    curve.desktop.click(curve.desktop.in_figure("curve"));
    CHECK(curve.curves().size() == curves.size());
  }
  SECTION("another change ends it, and undo brings back what was before") {
    curve.desktop.press(GLFW_KEY_Z, true);
    curve.desktop.settle();
    CHECK(curve.session.current().params.integer("n") == 10);
    CHECK(curve.names() == Names{"curve 0"});
    CHECK(session_text(document_of(curve.session)) == before);
  }
}

TEST_CASE("A drag without Shift sweeps nothing") {
  SweptCurve curve;
  curve.desktop.drag(curve.desktop.item("param n", 0.1), curve.desktop.item("param n", 0.8));
  curve.desktop.settle();
  CHECK_FALSE(curve.session.swept());
}

TEST_CASE("Whole numbers are each swept once, and one value is no family") {
  SweptCurve curve;
  REQUIRE(curve.session.sweep("n", 10, 13));
  curve.desktop.settle();
  CHECK(curve.names() == Names{"n = 10", "n = 11", "n = 12", "n = 13"});
  CHECK_FALSE(curve.session.sweep("n", 10, 10));
  curve.desktop.settle();
  CHECK(curve.names() == Names{"curve 0"});
}

TEST_CASE("Frames go on while the values are computed, and show those that are there") {
  SweptCurve curve;
  curve.held = true;
  REQUIRE(curve.session.sweep("n", 0, 100));
  curve.desktop.frame(20);
  REQUIRE(curve.session.swept());
  CHECK(curve.session.swept()->done() == 0);
  CHECK(curve.names() == Names{"curve 0"});
  REQUIRE(curve.session.sweep("n", 10, 60));  // the present result is taken over
  curve.desktop.frame(20);
  CHECK(curve.session.swept()->done() == 1);
  curve.held = false;
  curve.desktop.settle();
  CHECK(curve.session.swept()->is_complete());
  CHECK(curve.names() == Names{"n = 10", "n = 20", "n = 30", "n = 40", "n = 50", "n = 60"});
}

TEST_CASE("A map has a panel per value in the same colours, and other layouts say so") {
  SweptCurve curve;
  curve.session.select_figure("map");
  REQUIRE(curve.session.sweep("n", 10, 60));
  curve.desktop.settle();
  const auto& shown = curve.session.on_screen;
  REQUIRE(shown.size() == 6);
  CHECK(shown[0]->title == "n = 10");
  CHECK(std::get<Heatmap>(shown[0]->content).range == Range{10, 60});
  CHECK(std::get<Heatmap>(shown[5]->content).range == Range{10, 60});
}

TEST_CASE("The palette sweeps a number around its value, or between those that are typed") {
  SweptCurve curve;
  const auto titles = [&](const char* typed) {
    Names all;
    for (const auto& entry : palette_matches(curve.session, curve.desktop.app().actions(), typed))
      all.push_back(entry.title);
    return all;
  };
  CHECK(titles("sweep n").front() == "Sweep n from 0 to 35");
  CHECK(titles("sweep n 20 40").front() == "Sweep n from 20 to 40");
  CHECK(titles("sweep n 20 4000").front() == "Sweep n from 20 to 100");
  curve.desktop.app().perform("sweep_parameter");
  curve.desktop.frame(2);
  curve.desktop.type("Sweep n 20 22");
  curve.desktop.press(GLFW_KEY_ENTER);
  curve.desktop.settle();
  CHECK(curve.names() == Names{"n = 20", "n = 21", "n = 22"});
  CHECK(curve.session.current().params.integer("n") == 10);
}

TEST_CASE("The copied command computes the same points, and plot draws the same curves of them") {
  const auto session = start_session(
      {.view = "long_term_decay", .overrides = {"encoding=rope+alibi", "max_distance=64"}}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  session->shown().layout = ViewLayout::single;
  const char* figure = GENERATE("decay_bound", "decay_scores");
  session->select_figure(figure);
  desktop.settle();
  shift_drag(desktop, desktop.item("param base", 0.3), desktop.item("param base", 0.6));
  desktop.settle();
  REQUIRE(session->swept());
  const LinePlot shown = std::get<LinePlot>(session->on_screen.at(0)->content);
  desktop.app().perform("copy_command");
  const std::string command = ImGui::GetClipboardText();
  INFO(command);
  REQUIRE(command.starts_with("orrery sweep long_term_decay "));
  const test::Shell shell;
  const test::Outcome outcome = shell.run(command.substr(7) + " --format none --out s");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const SavedSweep saved = load_sweep(shell.folder() / "s");
  CHECK(saved.points.size() == sweep_values);
  const bool dashed = std::string(figure) == "decay_scores";
  const auto pages =
      combined(saved, {.figure = figure, .hue = "base", .dash = dashed ? "encoding" : ""});
  REQUIRE(pages.size() == 1);
  REQUIRE(pages[0].panels.size() == 1);
  const auto& plotted = std::get<LinePlot>(pages[0].panels[0].content);
  REQUIRE(plotted.series.size() == shown.series.size());
  for (std::size_t i = 0; i < plotted.series.size(); ++i) {
    CHECK(plotted.series[i].name == shown.series[i].name);
    CHECK(plotted.series[i].x == shown.series[i].x);
    CHECK(plotted.series[i].y == shown.series[i].y);
    CHECK(plotted.series[i].shade == shown.series[i].shade);
    CHECK(plotted.series[i].style == shown.series[i].style);
  }
  if (dashed) CHECK(shown.series.back().name == "any base, ALiBi");
}

}  // namespace
}  // namespace orrery
