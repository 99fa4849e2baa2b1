#include "app/session/session_file.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/support/temp_folder.h"

namespace orrery {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::unique_ptr<Session> restored(const std::filesystem::path& file) {
  return start_session({.session = file}, {});
}

/// What a desktop that was changed and closed leaves behind.
std::string leave_session(const std::filesystem::path& file) {
  const auto session = restored(file);
  SessionKeeper keeper(*session, file);
  session->select(*session->find("relative_invariance"));
  session->set("seed", "7");
  session->look.theme = Theme::light;
  keeper.finish();
  return content(file);
}

TEST_CASE("The next start finds the session as it was left") {
  const TempFolder folder;
  const auto file = folder.path() / "state/orrery/session.toml";
  leave_session(file);
  const auto session = restored(file);
  CHECK(session->current().experiment->info.name == "relative_invariance");
  CHECK(session->current().params.integer("seed") == 7);
  CHECK(session->look.theme == Theme::light);
  CHECK(session->current().message.empty());
}

TEST_CASE("What is asked for on the command line stands above the last session") {
  const TempFolder folder;
  const auto file = folder.path() / "session.toml";
  leave_session(file);
  const auto session = start_session(
      {.view = "relative_invariance", .overrides = {"seed=9"}, .theme = "print", .session = file},
      {});
  CHECK(session->current().params.integer("seed") == 9);
  CHECK(session->look.theme == Theme::print);
}

TEST_CASE("A damaged session is a message, a fresh start, and kept aside") {
  const TempFolder folder;
  const auto file = folder.path() / "session.toml";
  const std::string good = leave_session(file);
  std::string deep = "a";  // more levels than a stack has room for
  for (int level = 0; level < 50'000; ++level) deep += ".a";
  for (const std::string& bytes :
       {deep + " = 1\n", std::string("\x00\xFF\xFE", 3), std::string("orrery_session = "),
        std::string("a = 1"), std::string(1 << 20, '['),
        good.substr(0, good.size() / 2) + "\n\"\x01"}) {
    std::ofstream(file, std::ios::binary) << bytes;
    const auto session = restored(file);
    CHECK(session->current().message.find("the last session could not be read") !=
          std::string::npos);
    CHECK(session->selected() == 0);
    CHECK_FALSE(std::filesystem::exists(file));
    CHECK(content(folder.path() / "session.toml.damaged") == bytes);
  }
}

TEST_CASE("A folder in place of the session file is a message, too") {
  const TempFolder folder;
  const auto session = restored(folder.path());
  CHECK_FALSE(session->current().message.empty());
}

TEST_CASE("The session is written once it rests, whole or not at all") {
  const TempFolder folder;
  const auto file = folder.path() / "session.toml";
  folder.file(".session.toml.tmp-4194303-0123abcd", "of a process that is gone");
  const auto session = start_session({}, {});
  SessionKeeper keeper(*session, file);
  CHECK(keeper.watch(0.0).empty());
  CHECK(keeper.due_in(0.0) < 0);
  session->set("dim", "64");
  CHECK(keeper.watch(1.0).empty());
  CHECK(keeper.due_in(1.5) == Approx(1.5));
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK(keeper.watch(3.1).empty());
  CHECK(content(file).find("dim = 64") != std::string::npos);
  CHECK(keeper.due_in(3.1) < 0);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("A session that cannot be written is told once") {
  const TempFolder folder;
  std::ofstream(folder.path() / "file") << "in the way";
  const auto session = start_session({}, {});
  SessionKeeper keeper(*session, folder.path() / "file/session.toml");
  session->set("dim", "64");
  keeper.watch(1.0);
  CHECK(keeper.watch(4.0).find("file") != std::string::npos);
  session->set("dim", "32");
  keeper.watch(5.0);
  CHECK(keeper.watch(9.0).empty());
}

TEST_CASE("The session's file follows XDG_STATE_HOME, then HOME") {
  const char* home = std::getenv("HOME");
  const std::string old_home = home ? home : "";
  const char* state = std::getenv("XDG_STATE_HOME");
  const std::string old_state = state ? state : "";
  ::setenv("XDG_STATE_HOME", "/tmp/state", 1);
  CHECK(session_path() == "/tmp/state/orrery/session.toml");
  ::setenv("XDG_STATE_HOME", "relative", 1);  // the specification says to ignore those
  ::setenv("HOME", "/home/me", 1);
  CHECK(session_path() == "/home/me/.local/state/orrery/session.toml");
  ::unsetenv("XDG_STATE_HOME");
  ::unsetenv("HOME");
  CHECK(session_path().empty());
  if (home) ::setenv("HOME", old_home.c_str(), 1);
  if (state) ::setenv("XDG_STATE_HOME", old_state.c_str(), 1);
}

}  // namespace
}  // namespace orrery
