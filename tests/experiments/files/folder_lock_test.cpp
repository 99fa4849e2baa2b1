// Who holds a folder: with locks, without any, and with locks that are each machine's own.
#include "experiments/files/folder_lock.h"

#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "experiments/files/file.h"
#include "experiments/files/notices.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// What flock does in this program.
enum class Locks { working, missing, of_each_machine };
std::atomic<Locks> locks{Locks::working};
std::atomic<int> missing_code{ENOLCK};

class WithLocks {
 public:
  explicit WithLocks(Locks how, int code = ENOLCK) {
    missing_code = code;
    locks = how;
  }
  ~WithLocks() { locks = Locks::working; }
  WithLocks(const WithLocks&) = delete;
  WithLocks& operator=(const WithLocks&) = delete;
};

/// Takes what does not change for dead soon, and waits for what does as long as it takes.
constexpr LockTimes hasty{.beat = 1ms, .looks = 2, .settle = 1ms};
constexpr LockTimes patient{.beat = 1ms, .looks = 1'000'000, .settle = 1ms};

std::string line_of_far(int beat) {
  return "process 7 on far, kernel another, run 1, beat " + std::to_string(beat) + "\n";
}

std::string lock_text(const TempFolder& folder) {
  return read_growing_file(folder.path() / ".lock", 999);  // its holder may beat
}

std::string refusal(const std::function<void()>& taking) {
  try {
    taking();
    return "held";
  } catch (const LockedError& error) {
    CHECK(error.kind() == ErrorKind::locked);
    return error.what();
  }
}

/// A process on another machine that writes its beats in place until it is destroyed.
class FarHolder {
 public:
  explicit FarHolder(const std::filesystem::path& lock_file)
      : beats_([lock_file](const std::stop_token& stop) {
          std::fstream file(lock_file, std::ios::in | std::ios::out | std::ios::binary);
          for (int beat = 0; !stop.stop_requested(); ++beat)
            file.seekp(0) << line_of_far(beat) << std::flush;
        }) {}

 private:
  std::jthread beats_;
};

/// The notices of a piece of work.
std::string notices_of(const std::function<void()>& work) {
  std::string said;
  set_notice_sink([&](const std::string& line) { said += line + "\n"; });
  work();
  set_notice_sink(nullptr);
  return said;
}

const std::string this_process = "is being written by process " + std::to_string(getpid()) + " on ";

}  // namespace

extern "C" int flock(int fd, int operation) noexcept {
  if (locks == Locks::of_each_machine) return 0;
  if (locks == Locks::working) return static_cast<int>(syscall(SYS_flock, fd, operation));
  errno = missing_code;
  return -1;
}

TEST_CASE("A second lock is refused with the name of the first, and can be taken after it") {
  const TempFolder temp;
  {
    FolderLock lock(temp.path());
    CHECK_NOTHROW(lock.require_held());
    CHECK_THAT("is being written by " + held_folders({temp.path()}).at(temp.path()),
               StartsWith(this_process));
    CHECK_THAT(refusal([&] { FolderLock{temp.path()}; }), Contains(this_process));
  }
  CHECK(held_folders({temp.path()}).empty());
  CHECK(lock_text(temp).empty());
  CHECK_NOTHROW(FolderLock(temp.path()));
}

TEST_CASE("Without locks a holder is known by its beats, whatever error says that there are none") {
  for (const int code : {ENOLCK, EOPNOTSUPP, ENOSYS, EINVAL, EIO}) {
    const WithLocks without(Locks::missing, code);
    const TempFolder temp;
    {
      FolderLock lock(temp.path(), patient);
      CHECK_NOTHROW(lock.require_held());
      CHECK_THAT(refusal([&] { FolderLock(temp.path(), patient); }), Contains(this_process));
      CHECK(held_folders({temp.path()}, patient).size() == 1);
    }
    CHECK(lock_text(temp).empty());
    CHECK(held_folders({temp.path()}, patient).empty());
    CHECK(refusal([&] { FolderLock(temp.path(), patient); }) == "held");
  }
}

TEST_CASE("A lock that this machine alone knows does not take what another machine writes to") {
  const WithLocks own(GENERATE(Locks::working, Locks::missing, Locks::of_each_machine));
  const TempFolder temp;
  temp.file(".lock", line_of_far(0));
  {
    const FarHolder far(temp.path() / ".lock");
    CHECK_THAT(refusal([&] { FolderLock(temp.path(), patient); }),
               Contains("is being written by process 7 on far") && Contains("wait until that has"));
    CHECK(held_folders({temp.path()}, patient).at(temp.path()) == "process 7 on far");
  }
  CHECK(held_folders({temp.path()}, hasty).empty());
  const std::string said = notices_of([&] {
    FolderLock lock(temp.path(), hasty);
    CHECK_NOTHROW(lock.require_held());
    CHECK_THAT(lock_text(temp), StartsWith("process " + std::to_string(getpid())));
  });
  CHECK_THAT(said, Contains("is taken over from process 7 on far, which has stopped"));
  CHECK(lock_text(temp).empty());
}

TEST_CASE("What a dead process of this machine has left is taken at once where there are locks") {
  const TempFolder temp;
  std::string left;
  {
    const FolderLock lock(temp.path());
    left = lock_text(temp);
  }
  temp.file(".lock", left);
  CHECK(held_folders({temp.path()}, patient).empty());
  const std::string said =
      notices_of([&] { CHECK(refusal([&] { FolderLock(temp.path(), patient); }) == "held"); });
  CHECK(said.empty());
}

TEST_CASE("Of two that write their lines at once without locks the last one holds the folder") {
  const WithLocks without(Locks::missing);
  const TempFolder temp;
  LockTimes slow = hasty;
  slow.settle = 1s;
  temp.file(".lock", "");
  const std::jthread rival([&](const std::stop_token& stop) {
    while (!stop.stop_requested() && lock_text(temp).empty()) std::this_thread::yield();
    temp.file(".lock", line_of_far(0));
  });
  CHECK_THAT(refusal([&] { FolderLock(temp.path(), slow); }), Contains("process 7 on far"));
  CHECK(lock_text(temp) == line_of_far(0));
}

TEST_CASE("A holder that was taken for dead is told so, and leaves its successor's line") {
  const WithLocks any(GENERATE(Locks::working, Locks::missing));
  const TempFolder temp;
  {
    FolderLock lock(temp.path(), hasty);
    // A beat may be on its way when the file is written.
    while (refusal([&] { lock.require_held(); }) == "held") temp.file(".lock", line_of_far(0));
    CHECK_THAT(refusal([&] { lock.require_held(); }), Contains("process 7 on far"));
  }
  CHECK(lock_text(temp) == line_of_far(0));
}

TEST_CASE("Folders that are held are told among many, and nothing is changed") {
  const TempFolder temp;
  std::vector<std::filesystem::path> folders;
  for (const char* name : {"never", "free", "held", "dead"}) {
    folders.push_back(temp.path() / name);
    std::filesystem::create_directory(folders.back());
  }
  temp.file("free/.lock", "");
  temp.file("dead/.lock", line_of_far(3));
  const FolderLock lock(temp.path() / "held");
  const auto held = held_folders(folders, hasty);
  REQUIRE(held.size() == 1);
  CHECK(held.begin()->first == temp.path() / "held");
  CHECK(!std::filesystem::exists(temp.path() / "never/.lock"));
  CHECK(read_file(temp.path() / "dead/.lock", 99) == line_of_far(3));
}

TEST_CASE("A line that was found dead is looked at again only once it has changed") {
  const TempFolder temp;
  temp.file(".lock", line_of_far(3));
  std::map<std::filesystem::path, std::string> dead;
  CHECK(held_folders({temp.path()}, hasty, &dead).empty());
  REQUIRE(dead.size() == 1);
  CHECK(held_folders({temp.path()}, patient, &dead).empty());  // would look for 1000 s
  temp.file(".lock", line_of_far(4));
  const LockTimes once{.beat = 1ms, .looks = 1, .settle = 1ms};
  CHECK(held_folders({temp.path()}, once, &dead).empty());
  CHECK(dead.at(temp.path()) + "\n" == line_of_far(4));
}
