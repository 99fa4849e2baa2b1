// Lessons on the desktop, as a reader turns their pages.
#include <GLFW/glfw3.h>

#include <imgui.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "app/player/director.h"
#include "app/player/prediction_box.h"
#include "app/player/sheets.h"
#include "app/session/session_toml.h"
#include "app/shell/start.h"
#include "experiments/lessons/library.h"
#include "tests/app/fixture.h"
#include "tests/support/sampled.h"
#include "tests/support/temp_folder.h"

namespace orrery {
namespace {

/// Longer than the motion between two steps.
constexpr int frames_of_motion = 45;

struct Reader {
  explicit Reader(const std::string& lesson, std::size_t step = 0, double width = 1280)
      : desktop(*session, width, 800) {
    session->look.show_list.reset();
    session->look.show_panel.reset();
    desktop.settle();
    before = session->snapshot();
    desktop.app().open_lesson(lesson, step);
    desktop.settle();
  }
  Player& player() { return desktop.app().director().player(); }
  void press(int key) {
    desktop.press(key);
    desktop.frame(frames_of_motion);
    desktop.settle();
  }
  bool on_screen(const std::string& item) const {
    return desktop.app().item_rects().find(item).has_value();
  }

  std::unique_ptr<Session> session{
      start_session({.view = "spectrum", .overrides = {"base=500", "dim=64"}}, {})};
  test::NullDesktop desktop;
  DesktopState before{};
};

}  // namespace

TEST_CASE("Space reveals, then goes on; Backspace goes back; Escape gives everything back") {
  Reader reader("07-decay", 2);
  Session& session = *reader.session;
  CHECK(session.current().experiment->info.name == "long_term_decay");
  CHECK(session.view("decay_bound").hidden == std::set<std::string>{"RoPE"});
  reader.press(GLFW_KEY_SPACE);
  CHECK(reader.player().work().revealed);
  CHECK(session.view("decay_bound").hidden.empty());
  CHECK(reader.player().at() == 2);
  reader.press(GLFW_KEY_SPACE);
  CHECK(reader.player().at() == 3);
  reader.press(GLFW_KEY_BACKSPACE);
  CHECK(reader.player().at() == 2);
  reader.press(GLFW_KEY_RIGHT);
  CHECK(reader.player().at() == 3);
  reader.press(GLFW_KEY_LEFT);
  CHECK(reader.player().at() == 2);
  reader.press(GLFW_KEY_ESCAPE);
  CHECK_FALSE(reader.desktop.app().director().is_open());
  CHECK(session.snapshot() == reader.before);
}

TEST_CASE("A curve is drawn over the veil, kept, and described beside the truth") {
  Reader reader("07-decay", 2);
  reader.desktop.drag(reader.desktop.in_figure("decay_bound", 0.02, 0.05),
                      reader.desktop.in_figure("decay_bound", 0.98, 0.95));
  reader.desktop.settle();
  REQUIRE(reader.player().work().answered);
  const Answer drawn = reader.player().work().answer;
  CHECK(drawn.x.size() > 100);
  CHECK(drawn.y.front() > drawn.y.back());
  // The figure stays where it is: the drag drew and did not pan.
  const FigureView view = reader.session->view("decay_bound");
  reader.press(GLFW_KEY_ENTER);
  const std::string words = revealed_words(reader.desktop.app().director());
  INFO(words);
  CHECK(words.find("115") != std::string::npos);
  CHECK(reader.on_screen("revealed"));
  CHECK(view.y);
  CHECK_FALSE(reader.session->view("decay_bound").y);
}

TEST_CASE("With Shift the arrow keys draw a curve, too") {
  Reader reader("07-decay", 2);
  for (int i = 0; i < 4; ++i) reader.desktop.press(GLFW_KEY_RIGHT, false, true);
  CHECK(reader.player().work().answered);
  CHECK(reader.player().at() == 2);
}

TEST_CASE("What is to be done is judged on the settings, with a hint that fits") {
  Reader reader("07-decay", 3);
  const Director& director = reader.desktop.app().director();
  REQUIRE(director.findings().task);
  CHECK_FALSE(director.findings().task->holds);
  CHECK(director.findings().hint.find("still falls") != std::string::npos);
  CHECK(reader.on_screen("param distance"));
  reader.session->set("distance", "25");
  reader.desktop.settle();
  CHECK(director.findings().hint.find("before that") != std::string::npos);
  reader.session->set("distance", "19");
  reader.desktop.settle();
  CHECK(director.findings().task->holds);
  CHECK(reader.player().work().done);
  CHECK(reader.on_screen("task done"));
}

TEST_CASE("A sandbox shows all parameters, and the step is as it was left") {
  Reader reader("07-decay", 5);
  reader.session->set("base", "2000");
  reader.desktop.settle();
  reader.press(GLFW_KEY_E);
  CHECK(reader.on_screen("button Back to the step"));
  CHECK_FALSE(reader.on_screen("step title"));
  reader.session->set("base", "77");
  reader.session->select(*reader.session->find("rotation"));
  reader.desktop.settle();
  reader.press(GLFW_KEY_ESCAPE);
  CHECK(reader.desktop.app().director().is_open());
  CHECK(reader.session->current().experiment->info.name == "long_term_decay");
  CHECK(reader.session->current().params.real("base") == 2000);
  CHECK(reader.on_screen("step title"));
}

TEST_CASE("Digits answer a choice, and both buttons of the pane turn its pages") {
  Reader reader("07-decay", 5);
  reader.press(GLFW_KEY_2);
  CHECK(reader.player().work().answer.options == std::vector<bool>{false, true});
  CHECK_FALSE(reader.session->current().shown.layout == ViewLayout::side_by_side);
  reader.desktop.click(reader.desktop.item("hand 1"));
  CHECK(reader.player().work().tally == std::vector<std::size_t>{1, 0});
  reader.desktop.click(reader.desktop.item("button Reveal"));
  reader.desktop.settle();
  CHECK(reader.player().work().revealed);
  reader.desktop.click(reader.desktop.item("steps", 0.01));
  reader.desktop.settle();
  CHECK(reader.player().at() == 0);
}

TEST_CASE("Numbers move from one step to the next, and end exactly") {
  Reader reader("07-decay", 0);
  reader.desktop.press(GLFW_KEY_SPACE);
  CHECK(reader.player().at() == 1);
  std::set<std::int64_t> seen;
  for (int frame = 0; frame < frames_of_motion; ++frame) {
    seen.insert(reader.session->current().params.integer("distance"));
    reader.desktop.frame();
  }
  CHECK(seen.size() > 4);
  CHECK(reader.session->current().params == reader.player().step().state.params);
  CHECK_FALSE(reader.desktop.app().director().is_moving());
}

TEST_CASE("A zoom moves from one step to the next, ends exactly, and is drawn so without a clock") {
  Reader reader("07-decay", 2);
  reader.press(GLFW_KEY_SPACE);
  reader.desktop.press(GLFW_KEY_SPACE);
  REQUIRE(reader.player().at() == 3);
  std::vector<double> ends;
  for (int frame = 0; frame < frames_of_motion; ++frame) {
    const auto& x = reader.session->view("decay_bound").x;
    if (x) ends.push_back(x->max);
    reader.desktop.frame();
  }
  REQUIRE(ends.size() > 20);
  CHECK(ends.front() > 200);
  CHECK(std::is_sorted(ends.rbegin(), ends.rend()));
  CHECK(std::set<double>(ends.begin(), ends.end()).size() > 10);
  CHECK(reader.session->view("decay_bound").x == Range{0, 64});
  Director& director = reader.desktop.app().director();
  REQUIRE(director.pose(3, 0.5));
  reader.desktop.settle();
  REQUIRE(reader.session->view("decay_bound").x);
  const double half = reader.session->view("decay_bound").x->max;
  CHECK(half == Approx((ends.front() + 64) / 2).epsilon(0.02));
  CHECK_FALSE(director.pose(3, 1.0));
  reader.desktop.settle();
  CHECK(reader.session->view("decay_bound").x == Range{0, 64});
}

TEST_CASE("What is to be predicted is hidden from the first frame on") {
  Reader reader("07-decay", 3);
  reader.desktop.press(GLFW_KEY_LEFT);
  REQUIRE(reader.player().at() == 2);
  CHECK(reader.session->view("decay_bound").hidden == std::set<std::string>{"RoPE"});
  reader.desktop.frame();
  CHECK(reader.session->view("decay_bound").hidden == std::set<std::string>{"RoPE"});
}

TEST_CASE("Cells are marked by clicks or with the keyboard, and described beside the truth") {
  Reader reader("01-order", 1);
  const auto cell = [&](int row, int column) {
    return reader.desktop.in_figure("weights_none", (column + 0.5) / 8, (row + 0.5) / 8);
  };
  using Cells = std::vector<std::pair<std::size_t, std::size_t>>;
  reader.desktop.click(cell(1, 2));
  reader.desktop.click(cell(6, 6));
  CHECK(reader.player().work().answer.cells == Cells{{1, 2}, {6, 6}});
  reader.desktop.click(cell(6, 6));
  CHECK(reader.player().work().answer.cells == Cells{{1, 2}});
  // From the first cell one down and one to the right.
  reader.desktop.press(GLFW_KEY_DOWN, false, true);
  reader.desktop.press(GLFW_KEY_RIGHT, false, true);
  reader.desktop.press(GLFW_KEY_ENTER, false, true);
  CHECK(reader.player().work().answer.cells == Cells{{1, 1}, {1, 2}});
  CHECK(reader.player().at() == 1);
  CHECK_FALSE(reader.player().work().revealed);
  reader.press(GLFW_KEY_SPACE);
  REQUIRE(reader.player().work().revealed);
  const Answer* truth = reader.desktop.app().director().truth();
  REQUIRE(truth);
  // Rows and columns 1 and 4 of 8 × 8 cells.
  CHECK(truth->cells.size() == 28);
  const std::string words = revealed_words(reader.desktop.app().director());
  INFO(words);
  CHECK(words.find("28") != std::string::npos);
  // Revealed, a click marks nothing any more.
  reader.desktop.click(cell(0, 0));
  CHECK(reader.player().work().answer.cells.size() == 2);
}

TEST_CASE("A number is guessed on the covered figure, and the guess is marked there") {
  Reader reader("04-rotation", 2);
  REQUIRE(reader.on_screen("prediction query_and_key"));
  const auto guessed = [&](double across) {
    reader.desktop.click(reader.desktop.item("prediction query_and_key", across));
    return reader.player().work().answer.number;
  };
  const std::size_t without = reader.desktop.vertices();
  CHECK(guessed(0.5) == Approx(180).margin(2));
  reader.desktop.frame();
  CHECK(reader.desktop.vertices() != without);
  CHECK(guessed(0.01) == 0);
  CHECK(guessed(0.99) == 360);
  CHECK(guessed(0.75) > 270);
  reader.press(GLFW_KEY_SPACE);
  CHECK(reader.player().work().revealed);
  CHECK_FALSE(reader.on_screen("prediction query_and_key"));
}

TEST_CASE("Items are put in order by clicks or digits, taken back, and compared with the truth") {
  Reader reader("05-clocks", 1);
  const auto order = [&] { return reader.player().work().answer.order; };
  reader.desktop.click(reader.desktop.item("option 2"));
  reader.desktop.click(reader.desktop.item("option 4"));
  CHECK(order() == std::vector<std::size_t>{1, 3});
  CHECK_FALSE(reader.player().work().answered);
  reader.press(GLFW_KEY_2);
  CHECK(order() == std::vector<std::size_t>{3});
  for (const int key : {GLFW_KEY_1, GLFW_KEY_2, GLFW_KEY_3}) reader.press(key);
  CHECK(order() == std::vector<std::size_t>{3, 0, 1, 2});
  CHECK(reader.player().work().answered);
  reader.press(GLFW_KEY_ENTER);
  REQUIRE(reader.desktop.app().director().truth());
  CHECK(reader.desktop.app().director().truth()->order == std::vector<std::size_t>{1, 3, 0, 2});
  CHECK(reader.on_screen("revealed"));
}

TEST_CASE("A step that is copied from the screen is pasted elsewhere as its settings") {
  Reader author("07-decay", 3);
  author.session->set("base", "777");
  author.desktop.settle();
  author.desktop.app().perform("copy_step");
  const std::string step = ImGui::GetClipboardText();
  INFO(step);
  CHECK(step.find("```state") != std::string::npos);
  author.press(GLFW_KEY_ESCAPE);
  ImGui::SetClipboardText(step.c_str());
  author.desktop.press(GLFW_KEY_V, true);
  author.desktop.settle();
  CHECK(author.session->current().experiment->info.name == "long_term_decay");
  CHECK(author.session->current().params.real("base") == 777);
  CHECK(author.session->view("decay_bound").x == Range{0, 64});
}

TEST_CASE("Undo stays within a step of a lesson, and behind it is what was before") {
  Reader reader("07-decay", 4);
  const auto base = [&] { return reader.session->current().params.real("base"); };
  reader.press(GLFW_KEY_SPACE);
  reader.press(GLFW_KEY_SPACE);
  REQUIRE(reader.player().at() == 5);
  const double of_step = base();
  const auto undo = [&] {
    reader.desktop.press(GLFW_KEY_Z, true);
    reader.desktop.settle();
  };
  undo();
  // The step itself is not undone.
  CHECK(reader.player().at() == 5);
  CHECK(base() == of_step);
  CHECK(reader.session->current().params == reader.player().step().state.params);
  reader.desktop.drag(reader.desktop.item("param base", 0.5),
                      reader.desktop.item("param base", 0.8));
  reader.desktop.settle();
  REQUIRE(base() != of_step);
  const double moved = base();
  undo();
  CHECK(base() == of_step);
  reader.desktop.press(GLFW_KEY_Z, true, true);
  reader.desktop.settle();
  CHECK(base() == moved);
  reader.press(GLFW_KEY_SPACE);
  reader.press(GLFW_KEY_SPACE);
  REQUIRE(reader.player().at() == 6);
  undo();
  CHECK(reader.session->current().params == reader.player().step().state.params);
  reader.press(GLFW_KEY_ESCAPE);
  undo();
  CHECK(reader.session->snapshot() == reader.before);
}

TEST_CASE("A long step scrolls with the keyboard, and its answer comes into sight") {
  Reader reader("02-wishes", 1, 900);
  reader.session->look.scale = 1.5;
  reader.desktop.settle();
  const auto top = [&] { return reader.desktop.item("step title").y; };
  const double before = top();
  reader.press(GLFW_KEY_PAGE_DOWN);
  CHECK(top() < before);
  CHECK(reader.player().at() == 1);
  reader.press(GLFW_KEY_PAGE_UP);
  CHECK(top() == before);
  reader.press(GLFW_KEY_SPACE);
  CHECK(reader.player().work().revealed);
  CHECK(top() < before);
}

TEST_CASE("The scoreboard fills in what a step settles once it is revealed, and stays") {
  Reader reader("02-wishes", 1);
  const Director& director = reader.desktop.app().director();
  const auto settled = [&] { return director.scoreboard().settled(); };
  CHECK(settled() == 5);
  CHECK_FALSE(director.scoreboard().has_news());
  CHECK_FALSE(reader.on_screen("box rope shift"));
  reader.press(GLFW_KEY_SPACE);
  CHECK(settled() == 10);
  CHECK(director.scoreboard().has_news());
  CHECK(reader.on_screen("box rope shift"));
  // Folded by the reader, until a step has news again.
  reader.desktop.click(reader.desktop.item("button Scoreboard"));
  reader.desktop.frame(2);
  CHECK_FALSE(reader.on_screen("box rope shift"));
  reader.press(GLFW_KEY_SPACE);
  CHECK(settled() == 13);
  CHECK(reader.on_screen("box rope shift"));
  reader.desktop.app().open_lesson("07-decay", 0);
  reader.desktop.settle();
  CHECK(settled() == 23);
  CHECK(reader.on_screen("button Scoreboard"));
  CHECK_FALSE(reader.on_screen("box rope shift"));
  reader.press(GLFW_KEY_B);
  CHECK(reader.on_screen("box rope shift"));
  reader.press(GLFW_KEY_ESCAPE);
  CHECK(director.is_open());
  reader.desktop.app().open_lesson("01-order", 0);
  reader.desktop.settle();
  CHECK_FALSE(reader.on_screen("button Scoreboard"));
}

TEST_CASE("Without controls the checks begin where the controls would") {
  Reader reader("02-wishes", 1);
  const auto chip = reader.desktop.app().item_rects().find("button Checks");
  const auto bar = reader.desktop.app().item_rects().find("status");
  REQUIRE((chip && bar));
  CHECK(chip->x - bar->x < 16);
}

TEST_CASE("The key that opens the scoreboard closes it, and Space goes on from it") {
  Reader reader("07-decay", 0);
  const auto large = [&] { return reader.on_screen("box rope shift"); };
  reader.press(GLFW_KEY_B);
  CHECK(large());
  reader.press(GLFW_KEY_B);
  CHECK_FALSE(large());
  reader.press(GLFW_KEY_B);
  REQUIRE(large());
  reader.press(GLFW_KEY_SPACE);
  CHECK_FALSE(large());
  CHECK(reader.player().at() == 1);
}

TEST_CASE("The scoreboard does not open over an exercise, unless it is asked to") {
  Reader reader("02-wishes", 5);
  REQUIRE(reader.player().step().exercise);
  REQUIRE(reader.desktop.app().director().scoreboard().has_news());
  CHECK_FALSE(reader.on_screen("box rope shift"));
  reader.desktop.click(reader.desktop.item("button Scoreboard"));
  reader.desktop.frame(2);
  CHECK(reader.on_screen("box rope shift"));
}

TEST_CASE("On a projector the figure has the room of controls that a step lacks") {
  Reader reader("02-wishes", 1);
  reader.session->look.projector = true;
  reader.desktop.settle();
  const auto bar = [&] { return *reader.desktop.app().item_rects().find("status"); };
  const auto figure_bottom = [&] {
    return reader.desktop.app().item_rects().figure("invariance_error")->area.bottom();
  };
  CHECK(bar().height == 0);
  CHECK(figure_bottom() > 780);
  // What the reveal settles is read below the figure.
  CHECK_FALSE(reader.on_screen("box rope shift"));
  reader.press(GLFW_KEY_SPACE);
  CHECK(reader.on_screen("box rope shift"));
  CHECK(figure_bottom() < bar().y);
  CHECK(reader.desktop.app().item_rects().find("scoreboard")->bottom() <= 800);
  reader.desktop.app().open_lesson("07-decay", 3);
  reader.desktop.settle();
  CHECK(reader.on_screen("param distance"));
  CHECK(bar().height > 0);
}

TEST_CASE("F4 lists the lessons, and a click opens one") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  desktop.press(GLFW_KEY_F4);
  desktop.frame(3);
  desktop.click(desktop.item("lesson 07-decay", 0.2));
  desktop.settle();
  REQUIRE(desktop.app().director().is_open());
  CHECK(desktop.app().director().player().lesson().number == 7);
}

TEST_CASE("A lesson goes on at the step where it was left, and at its first once it was read") {
  const LessonSheet::Card card{.file = "lessons/08-not-proved.md", .steps = 7};
  CHECK(next_step(card, {}) == 0);
  CHECK(next_step(card, {{"08-not-proved", {1}}}) == 0);
  CHECK(next_step(card, {{"08-not-proved", {4}}}) == 3);
  CHECK(next_step(card, {{"08-not-proved", {7}}}) == 0);
  CHECK(next_step(card, {{"08-not-proved", {9}}}) == 0);  // steps that are gone
  CHECK(next_step(card, {{"07-decay", {4}}}) == 0);
  Reader reader("07-decay", 2);
  CHECK(reader.session->lessons.at("07-decay").step == 3);
  reader.desktop.app().open_lesson("07-decay", 0);
  CHECK(reader.session->lessons.at("07-decay").step == 3);  // the furthest
  const std::string text = session_text(document_of(*reader.session));
  CHECK_THAT(text, Catch::Contains("[lesson.\"07-decay\"]\nstep = 3"));
  const auto again = start_session({}, {});
  CHECK(apply_session_text(*again, text).empty());
  CHECK(again->lessons == reader.session->lessons);
  const auto left_out =
      apply_session_text(*again, "orrery_session = 1\n[lesson.07-decay]\nstep = 0.5\n");
  CHECK(left_out.size() == 1);
}

TEST_CASE("A lesson that is edited is shown anew, with its errors beside the step") {
  const TempFolder folder;
  const std::filesystem::path file = folder.path() / "mine.md";
  const std::string head =
      "# Mine\n\n```lesson\nnumber: 1\nminutes: 5\nmisconception: None.\n```\n\n## "
      "One\n\nWords.\n\n"
      "```state\nexperiment = \"long_term_decay\"\n[params]\nbase = ";
  std::ofstream(file) << head << "700\n```\n\n```say\nA.\n```\n";
  Reader reader(file.string());
  CHECK(reader.session->current().params.real("base") == 700);
  const auto edit = [&](const std::string& text) {
    std::ofstream(file) << text;
    std::filesystem::last_write_time(
        file, std::filesystem::last_write_time(file) + std::chrono::seconds(2));
    for (int i = 0; i < 40; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
      reader.desktop.frame();
    }
    reader.desktop.settle();
  };
  edit(head + "900\n```\n\n```say\nA.\n```\n");
  CHECK(reader.session->current().params.real("base") == 900);
  edit(head + "abc\n```\n\n```say\nA.\n```\n");
  REQUIRE_FALSE(reader.player().problems().empty());
  CHECK(reader.on_screen("problem 16"));
}

TEST_CASE("Every step of every lesson is on screen: its controls, figures and what it points at") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  session->look.show_list.reset();
  session->look.show_panel.reset();
  Director& director = desktop.app().director();
  std::size_t seen = 0;
  for (const std::filesystem::path& file : bundled_lessons()) {
    director.open_file(file);
    for (std::size_t at = 0; at < director.player().size(); ++at) {
      if (!test::is_tried(seen++)) continue;
      director.pose(at, 1.0);
      desktop.settle();
      const LessonStep& step = director.player().step();
      INFO(file.filename().string() << " step " << at + 1 << ": " << step.title);
      CHECK(director.player().problems().empty());
      CHECK(director.findings().trouble.empty());
      CHECK(session->current().message.empty());
      CHECK(session->current().params == step.state.params);
      for (const std::string& key : step.controls) {
        INFO("control " << key);
        CHECK(desktop.app().item_rects().find("param " + key).has_value());
      }
      const auto has_figure = [&](const std::string& id) {
        INFO("figure " << id);
        const bool shown = std::any_of(session->on_screen.begin(), session->on_screen.end(),
                                       [&](const Figure* figure) { return figure->id == id; });
        CHECK(shown);
      };
      if (!step.state.figure.empty()) has_figure(step.state.figure);
      for (const Veil& veil : step.veils) has_figure(veil.figure);
      for (const FigureNote& note : step.notes) has_figure(note.figure);
      if (step.prediction) {
        if (const auto* draw = std::get_if<DrawCurve>(&step.prediction->kind))
          has_figure(draw->figure);
        if (const auto* mark = std::get_if<MarkCells>(&step.prediction->kind))
          has_figure(mark->map);
        CHECK(director.truth() != nullptr);
        director.reveal();
        desktop.settle();
        CHECK_FALSE(revealed_words(director).empty());
      }
    }
  }
  director.leave();
}

}  // namespace orrery
