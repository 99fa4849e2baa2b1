// A monkey at mouse and keyboard. ORRERY_MONKEY=30000 lets it play longer, as an entry of its own
// among the sanitizers' tests does; ORRERY_MONKEY_SEED repeats what it did.
#include <GLFW/glfw3.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/support/temp_folder.h"

namespace orrery {
namespace {

constexpr std::uint64_t event_count = 1500;
constexpr std::uint64_t default_seed = 1;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

struct Screen {
  float width, height;
};
constexpr std::array screen_sizes{Screen{1280, 800}, Screen{1, 1},     Screen{3840, 2160},
                                  Screen{0, 0},      Screen{640, 480}, Screen{300, 900}};

constexpr std::array known_keys{GLFW_KEY_TAB,  GLFW_KEY_ENTER,   GLFW_KEY_ESCAPE,    GLFW_KEY_SPACE,
                                GLFW_KEY_LEFT, GLFW_KEY_RIGHT,   GLFW_KEY_UP,        GLFW_KEY_DOWN,
                                GLFW_KEY_HOME, GLFW_KEY_PAGE_UP, GLFW_KEY_PAGE_DOWN, GLFW_KEY_Z,
                                GLFW_KEY_Y,    GLFW_KEY_C,       GLFW_KEY_V,         GLFW_KEY_K,
                                GLFW_KEY_T,    GLFW_KEY_EQUAL,   GLFW_KEY_MINUS,     GLFW_KEY_0,
                                GLFW_KEY_B,    GLFW_KEY_P,       GLFW_KEY_F5,        GLFW_KEY_F1,
                                GLFW_KEY_E,    GLFW_KEY_O,       GLFW_KEY_J,         GLFW_KEY_L,
                                GLFW_KEY_R,    GLFW_KEY_PERIOD,  GLFW_KEY_BACKSPACE, GLFW_KEY_A};

constexpr std::array typed_texts{"?",  "n",   "dim=", "64",          "rope", "",  "θ", "-1e400",
                                 "\t", "nan", "/",    "/etc/passwd", "=",    ".", "中"};

class Monkey {
 public:
  Monkey(test::NullDesktop& desktop, std::uint64_t seed) : desktop_(desktop), random_(seed) {}

  /// Does one thing; a frame follows now and then.
  void act() {
    switch (pick(12)) {
      case 0:
      case 1:
      case 2:
        return move();
      case 3:
      case 4:
        return button(0);
      case 5:
        return button(1);
      case 6:
        return shim::inject_wheel(desktop_.io(), static_cast<float>(pick(9)) - 4.0f);
      case 7:
      case 8:
        return key();
      case 9:
        return shim::inject_text(desktop_.io(), typed_texts[pick(typed_texts.size())]);
      case 10:
        return rare();
      default:
        return;
    }
  }
  /// Many things, with a frame after every third.
  void play(std::uint64_t events) {
    for (std::uint64_t i = 0; i < events; ++i) {
      act();
      if (i % 3 == 0) desktop_.frame();
    }
  }
  void let_go() {
    for (int i = 0; i < 2; ++i) shim::inject_mouse_button(desktop_.io(), i, false);
    for (const int key : known_keys) shim::inject_key(desktop_.io(), key, false);
    shim::inject_control(desktop_.io(), false);
    shim::inject_shift(desktop_.io(), false);
  }

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }

  void move() {
    const ImVec2 size = desktop_.io().DisplaySize;
    const auto along = [&](float length) {
      return static_cast<double>(length) * (static_cast<double>(pick(1200)) / 1000 - 0.1);
    };
    shim::inject_mouse_position(desktop_.io(), {along(size.x), along(size.y)});
  }
  void button(int which) { shim::inject_mouse_button(desktop_.io(), which, pick(2) == 0); }
  void key() {
    shim::inject_control(desktop_.io(), pick(2) == 0);
    shim::inject_shift(desktop_.io(), pick(4) == 0);
    shim::inject_key(desktop_.io(), known_keys[pick(known_keys.size())], pick(3) > 0);
  }
  /// What happens once in a while: the window changes, a file falls on it, a minute passes.
  void rare() {
    switch (pick(8)) {
      case 0: {
        const Screen& screen = screen_sizes[pick(screen_sizes.size())];
        desktop_.io().DisplaySize = ImVec2(screen.width, screen.height);
        return;
      }
      case 1:
        return desktop_.app().drop({"/nowhere/q.npy"});
      case 2:
        return desktop_.app().drop({"/etc", "a.txt", "b.npz"});
      case 3:
        // Rarely: fonts are loaded anew each time.
        if (pick(10) == 0) desktop_.app().set_screen_scale(pick(2) == 0 ? 1.0 : 3.0);
        return;
      case 4:
        desktop_.io().DeltaTime = pick(2) == 0 ? 1.0f / 60.0f : 60.0f;
        return;
      case 5:
        return shim::inject_mouse_away(desktop_.io());
      default:
        return let_go();
    }
  }

  test::NullDesktop& desktop_;
  std::mt19937_64 random_;
};

/// A desktop that keeps its session and writes nothing else.
struct Playground {
  TempFolder folder{};
  std::unique_ptr<Session> session{start_session({}, {})};
  test::NullDesktop desktop{*session, 1280, 800};

  Playground() {
    desktop.app().keep_session(folder.path() / "session.toml");
    // Whatever path it types, nothing of this machine is overwritten.
    desktop.app().exports().write_with(
        [](const ExportRequest& request) { return ExportOutcome{.written = {request.path}}; });
  }
};

/// Back to where a session starts: every view with its defaults, the first one shown.
void calm_down(test::NullDesktop& desktop, Session& session, Monkey& monkey) {
  monkey.let_go();
  desktop.io().DisplaySize = ImVec2(1280, 800);
  desktop.io().DeltaTime = 1.0f / 60.0f;
  desktop.app().set_screen_scale(1.0);
  for (int i = 0; i < 3; ++i) desktop.press(GLFW_KEY_ESCAPE);
  for (std::size_t i = session.size(); i-- > 0;) {
    session.select(i);
    session.reset_all();
    session.look = {};
    desktop.settle();
  }
}

/// Bytes that the program holds from the allocator. Large blocks are pages of their own until one
/// of their size was freed, and part of its heaps from then on: both are counted.
std::size_t bytes_in_use() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Hidden: it takes as long as it is told to. ORRERY_MONKEY=2000000 plays for half an hour. With
// ORRERY_MONKEY_MODEL=FILE it plays with the heads of that model, which is opened again and again.
TEST_CASE("However long a monkey plays, memory does not grow", "[.memory]") {
  constexpr int rounds = 20;
  constexpr std::size_t slack = 8 << 20;  // caches that fill up, and histories up to their length
  const std::uint64_t events = from_environment("ORRERY_MONKEY", 100 * event_count);
  const char* model = std::getenv("ORRERY_MONKEY_MODEL");
  Playground playground;
  auto& [folder, session, desktop] = playground;
  Monkey monkey(desktop, from_environment("ORRERY_MONKEY_SEED", default_seed));
  const auto open_model = [&, &session = session, &desktop = desktop] {
    if (!model) return;
    session->select(session->find("model_heads").value());
    CHECK(session->set("model", model));
    desktop.settle();
  };
  std::vector<std::size_t> in_use;
  for (int round = 0; round < rounds; ++round) {
    for (int opened = 0; opened < 10; ++opened) {
      open_model();
      monkey.play(events / rounds / 10);
      if (model) calm_down(desktop, *session, monkey);
    }
    calm_down(desktop, *session, monkey);
    open_model();
    in_use.push_back(bytes_in_use());
    std::printf("%d of %d: %zu KiB\n", round + 1, rounds, in_use.back() >> 10);
    std::fflush(stdout);
  }
  const std::size_t early = *std::max_element(in_use.begin(), in_use.begin() + rounds / 4);
  CHECK(in_use.back() <= early + slack);
}

TEST_CASE("A monkey at mouse and keyboard breaks nothing") {
  const std::uint64_t events = from_environment("ORRERY_MONKEY", event_count);
  const std::uint64_t seed = from_environment("ORRERY_MONKEY_SEED", default_seed);
  INFO("ORRERY_MONKEY=" << events << " ORRERY_MONKEY_SEED=" << seed);
  Playground playground;
  auto& [folder, session, desktop] = playground;
  Monkey monkey(desktop, seed);
  monkey.play(events);
  monkey.let_go();
  desktop.io().DisplaySize = ImVec2(1280, 800);
  desktop.app().set_screen_scale(1.0);
  desktop.settle();
  // It still obeys.
  for (int i = 0; i < 3; ++i) desktop.press(GLFW_KEY_ESCAPE);
  session->select(0);
  const ParamSet before = session->current().params;
  CHECK(session->set("seed", before.integer("seed") == 5 ? "6" : "5"));
  desktop.settle();
  CHECK_FALSE(session->busy());
}

}  // namespace
}  // namespace orrery
