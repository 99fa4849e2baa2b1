// The desktop as its user clicks, drags and types.
#include <GLFW/glfw3.h>

#include <catch2/catch.hpp>
#include <set>

#include "app/session/actions.h"
#include "app/session/session_toml.h"
#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/support/sampled.h"

namespace orrery {
namespace {

constexpr bool with_control = true, with_shift = true;

/// A desktop over two experiments of one parameter each.
class Script {
 public:
  Script() {
    session.select(0);
    desktop.settle();
  }

  std::int64_t n() const { return session.current().params.integer("n"); }
  Point slider() const { return desktop.item("param n"); }
  /// Long enough for the next change to be another step.
  void rest() {
    desktop.settle();
    desktop.io().DeltaTime = 1.0f;
    desktop.frame(2);
    desktop.io().DeltaTime = 1.0f / 60.0f;
  }

  static Result result(const ParamSet& params, Progress&) {
    Result result = test::result_of(
        {test::lines("curve", {{1, 2, 3}, {3, 2, 1}}), test::lines("other", {{1, 2, 3}})});
    result.provenance.seed = params.integer("n");
    return result;
  }
  test::FakeExperiment one{"one", {test::n_param()}, result};
  test::FakeExperiment two{"two", {test::n_param()}, result};
  Session session{{&one, &two}, test::no_files, {}};
  test::NullDesktop desktop{session, 1280, 800};
};

TEST_CASE("A note fades after a few seconds, and the same note again is new") {
  const test::FakeExperiment experiment("one", {test::n_param()}, [](const ParamSet&, Progress&) {
    return test::result_of({test::lines("a", {{1, 2}})});
  });
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  desktop.settle();
  const auto seconds = [&](double length) { desktop.frame(static_cast<int>(60 * length)); };
  desktop.app().perform("undo");
  CHECK(session.note() == "Nothing to undo");
  seconds(4);
  CHECK(session.note() == "Nothing to undo");
  desktop.app().perform("undo");
  seconds(4);
  CHECK(session.note() == "Nothing to undo");
  CHECK(desktop.app().due_in() > 0);
  seconds(4);
  CHECK(session.note().empty());
  CHECK(desktop.app().due_in() < 0);
}

TEST_CASE("Checks that hold are shown below a figure when asked for, one that fails by itself") {
  const test::FakeExperiment experiment(
      "one", {test::n_param()}, [](const ParamSet& params, Progress&) {
        Result result = test::result_of({test::lines("a", {{1, 2}})});
        result.checks.push_back({.name = "c",
                                 .statement = "a claim",
                                 .measured = 0.05 * static_cast<double>(params.integer("n")),
                                 .bound = 1});
        return result;
      });
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  const auto checks_shown = [&] {
    desktop.settle();
    return desktop.app().item_rects().find("grip findings").has_value();
  };
  CHECK_FALSE(checks_shown());
  desktop.app().perform("toggle_findings");
  CHECK(checks_shown());
  desktop.app().perform("toggle_findings");
  CHECK_FALSE(checks_shown());
  session.set("n", "50");
  CHECK(checks_shown());
}

TEST_CASE("Ctrl+Z takes back a whole drag of a slider, Ctrl+Shift+Z and Ctrl+Y bring it again") {
  Script script;
  const Point slider = script.slider();
  script.desktop.drag(slider, {slider.x + 80, slider.y});
  const std::int64_t dragged = script.n();
  CHECK(dragged != 10);
  script.rest();
  script.desktop.press(GLFW_KEY_Z, with_control);
  CHECK(script.n() == 10);
  CHECK(script.session.note().find("Undid: n = ") == 0);
  script.desktop.settle();
  CHECK(script.session.current().result->provenance.seed == 10);
  script.desktop.press(GLFW_KEY_Z, with_control, with_shift);
  CHECK(script.n() == dragged);
  script.desktop.press(GLFW_KEY_Z, with_control);
  script.desktop.press(GLFW_KEY_Y, with_control);
  CHECK(script.n() == dragged);
}

TEST_CASE("Everything that can be changed can be undone") {
  Script script;
  // A view that was never drawn stores its first figure when its result comes, which may be in the
  // frame of a change: that is nothing to undo.
  for (const std::size_t seen : {1U, 0U}) {
    script.session.select(seen);
    script.rest();
  }
  const DesktopState before = script.session.snapshot();
  const auto undone = [&] {
    script.rest();
    const bool changed = !(script.session.snapshot() == before);
    script.desktop.press(GLFW_KEY_Z, with_control);
    script.rest();
    return changed && script.session.snapshot() == before;
  };
  const Point plot = script.desktop.in_figure("curve");
  script.desktop.wheel(plot, 2);
  CHECK(undone());
  script.desktop.drag(plot, {plot.x + 60, plot.y + 30});
  CHECK(undone());
  for (const int key :
       {GLFW_KEY_T, GLFW_KEY_EQUAL, GLFW_KEY_B, GLFW_KEY_P, GLFW_KEY_D, GLFW_KEY_PAGE_DOWN}) {
    INFO(key);
    script.desktop.press(key, with_control);
    CHECK(undone());
  }
  script.desktop.press(GLFW_KEY_F5);
  CHECK(undone());
  script.desktop.press(GLFW_KEY_PAGE_DOWN);  // the figure
  CHECK(undone());
}

TEST_CASE("What shows by itself is nothing to undo") {
  Script script;
  script.rest();
  CHECK_FALSE(script.desktop.app().history().can_undo());
  script.desktop.press(GLFW_KEY_Z, with_control);
  CHECK(script.session.note() == "Nothing to undo");
}

TEST_CASE("Ctrl+C and Ctrl+V carry settings as text") {
  Script script;
  script.session.set("n", "42");
  script.desktop.frame();
  script.desktop.press(GLFW_KEY_C, with_control);
  CHECK(std::string(ImGui::GetClipboardText()) == "experiment = \"one\"\n\n[params]\nn = 42\n");
  script.session.set("n", "11");
  script.session.select(1);
  script.desktop.press(GLFW_KEY_V, with_control);
  CHECK(script.session.selected() == 0);
  CHECK(script.n() == 42);
  ImGui::SetClipboardText("experiment = \"one\"\n[params]\nn = 101\n");
  script.desktop.press(GLFW_KEY_V, with_control);
  CHECK(script.n() == 42);
  CHECK(script.session.current().message.find("n=101") != std::string::npos);
  script.desktop.press(GLFW_KEY_C, with_control, with_shift);
  CHECK(std::string(ImGui::GetClipboardText()) == "orrery run one n=42");
}

TEST_CASE("The palette finds by a few letters, arrows choose and Enter takes") {
  Script script;
  script.desktop.press(GLFW_KEY_K, with_control);
  script.desktop.frame(2);
  script.desktop.type("two");
  script.desktop.press(GLFW_KEY_ENTER);
  script.desktop.settle();
  CHECK(script.session.selected() == 1);
  script.desktop.press(GLFW_KEY_P, with_control, with_shift);
  script.desktop.frame(2);
  script.desktop.type("n=77");
  script.desktop.press(GLFW_KEY_ENTER);
  CHECK(script.n() == 77);
  script.desktop.press(GLFW_KEY_K, with_control);
  script.desktop.frame(2);
  script.desktop.press(GLFW_KEY_DOWN);
  script.desktop.press(GLFW_KEY_DOWN);
  script.desktop.press(GLFW_KEY_UP);
  script.desktop.press(GLFW_KEY_UP);
  script.desktop.press(GLFW_KEY_ENTER);  // the first entry: the view "one"
  CHECK(script.session.selected() == 0);
}

/// Chooses the first that the palette finds.
void choose_in_palette(test::NullDesktop& desktop, const char* words) {
  desktop.press(GLFW_KEY_K, with_control);
  desktop.frame(2);
  desktop.type(words);
  desktop.press(GLFW_KEY_ENTER);
  desktop.settle();
}

TEST_CASE("The palette sets choices and values, and shows presets") {
  const auto session = start_session({.view = "score_spectrogram"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  const auto choose = [&](const char* words) { choose_in_palette(desktop, words); };
  choose("encoding ALiBi");
  CHECK(session->current().params.to_text("encoding") == "alibi");
  choose("encoding rope");
  choose("base 500000");
  CHECK(session->current().params.real("base") == 500000);
  choose("llama 3 decay");
  CHECK(session->current().experiment->info.name == "long_term_decay");
  CHECK(session->current().params.integer("max_distance") == 8192);
  choose("decay over bases");
  CHECK(session->current().params.real("base") == 1000);
  CHECK(session->note() == "The first of several: ./orrery sweep decay_over_bases");
}

TEST_CASE("The palette opens lessons, copies numbers, compares, and exports in a format") {
  const auto session = start_session({.view = "rotation"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  const auto choose = [&](const char* words) { choose_in_palette(desktop, words); };
  choose("compare alibi and rope");
  CHECK(session->current().params.to_text("encoding") == "alibi+rope");
  choose("long-term decay");
  choose("first rise");
  REQUIRE(session->current().result);
  for (const Scalar& scalar : session->current().result->scalars)
    if (scalar.name == "rope_first_rise")
      CHECK(session->note() == "Copied rope_first_rise = " + number_text(scalar.value));
  choose("export pdf");
  CHECK(desktop.app().item_rects().find("export width").has_value());
  desktop.press(GLFW_KEY_ESCAPE);
  desktop.frame(2);
  choose("lesson 8");
  CHECK(session->lessons.size() == 1);
  CHECK(session->lessons.begin()->first.starts_with("08-"));
  CHECK(session->lessons.begin()->second.step == 1);
}

TEST_CASE("Escape closes the palette, and keys go to the desktop again") {
  Script script;
  script.desktop.press(GLFW_KEY_K, with_control);
  script.desktop.frame(2);
  script.desktop.type("zzz");
  script.desktop.press(GLFW_KEY_ESCAPE);
  script.desktop.frame(3);
  script.desktop.press(GLFW_KEY_F5);
  CHECK(script.session.look.projector);
}

TEST_CASE("What was typed before a text field was emptied cannot be undone in it") {
  Script script;
  script.desktop.press(GLFW_KEY_K, with_control);
  script.desktop.frame(2);
  script.desktop.type("zzzzzzzz");
  script.desktop.press(GLFW_KEY_ESCAPE);
  script.desktop.frame(2);
  script.desktop.press(GLFW_KEY_K, with_control);
  script.desktop.frame(2);
  for (int i = 0; i < 3; ++i) script.desktop.press(GLFW_KEY_Z, with_control);
  script.desktop.type("two");
  script.desktop.press(GLFW_KEY_ENTER);
  script.desktop.settle();
  CHECK(script.session.selected() == 1);
}

TEST_CASE("A question mark shows the sheet, and typed into the palette it is a letter") {
  Script script;
  const std::size_t before = script.desktop.vertices();
  script.desktop.type("?");
  script.desktop.frame(2);
  CHECK(script.desktop.vertices() > before + 1000);
  script.desktop.press(GLFW_KEY_ESCAPE);
  script.desktop.frame(2);
  CHECK(script.desktop.vertices() < before + 200);
}

TEST_CASE("A parameter chosen in the palette gets the keyboard") {
  Script script;
  script.session.look.show_panel = false;
  script.desktop.press(GLFW_KEY_K, with_control);
  script.desktop.frame(2);
  script.desktop.type("n");
  script.desktop.press(GLFW_KEY_ENTER);
  script.desktop.frame(3);
  CHECK(script.session.look.show_panel);
  CHECK(script.desktop.io().WantTextInput);
  script.desktop.type("64");
  script.desktop.press(GLFW_KEY_ENTER);
  CHECK(script.n() == 64);
}

TEST_CASE("Sizes go up and down in steps, within limits, and back to normal") {
  Script script;
  for (int i = 0; i < 20; ++i) script.desktop.press(GLFW_KEY_EQUAL, with_control);
  CHECK(script.session.look.scale == max_scale);
  for (int i = 0; i < 20; ++i) script.desktop.press(GLFW_KEY_MINUS, with_control);
  CHECK(script.session.look.scale == min_scale);
  script.desktop.press(GLFW_KEY_0, with_control);
  CHECK(script.session.look.scale == 1.0);
}

TEST_CASE("The table of actions names everything once, with keys that do not collide") {
  const Script script;
  const Actions& actions = script.desktop.app().actions();
  std::set<std::string> names, titles, keys, lesson_keys;
  for (const Action& action : actions) {
    INFO(action.name);
    CHECK(names.emplace(action.name).second);
    CHECK(titles.emplace(action.title).second);
    CHECK(find_action(actions, action.name) == &action);
    CHECK(action.perform);
    CHECK(action.about.ends_with('.'));
    // Keys of a lesson come first while one is open.
    auto& taken = action.group == lessons_group ? lesson_keys : keys;
    for (const Shortcut& shortcut : action.shortcuts)
      CHECK(taken.insert(shortcut_text(shortcut)).second);
  }
  CHECK(find_action(actions, "dance") == nullptr);
  CHECK(nearest_action(actions, "palete") == "palette");
  CHECK(shortcut_text(find_action(actions, "palette")->shortcuts.at(0)) == "Ctrl+K");
  // Names are words or printable signs.
  for (const std::string& key : keys) CHECK_FALSE(key.find_first_not_of(' ') == std::string::npos);
}

TEST_CASE("An action that does not exist is refused with the nearest name") {
  Script script;
  CHECK_THROWS_WITH(script.desktop.app().perform("unod"), Catch::Contains("undo"));
}

TEST_CASE("Every action can be performed at any time, and keys work after it") {
  const std::size_t count = Script().desktop.app().actions().size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!test::is_tried(i)) continue;
    Script script;
    const std::string_view name = script.desktop.app().actions()[i].name;
    INFO(name);
    script.desktop.app().perform(name);
    script.desktop.settle();
    script.desktop.press(GLFW_KEY_ESCAPE);
    script.desktop.frame(3);
    const bool before = script.session.look.projector;
    script.desktop.press(GLFW_KEY_F5);
    CHECK(script.session.look.projector != before);
  }
}

}  // namespace
}  // namespace orrery
