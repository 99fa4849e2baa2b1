// References on screen.
#include <GLFW/glfw3.h>

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <set>

#include "app/dialogs/export_dialog.h"
#include "app/session/references.h"
#include "app/shell/start.h"
#include "app/views/readout.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

/// A curve of n times 1, 2, 3, and a map.
struct Curve {
  test::FakeExperiment experiment{
      "curve", {test::n_param()}, [](const ParamSet& params, Progress&) {
        const auto n = static_cast<double>(params.integer("n"));
        Result result =
            test::result_of({test::lines("curve", {{n, 2 * n, 3 * n}}), test::map("map", 6, 6)});
        result.provenance = {.experiment = "curve", .params = {{"n", params.to_text("n")}}};
        return result;
      }};
  Session session{{&experiment}, test::no_files, {}};
  test::NullDesktop desktop{session, 1280, 800};
  Curve() {
    session.select(0);
    desktop.settle();
  }
  void set(const char* n) {
    REQUIRE(session.set("n", n));
    desktop.settle();
  }
  void pin(const char* n) {
    set(n);
    desktop.app().perform("pin_reference");
    desktop.frame(2);
  }
  std::multiset<std::string> ghosts() const {
    std::multiset<std::string> names;
    for (const auto& entry : desktop.app().item_rects().figure("curve")->ghost_names)
      names.insert(entry.series);
    return names;
  }
  const LinePlot& shown_plot() const {
    return std::get<LinePlot>(session.on_screen.at(0)->content);
  }
};

using Set = std::multiset<std::string>;

TEST_CASE("Pinned results stay behind the present one, up to four, each with its own name") {
  Curve curve;
  for (const char* n : {"10", "20", "30", "40"}) curve.pin(n);
  CHECK(curve.ghosts() == Set{"n 10", "n 20", "n 30"});  // the fourth is what is shown
  curve.set("50");
  CHECK(curve.ghosts() == Set{"n 10", "n 20", "n 30", "n 40"});
  curve.desktop.app().perform("pin_reference");
  CHECK(curve.session.note() == "Pinned in place of the oldest reference, n 10");
  curve.set("60");
  CHECK(curve.ghosts() == Set{"n 20", "n 30", "n 40", "n 50"});
  CHECK(std::get<LinePlot>(curve.session.current().result->figures[0].content).series.size() == 1);
}

TEST_CASE("Ghosts widen the automatic range and are read beside the curve") {
  Curve curve;
  curve.pin("100");
  curve.set("10");
  const FigureLayout& frame = *curve.desktop.app().item_rects().figure("curve");
  CHECK(frame.y.data.max >= 300);
  const auto readout = read_lines_at(curve.shown_plot(), frame, {}, 2.0);
  REQUIRE(readout);
  REQUIRE(readout->entries.size() == 2);
  CHECK(readout->entries[0].name == "n 100");
  CHECK(readout->entries[0].value == 300);
  CHECK(readout->entries[0].color == ghost_slot);
  CHECK(readout->entries[1].value == 30);
}

TEST_CASE("A figure is exported with the ghosts that are on screen") {
  Curve curve;
  curve.pin("100");
  curve.set("10");
  const std::vector<ShownFigure> shown = figures_on_screen(curve.session);
  REQUIRE(!shown.empty());
  CHECK_THAT(export_bytes(shown[0], "csv", Theme::light), Catch::StartsWith("x,curve 0,n 100\r\n"));
  CHECK_THAT(export_bytes(shown[0], "svg", Theme::light), Catch::Contains(">n 100</text>"));
}

TEST_CASE("A chip names each reference and removes it; all are removed at once by an action") {
  Curve curve;
  curve.pin("20");
  curve.pin("30");
  curve.set("10");
  curve.desktop.click(curve.desktop.item("reference 1"));
  curve.desktop.frame(2);
  CHECK(curve.ghosts() == Set{"n 30"});
  curve.pin("40");
  curve.set("10");
  curve.desktop.app().perform("unpin_references");
  curve.desktop.frame(2);
  CHECK(curve.ghosts().empty());
  CHECK(curve.session.current().shown.references.empty());
  curve.desktop.app().perform("difference");
  CHECK_FALSE(curve.session.current().shown.difference);
}

TEST_CASE("References are pinned, subtracted and unpinned by keys, and layouts chosen") {
  Curve curve;
  curve.desktop.press(GLFW_KEY_P);
  CHECK(curve.session.current().shown.references.size() == 1);
  curve.desktop.press(GLFW_KEY_D);
  CHECK(curve.session.current().shown.difference);
  curve.desktop.press(GLFW_KEY_P, false, true);
  CHECK(curve.session.current().shown.references.empty());
  CHECK_FALSE(curve.session.current().shown.difference);
  const std::pair<int, ViewLayout> keys[] = {{GLFW_KEY_3, ViewLayout::small_multiples},
                                             {GLFW_KEY_2, ViewLayout::side_by_side},
                                             {GLFW_KEY_1, ViewLayout::single}};
  for (const auto& [key, layout] : keys) {
    curve.desktop.press(key);
    CHECK(curve.session.current().shown.layout == layout);
  }
}

TEST_CASE("A hidden curve's ghosts are hidden with it") {
  Curve curve;
  curve.pin("20");
  curve.set("10");
  curve.session.view("curve").hidden = {"curve 0"};
  curve.desktop.frame(2);
  CHECK(curve.ghosts().empty());
}

TEST_CASE("At every size the chips stay in the row, or leave it") {
  Curve curve;
  for (const char* n : {"10", "20", "30", "40"}) curve.pin(n);
  curve.set("50");
  for (int width = 1600; width > 200; width -= 90) {
    curve.desktop.io().DisplaySize = ImVec2(static_cast<float>(width), 700.0f);
    curve.desktop.frame(3);
    INFO(width);
    const auto difference = curve.desktop.app().item_rects().find("button Difference");
    if (!difference) continue;
    CHECK(difference->right() <= width);
    double before = 0;
    for (int i = 1; i <= 4; ++i)
      if (const auto chip = curve.desktop.app().item_rects().find(fmt::format("reference {}", i))) {
        CHECK(chip->x >= before);
        CHECK(chip->right() <= difference->x);
        before = chip->right();
      }
  }
}

TEST_CASE("A difference says what is subtracted from what") {
  const auto session = start_session({.view = "attention_map", .overrides = {"encoding=rope"}}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  desktop.app().perform("pin_reference");
  desktop.app().perform("difference");
  session->set("encoding", "alibi");
  desktop.settle();
  CHECK_THAT(session->on_screen.at(0)->title, Catch::StartsWith("ALiBi − RoPE"));
  session->set("encoding", "rope");
  session->set("base", "500000");
  desktop.settle();
  CHECK_THAT(session->on_screen.at(0)->title,
             Catch::StartsWith("base 500\u2009000 − base 10\u2009000"));
}

}  // namespace
}  // namespace orrery
