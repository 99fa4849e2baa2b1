#include "app/dialogs/export_dialog.h"

#include <GLFW/glfw3.h>

#include <catch2/catch.hpp>
#include <optional>
#include <utility>

#include "tests/app/fixture.h"
#include "tests/cli/shell.h"

namespace orrery {
namespace {

/// A desktop over a result that names its experiment.
struct Desk {
  explicit Desk(std::string of) : name(std::move(of)) {
    session.select(0);
    desktop.app().exports().write_with([this](const ExportRequest& request) {
      asked = request;
      return ExportOutcome{.written = {request.path}};
    });
    desktop.settle();
  }
  void open() {
    desktop.press(GLFW_KEY_E, true);
    REQUIRE(desktop.app().exports().is_open());
  }
  /// With the keyboard alone: from the field of the path to the box above it, and back.
  void turn_formulas() {
    for (const int key :
         {GLFW_KEY_UP, GLFW_KEY_RIGHT, GLFW_KEY_SPACE, GLFW_KEY_DOWN, GLFW_KEY_ENTER})
      desktop.press(key);
  }
  /// In the field of the path, which has the keyboard at the beginning.
  void press_enter() {
    desktop.press(GLFW_KEY_ENTER);
    while (desktop.app().exports().is_writing()) desktop.frame();
    desktop.frame(3);
  }
  ExportRequest enter() {
    asked.reset();
    press_enter();
    REQUIRE(asked);
    return *asked;
  }

  std::string name;
  std::optional<ExportRequest> asked{};
  test::FakeExperiment experiment{
      "one", {test::n_param()}, [this](const ParamSet&, Progress&) {
        Result result = test::result_of({test::lines("curve", {{1, 2, 3}})});
        result.provenance.experiment = name;
        return result;
      }};
  Session session{{&experiment}, test::no_files, {}};
  test::NullDesktop desktop{session, 1280, 800};
};

TEST_CASE("Pictures get their formulas, until the box says otherwise, and it is remembered") {
  Desk desk("spectrum");
  desk.open();
  ExportRequest request = desk.enter();
  CHECK(request.formulas);
  CHECK(request.format == "png");
  CHECK(request.figures.front().formulas.size() == formulas_of({"spectrum"}).size());
  CHECK_FALSE(desk.desktop.app().exports().is_open());

  desk.open();
  desk.turn_formulas();
  CHECK_FALSE(desk.enter().formulas);

  desk.open();
  CHECK_FALSE(desk.enter().formulas);

  desk.open();
  desk.turn_formulas();
  CHECK(desk.enter().formulas);
}

TEST_CASE("Enter exports also after a click on a format") {
  Desk desk("spectrum");
  desk.open();
  desk.desktop.frame(3);
  desk.desktop.click(desk.desktop.item("format pdf", 0.1));
  CHECK(desk.enter().format == "pdf");
  CHECK_FALSE(desk.desktop.app().exports().is_open());
}

TEST_CASE("The box changes the bytes that are written") {
  const TempFolder folder;
  const auto written = [&](bool turned, const std::string& experiment) {
    Desk desk(experiment);
    desk.desktop.app().exports().write_with([&](const ExportRequest& request) {
      ExportRequest here = request;
      here.path = folder.path() / (experiment + (turned ? "-turned.png" : ".png"));
      return export_figures(here);
    });
    desk.open();
    if (turned) desk.turn_formulas();
    desk.press_enter();
    return test::content(folder.path() / (experiment + (turned ? "-turned.png" : ".png")));
  };
  const std::string with = written(false, "spectrum"), without = written(true, "spectrum");
  CHECK(with.starts_with("\x89PNG"));
  CHECK(without.starts_with("\x89PNG"));
  CHECK(with != without);
  // An experiment without formulas has no box: the same keys turn nothing.
  CHECK(written(false, "nothing to set") == without);
}

}  // namespace
}  // namespace orrery
