// A sweep that is killed, or whose system calls fail, at every place where it can: enumerated with
// strace's injection. After it is taken up again the folder is byte for byte that of a
// sweep that was left alone.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "tests/cli/shell.h"
#include "tests/support/sampled.h"
#include "tests/support/sweep_tree.h"

namespace {

using namespace orrery::test;
namespace fs = std::filesystem;

constexpr int killed = 128 + 9;
constexpr int io_failure = 4;

// One thread, so that the order of system calls is always the same.
const std::string sweep = "sweep spectrum dim=4,6 --format svg --threads 1 --quiet --out d";
const std::string packed = "sweep spectrum dim=4,6 --format none --threads 1 --quiet --out d";
const std::string resume = "resume d --threads 1 --quiet";

/// Everything that changes what a disk holds.
const std::vector<std::string> durable{"openat", "write",     "pwrite64",  "fsync",
                                       "syncfs", "ftruncate", "rename",    "mkdir",
                                       "unlink", "unlinkat",  "renameat2", "rmdir"};

/// The n-th call of its name, which is where something is injected.
struct Place {
  std::string call{};
  int n{};
  std::string line{};  ///< as strace shows it
};

std::string injection(const Place& place, const std::string& what) {
  return fmt::format("-e inject={}:{}:when={}", place.call, what, place.n);
}

/// Runs orrery under strace, and not for ever: it dies with the time limit. Leaks cannot be looked
/// for under a tracer.
Outcome traced(const Shell& shell, const std::string& flags, const std::string& arguments) {
  return shell.run_program(
      fmt::format("ASAN_OPTIONS=detect_leaks=0 timeout 600 strace -f -y -qq -o trace.txt {} -- ",
                  flags),
      arguments);
}

bool can_trace() {
  const Shell shell;
  return traced(shell, "-e trace=write", "--version").status == 0 &&
         content(shell.folder() / "trace.txt").find("write") != std::string::npos;
}

bool changes_the_disk(const std::string& call, const std::string& line) {
  if (line.find(call + "(") == std::string::npos) return false;
  if (call == "openat") return line.find("O_CREAT") != std::string::npos;
  // Talk to people is none; what goes to standard output is tried elsewhere. Pipes are of the
  // sanitizers, which ask the kernel that way whether memory can be read.
  return call != "write" ||
         (line.find("write(2<") == std::string::npos && line.find("<pipe:[") == std::string::npos);
}

/// Where the command changes the disk, in the shell's folder as it stands.
std::vector<Place> places_of(const Shell& shell, const std::string& arguments) {
  traced(shell, fmt::format("-e trace={}", fmt::join(durable, ",")), arguments);
  std::ifstream trace(shell.folder() / "trace.txt");
  std::map<std::string, int> counts;
  std::vector<Place> places;
  for (std::string line; std::getline(trace, line);)
    for (const std::string& call : durable) {
      if (line.find(" " + call + "(") == std::string::npos) continue;
      const int n = ++counts[call];
      if (changes_the_disk(call, line)) places.push_back({call, n, line});
    }
  return places;
}

std::string differences(const Tree& a, const Tree& b) {
  std::string text;
  for (const auto& [name, bytes] : a)
    if (!b.contains(name))
      text += "- " + name + "\n";
    else if (b.at(name) != bytes)
      text += "* " + name + "\n";
  for (const auto& [name, bytes] : b)
    if (!a.contains(name)) text += "+ " + name + "\n";
  return text;
}

/// Files that a process left half written: hidden, and not the lock.
std::string strays(const fs::path& folder) {
  std::string found;
  std::error_code missing;
  if (!fs::exists(folder, missing)) return found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.front() == '.' && name != ".lock") found += name + " ";
  }
  return found;
}

const Tree& undisturbed(const std::string& command = sweep) {
  static std::map<std::string, Tree> trees;
  if (!trees.contains(command)) {
    const Shell shell;
    REQUIRE(shell.run(command).status == 0);
    trees[command] = sweep_tree(shell.folder() / "d");
  }
  return trees.at(command);
}

/// What a user does next: resume, or start again where there is no plan yet.
std::string next_command(const Shell& shell, const std::string& command) {
  return fs::exists(shell.folder() / "d/plan.json") ? resume : command;
}

/// One line a place for whoever wants to read what happened.
class FaultTable {
 public:
  explicit FaultTable(const std::string& name) : out_(fmt::format("faults-{}.txt", name)) {}
  void add(const Place& place, const std::string& what, int status, bool same) {
    out_ << fmt::format("{:10} {:4}  {:24} exit {:3}  then {}\n    {}\n", place.call, place.n, what,
                        status, same ? "identical" : "DIFFERENT", place.line);
  }

 private:
  std::ofstream out_;
};

void finish_and_compare(const Shell& shell, const Place& place, const std::string& what, int status,
                        FaultTable& table, const std::string& command = sweep) {
  const Outcome again = shell.run(next_command(shell, command));
  CHECK(again.status == 0);
  const std::string different = differences(undisturbed(command), sweep_tree(shell.folder() / "d"));
  table.add(place, what, status, different.empty());
  INFO(place.line << "\n" << again.err);
  CHECK(different.empty());
  CHECK(strays(shell.folder() / "d").empty());
}

}  // namespace

#define SKIP_WITHOUT_STRACE()                                                       \
  if (!can_trace()) {                                                               \
    WARN("skipped: strace is not installed, or this system lets nobody be traced"); \
    return;                                                                         \
  }

TEST_CASE("A sweep that is killed at any change of the disk is finished as if nothing had been") {
  SKIP_WITHOUT_STRACE();
  FaultTable table("killed");
  for (const std::string& command : {sweep, packed}) {
    const std::vector<Place> places = places_of(Shell(), command);
    REQUIRE(places.size() > 25);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!is_tried(i)) continue;
      const Shell shell;
      const Outcome cut = traced(shell, injection(places[i], "signal=KILL"), command);
      INFO(command << "\n" << places[i].line);
      CHECK(cut.status == killed);
      finish_and_compare(shell, places[i], "kill -9", cut.status, table, command);
    }
  }
}

TEST_CASE("A resume that is killed at any change of the disk can be resumed as well") {
  SKIP_WITHOUT_STRACE();
  FaultTable table("killed-in-resume");
  // First kill: while the second point is being put in its place.
  std::vector<Place> renames = places_of(Shell(), sweep);
  std::erase_if(renames, [](const Place& place) { return place.call != "rename"; });
  REQUIRE(renames.size() > 3);
  const auto begin = [&](const Shell& shell) {
    CHECK(traced(shell, injection(renames[2], "signal=KILL"), sweep).status == killed);
  };
  const Shell first;
  begin(first);
  const std::vector<Place> places = places_of(first, resume);
  REQUIRE(places.size() > 20);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!is_tried(i)) continue;
    const Shell shell;
    begin(shell);
    const Outcome cut = traced(shell, injection(places[i], "signal=KILL"), resume);
    INFO(places[i].line);
    CHECK(cut.status == killed);
    finish_and_compare(shell, places[i], "kill -9 in resume", cut.status, table);
  }
}

TEST_CASE(
    "A disk that is full or broken at any change ends with status 4 and nothing half written") {
  SKIP_WITHOUT_STRACE();
  const std::string command = GENERATE(sweep, packed);
  FaultTable table(command == packed ? "errors-packed" : "errors");
  const std::vector<Place> places = places_of(Shell(), command);
  const std::map<std::string, std::string> fails{
      {"ENOSPC", "openat mkdir write pwrite64 rename"},
      {"EIO", "write fsync syncfs ftruncate rename renameat2 unlink unlinkat rmdir"},
      {"EROFS", "openat mkdir rename"}};
  for (const auto& [error, calls] : fails)
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!is_tried(i)) continue;
      if (calls.find(places[i].call) == std::string::npos) continue;
      const Shell shell;
      const Outcome cut = traced(shell, injection(places[i], "error=" + error), command);
      INFO(command << "\n" << error << " at " << places[i].line << "\n" << cut.err);
      // What only serves a message (who holds the lock) or the tidying up may fail unseen.
      CHECK((cut.status == io_failure || cut.status == 0));
      if (cut.status == 0)
        CHECK(differences(undisturbed(command), sweep_tree(shell.folder() / "d")).empty());
      if (cut.status != 0) CHECK(cut.err.find("orrery: ") != std::string::npos);
      if (places[i].call.find("unlink") == std::string::npos)
        CHECK(strays(shell.folder() / "d").empty());
      finish_and_compare(shell, places[i], error, cut.status, table, command);
    }
}

TEST_CASE("Where the file system has no locks a sweep says so and is the same") {
  SKIP_WITHOUT_STRACE();
  for (const std::string error : {"ENOLCK", "EIO"}) {
    const Shell shell;
    const std::string no_locks = "-e inject=flock:error=" + error;
    const Outcome swept = traced(shell, no_locks, sweep);
    INFO(error << "\n" << swept.err);
    CHECK(swept.status == 0);
    CHECK(swept.err.find("this file system has no locks: d is held by a line in its .lock") !=
          std::string::npos);
    CHECK(traced(shell, no_locks, resume).status == 0);
    CHECK(differences(undisturbed(), sweep_tree(shell.folder() / "d")).empty());
    CHECK(strays(shell.folder()).empty());
  }
}

TEST_CASE("Where the file system cannot be waited for a sweep says what is not promised") {
  SKIP_WITHOUT_STRACE();
  for (const std::string error : {"ENOSYS", "EINVAL", "EOPNOTSUPP"}) {
    const Shell shell;
    const Outcome swept = traced(shell, "-e inject=fsync,syncfs:error=" + error, sweep);
    INFO(error << "\n" << swept.err);
    CHECK(swept.status == 0);
    const std::string said = "after a power failure new files may be missing";
    const std::size_t first = swept.err.find(said);
    CHECK(first != std::string::npos);
    CHECK(swept.err.find(said, first + 1) == std::string::npos);
    CHECK(differences(undisturbed(), sweep_tree(shell.folder() / "d")).empty());
  }
}

TEST_CASE("A point waits for the disk three times: for its files, its name and its journal line") {
  SKIP_WITHOUT_STRACE();
  const auto waits = [](const std::string& values) {
    const std::vector<Place> places =
        places_of(Shell(), "sweep spectrum " + values + " --threads 1 --quiet --out d");
    return std::count_if(places.begin(), places.end(), [](const Place& place) {
      return place.call.find("sync") == 0 || place.call == "fsync";
    });
  };
  constexpr int more_points = 3, waits_per_point = 3;
  CHECK(waits("dim=4,6,8,10,12") - waits("dim=4,6") == more_points * waits_per_point);
}

TEST_CASE("Standard output that takes nothing ends with status 4, and the points are there") {
  const std::string talkative = "sweep spectrum dim=4,6 --format svg --threads 1 --out d";
  for (const std::string redirect : {">/dev/full", ">&-"}) {
    const Shell shell;
    const Outcome outcome = shell.run(talkative, redirect);
    INFO(redirect << "\n" << outcome.err);
    CHECK(outcome.status == io_failure);
    CHECK(outcome.err.find("standard output") != std::string::npos);
    CHECK(differences(undisturbed(), sweep_tree(shell.folder() / "d")).empty());
  }
  const Shell shell;
  // The reader is gone before anything is written.
  const Outcome outcome = shell.run(talkative, "| true");
  CHECK(differences(undisturbed(), sweep_tree(shell.folder() / "d")).empty());
}

TEST_CASE("A folder that cannot be one is refused before anything is computed") {
  const Shell shell;
  shell.write("file", "mine");
  fs::create_directories(shell.folder() / "other");
  shell.write("other/notes.txt", "mine");
  REQUIRE(std::system(("mkfifo '" + (shell.folder() / "pipe").string() + "'").c_str()) == 0);
  for (const std::string out :
       {"file", "pipe", "/dev/null", "other", "/proc/orrery", "file/below"}) {
    const Outcome outcome = shell.run("sweep spectrum dim=4,6 --format none --out " + out);
    INFO(out << "\n" << outcome.err);
    CHECK(outcome.status == io_failure);
    CHECK(outcome.out.empty());
  }
  CHECK(content(shell.folder() / "file") == "mine");
  CHECK(content(shell.folder() / "other/notes.txt") == "mine");
  CHECK(strays(shell.folder()).empty());
}
