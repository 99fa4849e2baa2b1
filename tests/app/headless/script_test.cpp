#include "app/headless/script.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "app/shell/start.h"
#include "experiments/files/file.h"
#include "tests/app/approved_picture.h"
#include "tests/app/fixture.h"
#include "tests/app/offscreen_or_none.h"
#include "tests/support/paths.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

const fs::path script_names = "app/scripts";

std::vector<fs::path> scripts() {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(script_names))
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// README and the manual show the pictures of the script readme.
fs::path picture_path(const fs::path& script, const std::string& name) {
  const fs::path folder = script.stem() == "readme"
                              ? fs::path(test::source_folder()) / "assets/pictures"
                              : fs::path(test::tests_folder()) / "approved/desktop";
  return folder / (name + ".png");
}

/// Paths are shown; so they must be the same wherever the project lies.
class InTests {
 public:
  InTests() : before_(fs::current_path()) { fs::current_path(test::tests_folder()); }
  ~InTests() { fs::current_path(before_); }
  InTests(const InTests&) = delete;
  InTests& operator=(const InTests&) = delete;

 private:
  fs::path before_;
};

TEST_CASE("Scripted sessions come true") {
  const InTests here;
  REQUIRE(scripts().size() == 6);
  for (const fs::path& script : scripts()) {
    const auto session = start_session({}, {});
    test::NullDesktop desktop(*session, 1280, 800);
    INFO(script.filename());
    CHECK_NOTHROW(play_script(text_of(script), script.string(),
                              {.session = *session,
                               .app = desktop.app(),
                               .frame = [&] { desktop.frame(); },
                               .settle = [&] { desktop.settle(); },
                               .picture = [](const std::string&) {}}));
  }
}

TEST_CASE("What scripted sessions show is as approved, the README's pictures among them") {
  const fs::path pictures = fs::current_path();
  const InTests here;
  for (const fs::path& script : scripts()) {
    const auto session = start_session({}, {});
    const auto desktop = test::offscreen_or_none(*session, 1280, 800);
    if (!desktop) return;
    const auto compare = [&](const std::string& name) {
      // The time that a computation took is on the status line.
      const Rect status = desktop->app().item_rects().find("status").value_or(Rect{});
      CHECK(test::difference_from_picture(picture_path(script, name), desktop->pixels(), status,
                                          pictures) == "");
    };
    INFO(script.filename());
    CHECK_NOTHROW(play_script(text_of(script), script.string(),
                              {.session = *session,
                               .app = desktop->app(),
                               .frame = [&] { desktop->pass(); },
                               .settle = [&] { desktop->settle(); },
                               .picture = compare}));
  }
}

TEST_CASE("A curve that is missing is a difference, and another picture is all different") {
  const test::FakeExperiment experiment(
      "curves", {test::n_param()}, [](const ParamSet&, Progress&) {
        return test::result_of({test::lines("curves", {{0, 1, 0}, {1, 0, 1}})});
      });
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  const auto desktop = test::offscreen_or_none(session, 1280, 800);
  if (!desktop) return;
  desktop->settle();
  const auto whole = desktop->pixels();
  CHECK(test::difference_of(*whole, *desktop->pixels()) == 0.0);
  session.view("curves").hidden = {"curve 0"};
  desktop->frame();
  CHECK(test::difference_of(*whole, *desktop->pixels()) > 2 * test::max_odd_share);
  session.look.theme = Theme::light;
  desktop->frame();
  CHECK(test::difference_of(*whole, *desktop->pixels()) > 0.5);
  CHECK(test::difference_of(*whole, {.width = 1, .height = 1, .pixels = {Color{}}}) == 1.0);
}

/// What comes of a script over one experiment with the parameter n.
std::string outcome_of(const std::string& script) {
  const test::FakeExperiment experiment(
      "curves", {test::n_param()}, [](const ParamSet&, Progress&) {
        return test::result_of({test::lines("curves", {{0, 1, 0}, {1, 0, 1}})});
      });
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  try {
    play_script(script, "some.txt",
                {.session = session,
                 .app = desktop.app(),
                 .frame = [&] { desktop.frame(); },
                 .settle = [&] { desktop.settle(); },
                 .picture = [](const std::string&) {}});
    return "came true";
  } catch (const ScriptFailure& failure) {
    return std::string("failed: ") + failure.what();
  } catch (const UsageError& error) {
    return std::string("refused: ") + error.what();
  }
}

TEST_CASE("A script moves what it names, and says what does not come true") {
  CHECK(outcome_of("expect param n is 10\n") == "came true");
  CHECK(outcome_of("# a comment\n\ndrag param n 0.1 to param n 0.99\nexpect param n is 100\n") ==
        "came true");
  CHECK(outcome_of("expect param n is 11") ==
        "failed: some.txt:1: expect param n is 11: it is \"10\"");
  CHECK(outcome_of("set n=30\nexpect param n has 3") == "came true");
  CHECK(outcome_of("set n=101") ==
        "failed: some.txt:1: set n=101: n=101: must lie in [0, 100]; try n=100");
  CHECK(outcome_of("click legend curves \"curve 1\"\nexpect hidden curves is \"curve 1\"") ==
        "came true");
  CHECK(outcome_of("wheel 2 figure curves 50% 50%\nexpect zoom curves is \"x, y\"\n"
                   "double-click figure curves 1 0.5\nexpect zoom curves is none") == "came true");
}

TEST_CASE("A script that is none is refused with its line and the nearest name") {
  CHECK_THAT(outcome_of("\nclik param n"), Contains("some.txt:2") && Contains("mean click"));
  CHECK_THAT(outcome_of("click param m"), Contains("no param m") && Contains("mean param n"));
  CHECK_THAT(outcome_of("click"), Contains("names no place"));
  CHECK_THAT(outcome_of("drag param n"), Contains("does not say where to"));
  CHECK_THAT(outcome_of("press Hyper+K"), Contains("hyper") && Contains("Ctrl"));
  CHECK_THAT(outcome_of("press Qq"), Contains("not a key"));
  CHECK_THAT(outcome_of("do undoo"), Contains("mean undo"));
  CHECK_THAT(outcome_of("wait soon"), Contains("not a number"));
  CHECK_THAT(outcome_of("expect n"), Contains("expect FACT is VALUE"));
  CHECK_THAT(outcome_of("expect mood is good"), Contains("not a fact"));
  CHECK_THAT(outcome_of("click figure curve 1 1"), Contains("mean figure curves"));
  // Nothing of a script with a step that is none is played.
  CHECK_THAT(outcome_of("expect param n is 11\nclik param n"), Contains("mean click"));
}

}  // namespace
}  // namespace orrery
