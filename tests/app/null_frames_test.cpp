#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "app/shell/start.h"
#include "experiments/files/file.h"
#include "experiments/studies/catalogue.h"
#include "tests/app/fixture.h"
#include "tests/support/sampled.h"

namespace orrery {
namespace {

using namespace std::chrono_literals;

struct ScreenSize {
  double width, height, scale;
};
// A minimised window has no size at all.
constexpr ScreenSize extreme_sizes[] = {{0, 0, 1},      {1, 1, 1},       {300, 200, 1},
                                        {1280, 800, 1}, {3840, 2160, 1}, {1280, 800, 3}};

TEST_CASE("Every view draws frames in every theme and at every size") {
  const auto session = start_session({}, {});  // one, which computes each view once
  std::size_t seen = 0;
  for (const char* theme : {"dark", "light"}) {
    for (const ScreenSize& screen : extreme_sizes) {
      session->look.theme = theme_named(theme);
      session->look.scale = screen.scale;
      test::NullDesktop desktop(*session, screen.width, screen.height);
      for (std::size_t view = 0; view < session->size(); ++view) {
        if (!test::is_tried(seen++)) continue;
        session->select(view);
        desktop.frame();  // before there is a result
        desktop.settle();
        const ExperimentState& state = session->current();
        INFO(theme << " " << screen.width << "x" << screen.height << " " << screen.scale << " "
                   << state.experiment->info.name << " " << state.message);
        CHECK(state.result);
        if (screen.width > 1) CHECK(desktop.vertices() > 200);
        session->say(
            "n=1: a message that is too long for one line and has to be wrapped over "
            "several of them; dismiss it");
        desktop.move_to({screen.width / 2, screen.height / 2});
        desktop.wheel({screen.width / 2, screen.height / 2}, 1);
        desktop.wheel({screen.width / 2, screen.height / 2}, -1);
        session->dismiss();
      }
    }
  }
}

TEST_CASE("Every figure of every view can be chosen") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  for (std::size_t view = 0; view < session->size(); ++view) {
    if (!test::is_tried(view)) continue;
    session->select(view);
    desktop.settle();
    session->shown().layout = ViewLayout::single;
    for (const Figure& figure : session->current().result->figures) {
      session->select_figure(figure.id);
      desktop.frame(2);
      INFO(figure.id);
      REQUIRE(session->on_screen.size() == 1);
      CHECK(session->on_screen.front()->id == figure.id);
      desktop.move_to(desktop.in_figure(figure.id));
      desktop.frame(2);
      CHECK(desktop.vertices() > 500);
    }
  }
}

TEST_CASE("Several encodings share one plot") {
  const auto session = start_session(
      {.view = "long_term_decay", .overrides = {"encoding=rope+alibi+sinusoidal"}}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  session->select_figure("decay_scores");
  desktop.settle();
  REQUIRE(session->current().result);
  std::size_t curves = 0;
  for (const Figure& figure : session->current().result->figures)
    if (figure.id == "decay_scores")
      for (const Series& series : std::get<LinePlot>(figure.content).series)
        curves += series.is_ghost() ? 0u : 1u;
  CHECK(curves == 3);
}

TEST_CASE("A desktop without experiments says so") {
  Session session({}, test::no_files, {});
  test::NullDesktop desktop(session, 800, 600);
  desktop.frame(3);
  desktop.app().drop_file("q.npy");
  const std::string_view said = "Thisbuildcontainsnoexperiments.";
  CHECK(desktop.vertices() >= 4 * said.size());  // a quad per letter
}

TEST_CASE("Figures of nothing, of one point and of NaN alone are drawn") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> cases{{}, {1}, {nan, nan}, {inf, -inf}, {nan, 1, nan}};
  for (const std::vector<double>& y : cases) {
    const test::FakeExperiment experiment(
        "odd", {test::n_param()},
        [&](const ParamSet&, Progress&) { return test::result_of({test::lines("odd", {y})}); });
    Session session({&experiment}, test::no_files, {});
    session.select(0);
    test::NullDesktop desktop(session, 1280, 800);
    desktop.settle();
    const Point middle = desktop.in_figure("odd");
    desktop.move_to(middle);
    desktop.drag(middle, {middle.x + 50, middle.y + 50});
    CHECK(session.current().result);
  }
}

TEST_CASE("Curves of very many points and of points in any order are drawn, zoomed and read out") {
  const std::size_t n =
      GENERATE(std::size_t{500}, test::all_is_tried() ? std::size_t{10'000'000} : 1'000'000);
  const bool in_order = GENERATE(true, false);
  const test::FakeExperiment experiment("long", {test::n_param()}, [&](const ParamSet&, Progress&) {
    Figure figure = test::lines("long", {std::vector<double>(n)});
    Series& series = std::get<LinePlot>(figure.content).series.front();
    for (std::size_t i = 0; i < n; ++i) {
      series.y[i] = static_cast<double>(i % 1000);
      // A step of 7919 goes round the whole range and meets every point once.
      if (!in_order) series.x[i] = static_cast<double>(i * 7919 % n);
    }
    return test::result_of({std::move(figure)});
  });
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  desktop.settle();
  REQUIRE(desktop.app().item_rects().figure("long"));
  const FigureLayout frame = *desktop.app().item_rects().figure("long");
  CHECK(frame.x.data.max >= static_cast<double>(n - 1));
  const Point at = desktop.in_figure("long");
  desktop.click(at);
  REQUIRE(session.view("long") == FigureView{});
  const std::vector<double>& pins = session.current().shown.marks.at("long").pins;
  REQUIRE(pins.size() == 1);
  CHECK(pins.front() == Approx(frame.x.to_data(at.x)).epsilon(0.01));
  desktop.wheel(at, 20);
  CHECK(session.view("long").x);
  CHECK(desktop.vertices() > 200);
  // However many there are, only so many are drawn.
  CHECK(desktop.vertices() < 60'000);
}

/// Work that takes until it is let go.
class SlowExperiment {
 public:
  std::atomic<bool> open{false};
  std::atomic<int> runs{0};
  test::FakeExperiment experiment{
      "slow", {test::n_param(), test::file_param()}, [this](const ParamSet& params, Progress& p) {
        ++runs;
        while (!open) {
          checkpoint(p, 0.3, "waiting");
          std::this_thread::sleep_for(1ms);
        }
        Result result = test::result_of({test::lines("curve", {{1, 2, 3}})});
        result.provenance.seed = params.integer("n");
        return result;
      }};
};

TEST_CASE("Dragging a slider submits work, and frames go on while it runs") {
  SlowExperiment slow;
  slow.open = true;
  Session session({&slow.experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  desktop.settle();
  const Point slider = desktop.item("param n");
  desktop.settle();
  const auto before = session.current().result;
  slow.open = false;
  slow.runs = 0;
  desktop.move_to(slider);
  shim::inject_mouse_button(desktop.io(), 0, true);
  desktop.frame();
  std::set<std::int64_t> values;
  // The work is shut: a frame that waited for it would never return.
  for (int i = 0; i < 100; ++i) {
    desktop.move_to({slider.x - 100 + i, slider.y});
    values.insert(session.current().params.integer("n"));
  }
  CHECK(values.size() > 20);
  CHECK(session.busy());
  CHECK(session.current().result == before);
  slow.open = true;
  shim::inject_mouse_button(desktop.io(), 0, false);
  desktop.settle();
  CHECK(session.current().result->provenance.seed == session.current().params.integer("n"));
  CHECK(static_cast<std::size_t>(slow.runs) < values.size());
}

TEST_CASE("A right click on a control brings the default back") {
  SlowExperiment slow;
  slow.open = true;
  Session session({&slow.experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  desktop.settle();
  const Point slider = desktop.item("param n");
  REQUIRE(session.set("n", "50"));
  desktop.settle();
  desktop.click(slider, 1);
  CHECK(session.current().params.is_default("n"));
}

TEST_CASE("Stop is offered while work takes long, and works") {
  SlowExperiment slow;
  Session session({&slow.experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  while (session.status().seconds < 0.3) {
    desktop.frame();
    std::this_thread::sleep_for(5ms);
  }
  desktop.frame(2);
  desktop.click(desktop.item("button Stop"));
  while (session.busy()) std::this_thread::sleep_for(1ms);
  desktop.frame(2);
  CHECK(session.current().message.find("Stopped") == 0);
}

TEST_CASE("A dropped file goes to the parameter that reads it, any other is refused in words") {
  SlowExperiment slow;
  slow.open = true;
  Session session({&slow.experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  desktop.settle();
  desktop.app().drop_file("/data/head.NPY");
  CHECK(session.current().params.text("q") == "/data/head.NPY");
  desktop.settle();
  const auto result = session.current().result;
  desktop.app().drop_file("/data/picture.jpg");
  CHECK(session.current().message.find("picture.jpg") != std::string::npos);
  desktop.settle();
  CHECK(session.current().result == result);
  CHECK(session.current().params.text("q") == "/data/head.NPY");
}

TEST_CASE("One of two files that belong together asks for the other, and is no error") {
  test::FakeExperiment experiment("two", {test::file_param("q"), test::file_param("k")},
                                  [&](const ParamSet& params, Progress&) {
                                    if (params.text("q").empty() != params.text("k").empty())
                                      throw UsageError("q without k", "attention needs q and k",
                                                       "give both");
                                    return test::result_of({});
                                  });
  experiment.info.paired_files = {{"q", "k", "attention"}};
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  desktop.settle();
  desktop.app().drop_file("q.npy");
  desktop.settle();
  CHECK(session.current().message == "q is open. Open k next: attention needs both.");
  CHECK(session.current().awaits == "k");
  desktop.app().drop_file("k.npy");
  desktop.settle();
  CHECK(session.current().message.empty());
  CHECK(session.current().awaits.empty());
}

TEST_CASE("A tensor before a rotation waits for the one after it") {
  test::FakeExperiment experiment(
      "rotated", {test::file_param("before"), test::file_param("after")},
      [&](const ParamSet& params, Progress&) {
        if (params.text("before").empty() != params.text("after").empty())
          throw UsageError("before without after", "a rotation is found from both", "give both");
        return test::result_of({});
      });
  experiment.info.paired_files = {{"before", "after", "finding a rotation"}};
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  desktop.settle();
  session.set("after", "q_after.npy");
  desktop.settle();
  CHECK(session.current().message ==
        "after is open. Open before next: finding a rotation needs both.");
  session.set("before", "q_before.npy");
  desktop.settle();
  CHECK(session.current().awaits.empty());
}

TEST_CASE("Files dropped together fill the parameters in turn") {
  const test::FakeExperiment experiment(
      "three", {test::file_param("q"), test::file_param("k"), test::file_param("v")},
      [](const ParamSet&, Progress&) { return test::result_of({}); });
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  for (const char* file : {"a.npy", "b.npy", "c.npy"}) desktop.app().drop_file(file);
  CHECK(session.current().params.text("q") == "a.npy");
  CHECK(session.current().params.text("k") == "b.npy");
  CHECK(session.current().params.text("v") == "c.npy");
}

TEST_CASE("Theme and size may change between two frames") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  session->look.theme = Theme::light;
  session->look.scale = 1.5;
  desktop.frame(3);
  session->look.theme = Theme::print;
  session->look.scale = 1.0;
  desktop.frame(3);
  CHECK(desktop.vertices() > 500);
}

TEST_CASE("The first view is computed without being asked for") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  CHECK(session->current().result);
}

TEST_CASE("What cannot be started is refused with a reason") {
  CHECK_THROWS_WITH(start_session({.view = "long_term_decya"}, {}),
                    Catch::Contains("long_term_decay"));
  CHECK_THROWS_WITH(start_session({.view = "long_term_decay", .overrides = {"dim=3"}}, {}),
                    Catch::Contains("dim=3"));
  CHECK_THROWS_WITH(start_session({.view = "long_term_decay", .overrides = {"dim"}}, {}),
                    Catch::Contains("key=value"));
  CHECK_THROWS_WITH(start_session({.overrides = {"dim=64"}}, {}), Catch::Contains("--view"));
  CHECK_THROWS_WITH(start_session({.theme = "heliotrope"}, {}), Catch::Contains("dark"));
  CHECK_THROWS_WITH(start_session({.scale = 99}, {}), Catch::Contains("99"));
  for (const char* size : {"", "x", "12", "0x5", "-1x2", "12x5y", "1e3x2"})
    CHECK_THROWS_WITH(parse_size(size), Catch::Contains("1280x800"));
  CHECK(parse_size("640x480") == std::pair(640, 480));
}

}  // namespace
}  // namespace orrery
