#include "app/panels/result_browser.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <limits>

#include "app/session/file_targets.h"
#include "app/session/session_toml.h"
#include "app/shell/start.h"
#include "experiments/combine/combine.h"
#include "experiments/combine/sweep_overview.h"
#include "tests/app/fixture.h"
#include "tests/cli/shell.h"

namespace orrery {
namespace {

using Catch::Contains;
using namespace std::string_literals;

/// A sweep of three points over dim.
std::filesystem::path made_sweep(const test::Shell& shell) {
  std::ofstream(shell.folder() / "s.toml")
      << "experiment = \"long_term_decay\"\n[params]\nmax_distance = 32\n[sweep]\n"
         "dim = [16, 4, 128]\n";
  REQUIRE(shell.run("sweep s.toml --out sweep --format svg").status == 0);
  return shell.folder() / "sweep";
}

/// A sweep of three points over dim, of which the browser is opened, in a desktop without a screen.
struct Browsing {
  test::Shell shell{};
  std::unique_ptr<Session> session{start_session({}, {})};
  test::NullDesktop desktop{*session, 1280, 800};

  Browsing() {
    made_sweep(shell);
    desktop.settle();
  }
  std::filesystem::path folder() const { return shell.folder() / "sweep"; }
  void open(const std::filesystem::path& path) {
    desktop.app().drop({path.string()});
    desktop.settle();
  }
  ResultBrowser& browser() { return const_cast<ResultBrowser&>(desktop.app().browser()); }
  const ExperimentState& shown() { return browser().session().current(); }
};

std::string dim_of(const Result& result) {
  for (const auto& [key, value] : result.provenance.params)
    if (key == "dim") return value;
  return {};
}

TEST_CASE("A sweep's folder shows its points, and those that are chosen with their figures") {
  Browsing browsing;
  browsing.open(browsing.folder());
  CHECK(browsing.browser().shows_all());
  browsing.browser().choose(0);
  browsing.desktop.settle();
  REQUIRE(browsing.desktop.app().is_browsing());
  const SweepIndex& folder = *browsing.browser().folder();
  REQUIRE(folder.points.size() == 3);
  CHECK(folder.points[0].label == "dim=16");
  CHECK_FALSE(folder.points[0].checks.empty());
  CHECK(folder.points[0].failing_checks() == 0);
  CHECK(folder.scalars.size() > 3);
  CHECK_THAT(browsing.browser().summary(), Contains("3 points, 3 done"));
  REQUIRE(browsing.shown().result);
  CHECK(dim_of(*browsing.shown().result) == "16");
  CHECK_FALSE(browsing.shown().result->figures.empty());
  CHECK_FALSE(browsing.browser().session().on_screen.empty());
  CHECK(browsing.session->recent.front() == browsing.folder().string());
}

TEST_CASE("A sweep opens with its points drawn together, page by page, as its report draws them") {
  Browsing browsing;
  REQUIRE(browsing.shell.run("note sweep --tag baseline").status == 0);
  browsing.open(browsing.folder());
  REQUIRE(browsing.browser().shows_all());
  const Result& result = *browsing.shown().result;
  REQUIRE(result.figures.size() > 3);
  const auto& bound = std::get<LinePlot>(result.figures.at(0).content);
  CHECK(result.figures.at(0).id == "decay_scores");
  CHECK(bound.series.size() == 3);  // one curve per dim
  CHECK(browsing.browser().session().on_screen.size() == 1);
  browsing.desktop.click(browsing.desktop.item("button next figure"));
  browsing.desktop.frame(2);
  CHECK(browsing.browser().session().on_screen.at(0)->id == result.figures.at(1).id);
  browsing.desktop.app().perform("next_figure");
  browsing.desktop.frame(2);
  CHECK(browsing.browser().session().on_screen.at(0)->id == result.figures.at(2).id);
  CHECK(sweep_facts(browsing.folder()).back() == std::pair("tags"s, "baseline"s));
  // Another look at the folder keeps what is shown, and so does the next start.
  browsing.open(browsing.folder());
  CHECK(browsing.browser().shows_all());
  CHECK(browsing.session->saved.point == browsing.folder().string());
  browsing.browser().choose(0);
  browsing.desktop.settle();
  CHECK(dim_of(*browsing.shown().result) == "16");
}

/// The long-term decay of two values of dim and of base, with two seeds each.
std::filesystem::path crossed_sweep(const test::Shell& shell) {
  REQUIRE(shell
              .run("sweep long_term_decay max_distance=32 dim=8,16 base=100,10000 "
                   "assumption=random --repeats 2 --out crossed --format none")
              .status == 0);
  return shell.folder() / "crossed";
}

std::vector<std::string> titles_on_screen(const Session& session) {
  std::vector<std::string> titles;
  for (const Figure* figure : session.on_screen) titles.push_back(figure->title);
  return titles;
}

TEST_CASE("Colours and panels of a sweep are chosen, kept, undone, and copied as a command") {
  Browsing browsing;
  const std::filesystem::path folder = crossed_sweep(browsing.shell);
  browsing.open(folder);
  REQUIRE(browsing.browser().shows_all());
  const Drawing pages = overview(load_sweep(folder), most_overview_pages);
  CHECK(browsing.shown().result->figures.front().id ==
        figures_of(pages.pages.front().panels)[0].id);
  browsing.desktop.frame(60);
  browsing.desktop.click(browsing.desktop.item("list colours"));
  browsing.desktop.click(browsing.desktop.item("colours base"));
  browsing.desktop.settle();
  CHECK(browsing.browser().hue() == "base");
  const auto& plot = std::get<LinePlot>(browsing.shown().result->figures.front().content);
  CHECK(plot.series.front().name == "base = 100");
  // Repeats of a random measure are shaded.
  const auto& figures = browsing.shown().result->figures;
  CHECK(std::any_of(figures.begin(), figures.end(), [](const Figure& figure) {
    const auto* lines = std::get_if<LinePlot>(&figure.content);
    return lines && figure.id.find("_over_") != std::string::npos &&
           !lines->series.front().band_low.empty();
  }));
  CHECK(std::any_of(figures.begin(), figures.end(), [](const Figure& figure) {
    return std::holds_alternative<Heatmap>(figure.content);
  }));
  browsing.desktop.app().perform("copy_command");
  CHECK(ImGui::GetClipboardText() == "orrery plot " + folder.string() + " hue=base");
  CHECK_THAT(session_text(document_of(*browsing.session)), Contains("hue = \"base\""));
  browsing.desktop.app().perform("undo");
  browsing.desktop.settle();
  CHECK(browsing.browser().hue().empty());
  CHECK_FALSE(titles_on_screen(browsing.browser().session()).empty());
}

TEST_CASE("Choosing a point loads it; its settings open live, or it is the reference") {
  Browsing browsing;
  browsing.open(browsing.folder());
  browsing.browser().choose(2);
  browsing.desktop.settle();
  REQUIRE(dim_of(*browsing.shown().result) == "128");
  SECTION("live") {
    browsing.desktop.click(browsing.desktop.item("button Open these settings live"));
    browsing.desktop.settle();
    CHECK_FALSE(browsing.desktop.app().is_browsing());
    CHECK(browsing.session->current().experiment->info.name == "long_term_decay");
    CHECK(browsing.session->current().params.integer("dim") == 128);
    CHECK(browsing.session->current().params.integer("max_distance") == 32);
  }
  SECTION("as reference") {
    browsing.desktop.click(browsing.desktop.item("button Pin as reference of the live view"));
    browsing.desktop.settle();
    CHECK_FALSE(browsing.desktop.app().is_browsing());
    REQUIRE(browsing.session->current().shown.references.size() == 1);
    CHECK(dim_of(*browsing.session->current().shown.references.front()) == "128");
  }
}

TEST_CASE("What the browser shows is undone and redone, and found again at the next start") {
  Browsing browsing;
  browsing.open(browsing.folder());
  browsing.browser().choose(2);
  browsing.desktop.settle();
  App& app = browsing.desktop.app();
  const auto pass_pause = [&] { browsing.desktop.frame(60); };  // steps apart in time
  pass_pause();
  app.perform("saved_results");
  app.perform("next_view");
  browsing.desktop.settle();
  CHECK_FALSE(app.is_browsing());
  pass_pause();
  app.perform("undo");
  browsing.desktop.settle();
  CHECK(app.is_browsing());
  CHECK(dim_of(*browsing.shown().result) == "128");
  const std::string kept = session_text(document_of(*browsing.session));
  // Back to before anything was opened, and forth again.
  while (app.history().can_undo()) {
    app.perform("undo");
    browsing.desktop.settle();
  }
  CHECK_FALSE(app.is_browsing());
  CHECK_FALSE(browsing.browser().folder());
  CHECK_FALSE(browsing.shown().result);
  for (int i = 0; i < 2; ++i) {
    app.perform("redo");
    browsing.desktop.settle();
  }
  REQUIRE(browsing.browser().folder());
  CHECK(browsing.browser().folder()->folder == browsing.folder());

  const auto next = start_session({}, {});
  CHECK(apply_session_text(*next, kept).empty());
  CHECK(next->saved.on_screen);
  CHECK(next->saved.folder == browsing.folder());
  CHECK(next->saved.point == browsing.browser().folder()->points[2].folder);
}

TEST_CASE("The next start opens the folder and the point that were open, or says what is missing") {
  const auto start = [](const SavedShown& saved, const auto& check) {
    const auto session = start_session({}, {});
    session->saved = saved;
    test::NullDesktop desktop(*session, 1280, 800);
    desktop.settle();
    check(desktop.app().browser());
  };
  const test::Shell shell;
  const std::filesystem::path folder = made_sweep(shell);
  const std::string point = read_index(folder).points.at(1).folder;
  start({.on_screen = true, .folder = folder.string(), .point = point},
        [](const ResultBrowser& browser) {
          REQUIRE(browser.session().current().result);
          CHECK(dim_of(*browser.session().current().result) == "4");
        });
  start({.on_screen = true, .folder = "/nowhere/at/all", .point = ""},
        [](const ResultBrowser& browser) {
          CHECK_FALSE(browser.folder());
          CHECK_THAT(browser.session().current().message, Contains("/nowhere/at/all"));
        });
}

TEST_CASE("A damaged point is a message, and the picture stays") {
  Browsing browsing;
  browsing.open(browsing.folder());
  const std::shared_ptr<const Result> before = browsing.shown().result;
  const std::filesystem::path point = browsing.browser().folder()->points[1].folder;
  std::ofstream(point / "result.json", std::ios::app) << "x";
  browsing.browser().choose(1);
  browsing.desktop.settle();
  CHECK_THAT(browsing.shown().message, Contains("result.json") && Contains("damaged"));
  CHECK(browsing.shown().result == before);
}

TEST_CASE("A damaged sweep is a message, and what was open stays") {
  Browsing browsing;
  browsing.open(browsing.folder());
  std::ofstream(browsing.folder() / "plan.json", std::ios::trunc) << "{";
  browsing.open(browsing.folder());
  CHECK_THAT(browsing.shown().message, Contains("plan.json"));
  CHECK(browsing.browser().folder()->points.size() == 3);
  CHECK(browsing.shown().result);
}

TEST_CASE("An interrupted sweep lists what its journal knows") {
  Browsing browsing;
  std::filesystem::remove(browsing.folder() / "results.jsonl");
  std::filesystem::remove_all(read_index(browsing.folder()).points[1].folder);
  browsing.open(browsing.folder());
  const SweepIndex& folder = *browsing.browser().folder();
  CHECK(folder.points[0].status == PointStatus::done);
  CHECK(folder.points[1].status == PointStatus::pending);
  CHECK(folder.points[2].status == PointStatus::done);
  CHECK(folder.points[2].scalars.size() > 3);
  browsing.browser().choose(1);
  CHECK_THAT(browsing.shown().message, Contains("no result yet"));
}

TEST_CASE("Every size of window shows the browser") {
  Browsing browsing;
  browsing.open(browsing.folder());
  for (const auto& [width, height] :
       {std::pair(1, 1), std::pair(300, 900), std::pair(3840, 2160)}) {
    browsing.desktop.io().DisplaySize =
        ImVec2(static_cast<float>(width), static_cast<float>(height));
    browsing.desktop.frame(3);
    const bool has_room = width > 1;
    CHECK(browsing.browser().session().on_screen.empty() != has_room);
  }
}

SweepIndex three_points() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto point = [](std::string label, PointStatus status, double value, std::size_t holding) {
    PointRecord record{
        .label = std::move(label), .status = status, .scalars = {{.name = "a", .value = value}}};
    for (std::size_t i = 0; i < 4; ++i)
      record.checks.push_back({.measured = i < holding ? 0.0 : 2.0, .bound = 1.0});
    return record;
  };
  return {.is_sweep = true,
          .points = {point("dim=128", PointStatus::done, 2, 4),
                     point("dim=64", PointStatus::failed, nan, 1),
                     point("dim=8", PointStatus::done, 1, 2)},
          .scalars = {"a"}};
}

using Places = std::vector<std::size_t>;

TEST_CASE("Points are sorted by every column, numbers as numbers and NaN last") {
  const SweepIndex folder = three_points();
  CHECK(ordered_points(folder, {}) == Places{0, 1, 2});
  CHECK(ordered_points(folder, {.column = 0}) == Places{2, 1, 0});
  CHECK(ordered_points(folder, {.column = 0, .descending = true}) == Places{0, 1, 2});
  CHECK(ordered_points(folder, {.column = 1}) == Places{0, 2, 1});
  CHECK(ordered_points(folder, {.column = 2}) == Places{1, 2, 0});
  CHECK(ordered_points(folder, {.column = 3}) == Places{2, 0, 1});
  CHECK(ordered_points(folder, {.column = 3, .descending = true}) == Places{0, 2, 1});
  CHECK(ordered_points(folder, {.column = 99}) == Places{0, 1, 2});
}

TEST_CASE("A filter keeps the points that hold all of its words") {
  const SweepIndex folder = three_points();
  CHECK(ordered_points(folder, {.filter = "DIM=8"}) == Places{2});
  CHECK(ordered_points(folder, {.filter = "failed 64"}) == Places{1});
  CHECK(ordered_points(folder, {.filter = "failed 128"}).empty());
}

}  // namespace
}  // namespace orrery
