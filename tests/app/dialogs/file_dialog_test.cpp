#include <GLFW/glfw3.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/support/temp_folder.h"

namespace orrery {
namespace {

/// The attention map and a folder with two texts.
struct DeskWithTexts {
  DeskWithTexts() {
    files.file("first_text.txt", "one two");
    files.file("second_text.txt", "three four");
    desktop.settle();
  }
  /// Opens the dialog, types a path, with Tab after it where it is to be completed, and Enter.
  void open(const std::string& path, bool complete = false) {
    desktop.press(GLFW_KEY_O, true);
    desktop.frame(3);
    desktop.type(path);
    wait_for("entry second_text.txt");
    CHECK_FALSE(desktop.app().item_rects().find("entry first_text.txt"));
    if (complete) desktop.press(GLFW_KEY_TAB);
    desktop.press(GLFW_KEY_ENTER);
    desktop.settle();
  }
  /// Folders are read in the background.
  void wait_for(const std::string& item) {
    while (!desktop.app().item_rects().find(item)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      desktop.frame();
    }
  }
  std::string text() const { return session->current().params.text("text"); }

  TempFolder files{};
  std::filesystem::path folder{files.path()};
  std::unique_ptr<Session> session{start_session({.view = "attention_map"}, {})};
  test::NullDesktop desktop{*session, 1280, 800};
};

}  // namespace

TEST_CASE("A path is typed anew each time the dialog opens") {
  DeskWithTexts desk;
  desk.open((desk.folder / "second_text.txt").string());
  desk.session->reset("text");
  desk.open((desk.folder / "second_text.txt").string());
  CHECK(desk.text() == (desk.folder / "second_text.txt").string());
}

TEST_CASE("Tab completes a path, what is typed filters the names") {
  DeskWithTexts desk;
  desk.open((desk.folder / "SEC").string(), true);
  CHECK(desk.text() == (desk.folder / "second_text.txt").string());
}

}  // namespace orrery
