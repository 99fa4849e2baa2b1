// Two windows of the desktop keep one session file.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "app/session/desktop_state.h"
#include "app/session/session_file.h"
#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/support/temp_folder.h"

namespace orrery {
namespace {

using Paths = std::vector<std::string>;

/// A window without a screen: a session and what keeps it.
struct Window {
  explicit Window(const std::filesystem::path& file)
      : session(start_session({.session = file}, {})), keeper(*session, file) {}

  void choose(const std::string& view) { session->select(*session->find(view)); }

  std::unique_ptr<Session> session;
  SessionKeeper keeper;
};

TEST_CASE("What one window opened, the other does not take out of the recent files") {
  const TempFolder folder;
  const auto file = folder.path() / "session.toml";
  Window a(file), b(file);
  a.session->remember_path("/a");
  a.keeper.finish();
  b.session->remember_path("/b");
  b.keeper.finish();
  CHECK(Window(file).session->recent == Paths{"/b", "/a"});
  a.session->remember_path("/c");
  a.keeper.finish();
  CHECK(Window(file).session->recent == Paths{"/c", "/b", "/a"});
}

TEST_CASE("What one window changed stays where the other has not changed the same") {
  const TempFolder folder;
  const auto file = folder.path() / "session.toml";
  Window a(file), b(file);
  a.choose("rotation");
  a.session->set("dim", "32");
  a.session->look.theme = Theme::light;
  a.keeper.finish();
  b.choose("spectrum");
  b.session->set("dim", "16");
  b.keeper.finish();
  const auto dim_of = [&](Window& window, const char* view) {
    window.choose(view);
    return window.session->current().params.integer("dim");
  };
  Window c(file);
  CHECK(c.session->current().experiment->info.name == "spectrum");  // as it was left last
  CHECK(c.session->look.theme == Theme::light);
  CHECK(dim_of(c, "rotation") == 32);
  CHECK(dim_of(c, "spectrum") == 16);
  SECTION("and of two that changed the same the last one stays") {
    b.choose("rotation");
    b.session->set("dim", "8");
    b.keeper.finish();
    Window d(file);
    CHECK(dim_of(d, "rotation") == 8);
  }
  SECTION("and what was written once is not written over a newer one") {
    a.choose("spectrum");
    a.session->set("dim", "24");
    a.keeper.finish();
    b.session->remember_path("/later");
    b.keeper.finish();
    Window d(file);
    CHECK(dim_of(d, "spectrum") == 24);
  }
}

TEST_CASE("A single window writes what it shows, its command line included") {
  const TempFolder folder;
  const auto file = folder.path() / "session.toml";
  Window(file).keeper.finish();
  const auto session = start_session({.theme = "print", .session = file}, {});
  SessionKeeper keeper(*session, file);
  session->remember_path("/a");
  keeper.finish();
  CHECK(Window(file).session->look.theme == Theme::print);
}

TEST_CASE("Processes that write at the same time lose none of their paths") {
  const TempFolder folder;
  const auto file = folder.path() / "session.toml";
  constexpr int processes = 6;
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto session = start_session({.session = file}, {});
      SessionKeeper keeper(*session, file);
      session->remember_path("/" + std::to_string(i));
      keeper.finish();
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  CHECK(Window(file).session->recent.size() == processes);
}

TEST_CASE("A file that another window damaged is moved aside, and this one's is written") {
  const TempFolder folder;
  const auto file = folder.path() / "session.toml";
  Window a(file);
  std::ofstream(file) << "orrery_session = ";
  a.session->remember_path("/a");
  a.keeper.finish();
  CHECK(Window(file).session->recent == Paths{"/a"});
  CHECK(std::filesystem::exists(folder.path() / "session.toml.damaged"));
}

TEST_CASE("United paths: each once, what is new first, the newest of both kept") {
  CHECK(united_paths({"x"}, {"b", "x"}, {"a", "x"}) == Paths{"a", "b", "x"});
  CHECK(united_paths({}, {"a", "b"}, {"b"}) == Paths{"b", "a"});
  Paths many;
  for (std::size_t i = 0; i < max_recent; ++i) many.push_back(std::to_string(i));
  Paths mine = many;
  mine.insert(mine.begin(), "mine");
  mine.pop_back();
  Paths other = many;
  other.insert(other.begin(), "other");
  other.pop_back();
  const Paths all = united_paths(many, other, mine);
  CHECK(all.size() == max_recent);
  CHECK(all[0] == "mine");
  CHECK(all[1] == "other");
}

TEST_CASE("Whatever is wrong with a session's file, it is moved aside and the desktop starts") {
  const TempFolder folder;
  const auto file = folder.path() / "session.toml";
  std::string nested = "x = ";
  for (int i = 0; i < 100; ++i) nested += "[";
  for (const std::string& bytes :
       {std::string(5 << 20, '#'), nested, std::string("orrery_session = 1\norrery_session = 2\n"),
        std::string("\n\n"), std::string()}) {
    std::ofstream(file, std::ios::binary) << bytes;
    const auto session = start_session({.session = file}, {});
    CHECK_FALSE(std::filesystem::exists(file));
    CHECK(std::filesystem::file_size(folder.path() / "session.toml.damaged") == bytes.size());
    CHECK(session->current().message.find("could not be read") != std::string::npos);
  }
}

}  // namespace
}  // namespace orrery
