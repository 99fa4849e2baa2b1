// Ends the process, in the way that the argument names, while work still runs: as when the window
// is closed. Succeeds when nothing is used after it is gone; ThreadSanitizer or AddressSanitizer
// looks on.
#include <filesystem>
#include <iostream>
#include <map>

#include "app/session/file_targets.h"
#include "app/session/folder_listing.h"
#include "app/session/task.h"
#include "tests/support/sweep_fixture.h"
#include "tests/threads/session/experiments.h"

using namespace orrery;
using namespace std::chrono_literals;

namespace {

/// A window that work wakes.
struct Window {
  std::atomic<int> woken{0};
  std::string title{"a title that is longer than any short string"};
};

/// A folder that holds a sweep, for work that reads as the desktop does.
std::filesystem::path saved_folder() {
  const std::filesystem::path folder = "leave_while_working_sweep";
  std::filesystem::remove_all(folder);
  test::write_sweep(folder, {"dim", "base"}, test::fixture_points());
  return folder;
}

/// Reads for longer than the program goes on.
std::size_t read_for_long(const std::filesystem::path& folder) {
  std::size_t entries = 0;
  const auto end = std::chrono::steady_clock::now() + 1s;
  while (std::chrono::steady_clock::now() < end) {
    entries += list_folder(folder).entries.size();
    const OpenedPath opened = look_at(folder);
    for (const PointRecord& point : opened.saved->points)
      if (point.is_done()) entries += saved_facts(point.folder).size();
  }
  return entries;
}

void read_in_tasks(const std::function<void()>& wake) {
  const std::filesystem::path folder = saved_folder();
  for (int i = 0; i < 3; ++i)
    const BackgroundTask<std::size_t> dropped([folder] { return read_for_long(folder); }, wake);
  std::this_thread::sleep_for(100ms);
}

void task_reads() { read_in_tasks({}); }

/// The work ends after the window it would wake.
void task_wakes_nobody() {
  Window window;
  const Waker waker([&] { ++window.woken; });
  for (int i = 0; i < 50; ++i) {
    const auto shortly = [i] {
      return std::this_thread::sleep_for(std::chrono::milliseconds(i)), i;
    };
    const BackgroundTask<int> dropped(shortly, waker.function());
  }
  std::this_thread::sleep_for(25ms);
}

void store_destroyed() {
  const Experiment one = test::working_experiment("one");
  ResultStore store(test::loads_nothing, [] {});
  ResultStore::Asker asker(store);
  ParamSet params(one.info.params);
  params.set("n", "100000");
  asker.ask({&one, params});
  std::this_thread::sleep_for(20ms);
}

void fill(Session& session) {
  session.set("n", "100000");
  ParamSet params = session.current().params;
  params.set("n", "99998");
  session.preview(Session::Beside::at_distance, params);
  std::this_thread::sleep_for(20ms);
  session.update();
}

void session_destroyed() {
  const Experiment one = test::working_experiment("one");
  Window window;
  Session session({&one}, test::loads_nothing, [&] { ++window.woken; });
  fill(session);
}

/// As when the process is ended from a signal's handler or from deep within a library.
void session_leaked() {
  static const Experiment one = test::working_experiment("one");
  static auto* const session = new Session({&one}, test::loads_nothing, [] {});
  fill(*session);
}

const std::map<std::string, void (*)()>& ways() {
  static const std::map<std::string, void (*)()> all{{"task_reads", task_reads},
                                                     {"task_wakes_nobody", task_wakes_nobody},
                                                     {"store_destroyed", store_destroyed},
                                                     {"session_destroyed", session_destroyed},
                                                     {"session_leaked", session_leaked}};
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const auto way = ways().find(argc == 2 ? argv[1] : "");
  if (way == ways().end()) {
    std::cerr << "Name one of the ways to leave:";
    for (const auto& [name, leave] : ways()) std::cerr << ' ' << name;
    std::cerr << '\n';
    return 2;
  }
  way->second();
  leave(0);
}
