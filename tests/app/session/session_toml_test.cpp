#include "app/session/session_toml.h"

#include <catch2/catch.hpp>
#include <limits>

#include "app/shell/start.h"
#include "core/errors.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

test::FakeExperiment experiment(const std::string& name) {
  return {name,
          {test::n_param(), test::file_param(),
           ParamSpec{.key = "base", .kind = ParamKind::real, .default_value = 1e4, .min = 1},
           ParamSpec{.key = "causal", .kind = ParamKind::boolean, .default_value = true},
           ParamSpec{.key = "encoding",
                     .kind = ParamKind::choice_list,
                     .default_value = std::vector<std::string>{"rope"},
                     .choices = {{"rope", ""}, {"alibi", ""}}}},
          [](const ParamSet&, Progress&) { return test::result_of({}); }};
}

TEST_CASE("Settings are copied as text that says what differs, and no more") {
  const test::FakeExperiment one = experiment("one");
  Session session({&one}, test::no_files, {});
  CHECK(settings_text(session.current()) == "experiment = \"one\"\n");
  session.set("n", "42");
  session.set("base", "500000");
  session.set("causal", "no");
  session.set("encoding", "rope+alibi");
  session.set("q", "a \"b\"\\c.npy");
  session.select_figure("curve");
  session.view("curve").x = Range{-1.5, 100};
  session.view("curve").y_scale = AxisScale::symlog;
  session.view("curve").hidden = {"curve 1"};
  CHECK(settings_text(session.current()) ==
        "experiment = \"one\"\n"
        "figure = \"curve\"\n"
        "\n[params]\n"
        "n = 42\n"
        "q = \"a \\\"b\\\"\\\\c.npy\"\n"
        "base = 500000.0\n"
        "causal = false\n"
        "encoding = [\"rope\", \"alibi\"]\n"
        "\n[view.\"curve\"]\n"
        "x = [-1.5, 100.0]\n"
        "y_scale = \"symlog\"\n"
        "hidden = [\"curve 1\"]\n");
}

TEST_CASE("Copied settings bring the same state back, in any other session") {
  const test::FakeExperiment one = experiment("one"), two = experiment("two");
  Session from({&one, &two}, test::no_files, {});
  from.select(1);
  from.set("n", "42");
  from.set("base", "0.1e5");
  from.set("base", "12345.678901234567");
  from.set("encoding", "alibi");
  from.select_figure("curve");
  from.view("curve").color = Range{0.1, 0.2};
  from.view("curve").minification = Minification::max;
  Session to({&one, &two}, test::no_files, {});
  to.select(1);
  to.set("causal", "no");  // what the text does not name goes to its default
  to.select(0);
  apply_settings_text(to, settings_text(from.current()));
  CHECK(to.snapshot() == from.snapshot());
}

TEST_CASE("Settings of an encoding, whose keys have a dot, come back") {
  const auto from = start_session({.view = "long_term_decay"}, {});
  REQUIRE(from->set("rope.scaling", "yarn"));
  REQUIRE(from->set("rope.factor", "16"));
  const auto to = start_session({.view = "rotation"}, {});
  apply_settings_text(*to, settings_text(from->current()));
  CHECK(to->current().params == from->current().params);
  CHECK(to->current().params.text("rope.scaling") == "yarn");
  CHECK_THROWS_WITH(
      apply_settings_text(*to, "experiment = \"long_term_decay\"\n[params]\nrope.scalign = 1\n"),
      Catch::Contains("rope.scaling"));
}

TEST_CASE("Text that is wrong changes nothing and says what is wrong") {
  const test::FakeExperiment one = experiment("one");
  Session session({&one}, test::no_files, {});
  session.set("n", "33");
  const DesktopState before = session.snapshot();
  const std::pair<const char*, const char*> cases[] = {
      {"", "names no experiment"},
      {"hello world", "line 1"},
      {"experiment = 3", "must be text"},
      {"experiment = \"onw\"", "one"},
      {"experiment = \"one\"\n[params]\nn = 5\nm = 1", "m"},
      {"experiment = \"one\"\n[params]\nn = 5\nbase = 0.5", "base"},
      {"experiment = \"one\"\n[params]\nn = 1000", "n=1000"},
      {"experiment = \"one\"\nparams = 3", "[params]"},
      {"experiment = \"one\"\n[view.c]\nx = [2, 1]", "lower end first"},
      {"experiment = \"one\"\n[view.c]\nx = [nan, 1]", "lower end first"},
      {"experiment = \"one\"\n[view.c]\nx_scale = \"cubic\"", "symlog"},
      {"experiment = \"one\"\n[view.c]\nhide = 1", "hidden"},
      {"experiment = \"one\"\ncolour = 1", "colour"}};
  for (const auto& [text, complaint] : cases) {
    INFO(text);
    CHECK_THROWS_WITH(apply_settings_text(session, text), Catch::Contains(complaint));
    CHECK(session.snapshot() == before);
  }
}

TEST_CASE("The whole session goes through its text and back") {
  const test::FakeExperiment one = experiment("one"), two = experiment("two");
  Session from({&one, &two}, test::no_files, {});
  from.set("n", "42");
  from.select_figure("curve");
  from.view("curve").y = Range{0, 1e-300};
  from.select(1);
  from.set("q", "/data/ä ö.npy");
  from.look.theme = Theme::print;
  from.look.scale = 1.25;
  from.look.projector = true;
  from.look.show_list = false;
  from.look.findings = 120.5;
  from.saved = {.on_screen = true, .folder = "/results/ä \"ö\"", .point = "/results/ä/1"};
  from.recent = {"/data/ä ö.npy", "/results"};
  Session to({&one, &two}, test::no_files, {});
  CHECK(apply_session_text(to, session_text(document_of(from))).empty());
  CHECK(to.snapshot() == from.snapshot());
  CHECK(to.recent == from.recent);
}

TEST_CASE(
    "What another version knew and this one does not is left out and told, the rest is kept") {
  const test::FakeExperiment one = experiment("one");
  Session session({&one}, test::no_files, {});
  const auto left_out = apply_session_text(session,
                                           "orrery_session = 2\n"
                                           "shown = \"gone\"\n"
                                           "[look]\ntheme = \"light\"\nsmell = 1\n"
                                           "[experiment.gone.params]\nn = 1\n"
                                           "[experiment.one.params]\nn = 7\nold = 3\nbase = -1\n");
  CHECK(left_out.size() == 5);
  CHECK(session.look.theme == Theme::light);
  CHECK(session.current().params.integer("n") == 7);
  CHECK(session.current().params.is_default("base"));
}

TEST_CASE("Every key that session files have had is still read") {
  const test::FakeExperiment one = experiment("one");
  Session session({&one}, test::no_files, {});
  const auto left_out = apply_session_text(
      session,
      "orrery_session = 1\nshown = \"one\"\nrecent = [\"/a.npy\"]\n"
      "[look]\ntheme = \"print\"\nscale = 1.5\nprojector = true\nlist = false\npanel = false\n"
      "list_column = true\nparameter_column = false\nfindings = 0.0\n"
      "[saved]\non_screen = true\nfolder = \"/r\"\npoint = \"/r/1\"\n"
      "[experiment.\"one\"]\nfigure = \"c\"\nlayout = \"side_by_side\"\nsecond_figure = \"d\"\n"
      "[experiment.\"one\".params]\nn = 7\n"
      "[experiment.\"one\".view.\"c\"]\nx = [0.0, 1.0]\ny = [-1.0, 1.0]\nx_scale = \"log2\"\n"
      "y_scale = \"symlog\"\nx_threshold = 2.0\ny_threshold = 0.5\ncolor = [0.0, 0.5]\n"
      "hidden = [\"curve 1\"]\nminified = \"max\"\n"
      "[experiment.\"one\".mark.\"c\"]\npins = [1.0, 2.5]\ncursors = [0.0, 3.0]\n");
  CHECK(left_out.empty());
  const DesktopState state = session.snapshot();
  CHECK(state.look == Look{Theme::print, 1.5, true, true, false, 0.0});
  CHECK(state.saved == SavedShown{true, "/r", "/r/1"});
  CHECK(session.recent == std::vector<std::string>{"/a.npy"});
  const ExperimentSettings& settings = state.experiments.at(0);
  CHECK(settings.params.integer("n") == 7);
  CHECK(settings.figure == "c");
  CHECK(settings.shown.layout == ViewLayout::side_by_side);
  CHECK(settings.shown.second_figure == "d");
  CHECK(settings.shown.marks.at("c") == FigureMarks{{1.0, 2.5}, {{0.0, 3.0}}});
  const FigureView& view = settings.views.at("c");
  CHECK(view.x == Range{0, 1});
  CHECK(view.y == Range{-1, 1});
  CHECK(view.x_scale == AxisScale::log2);
  CHECK(view.y_scale == AxisScale::symlog);
  CHECK(view.x_threshold == 2.0);
  CHECK(view.y_threshold == 0.5);
  CHECK(view.color == Range{0, 0.5});
  CHECK(view.hidden == std::set<std::string>{"curve 1"});
  CHECK(view.minification == Minification::max);
}

TEST_CASE("Any cut of a session's text is read or refused, never a crash") {
  const test::FakeExperiment one = experiment("one");
  Session from({&one}, test::no_files, {});
  from.set("n", "42");
  from.view("curve").y = Range{0, 1};
  const std::string text = session_text(document_of(from));
  for (std::size_t length = 0; length < text.size(); ++length) {
    Session to({&one}, test::no_files, {});
    try {
      apply_session_text(to, std::string_view(text).substr(0, length));
    } catch (const Error& refusal) {
      CHECK(to.snapshot() == Session({&one}, test::no_files, {}).snapshot());
      CHECK(std::string(refusal.what()).size() > 10);
    }
  }
}

}  // namespace
}  // namespace orrery
