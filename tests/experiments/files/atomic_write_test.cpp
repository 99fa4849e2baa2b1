// A file is replaced as a whole or stays as it was.
#include "experiments/files/atomic_write.h"

#include <unistd.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& path) { return read_file(path, 1 << 20); }

std::size_t entries_of(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("A file is written with its folder, and replaced without leaving anything beside it") {
  const TempFolder temp;
  const fs::path path = temp.path() / "a/b/session.toml";
  atomic_write(path, "first");
  CHECK(text_of(path) == "first");
  atomic_write(path, "second");
  CHECK(text_of(path) == "second");
  CHECK(entries_of(path.parent_path()) == 1);
}

TEST_CASE("What cannot be replaced is an error, and stays as it was") {
  const TempFolder temp;
  const fs::path path = temp.path() / "taken";
  fs::create_directories(path / "below");
  CHECK_THROWS_WITH(atomic_write(path, "bytes"), Contains("taken: cannot be replaced"));
  CHECK(fs::is_directory(path / "below"));
  CHECK(entries_of(temp.path()) == 1);
  temp.file("file", "mine");
  CHECK_THROWS_AS(atomic_write(temp.path() / "file/below", "bytes"), IoError);
  CHECK(text_of(temp.path() / "file") == "mine");
}

TEST_CASE(
    "A file that comes in parts has its name when it is whole, and leaves nothing otherwise") {
  const TempFolder temp;
  const fs::path path = temp.path() / "a.npz";
  {
    AtomicFile file(path, 8);
    file.write(4, "last");
    CHECK_FALSE(fs::exists(path));
    CHECK(entries_of(temp.path()) == 1);
  }
  CHECK(entries_of(temp.path()) == 0);
  AtomicFile file(path, 8, Existing::refused);
  file.write(4, "last");
  file.write(0, "frst");
  file.commit();
  CHECK(text_of(path) == "frstlast");
  CHECK(entries_of(temp.path()) == 1);
  AtomicFile other(path, 8, Existing::refused);
  CHECK_THROWS_WITH(other.commit(), Contains("a.npz: cannot be created"));
  CHECK(text_of(path) == "frstlast");
}

TEST_CASE("A file for which the disk is too small is refused with both numbers") {
  const TempFolder temp;
  CHECK_THROWS_WITH(
      AtomicFile(temp.path() / "large", std::uintmax_t{1} << 60),
      Contains("large: takes 1048576 TiB, and") && Contains("are free on its disk; free"));
  CHECK(entries_of(temp.path()) == 0);
}

TEST_CASE("Two who write one file at once, of whatever numbers, do not touch each other's") {
  const TempFolder temp;
  const fs::path path = temp.path() / "plan.json";
  {
    AtomicFile first(path, 5), second(path, 6);
    first.write(0, "first");
    second.write(0, "second");
    first.commit();
    CHECK(text_of(path) == "first");
    second.commit();
  }
  CHECK(text_of(path) == "second");
  CHECK(entries_of(temp.path()) == 1);
}

TEST_CASE("Leftovers of killed processes are removed, and nothing else") {
  const TempFolder temp;
  temp.file(".a.tmp-123", "");
  fs::create_directories(temp.path() / ".b.old-123-1/below");
  temp.file(".lock", "");
  temp.file("a", "");
  remove_leftovers(temp.path());
  CHECK(entries_of(temp.path()) == 2);
  CHECK(fs::exists(temp.path() / ".lock"));
  CHECK(fs::exists(temp.path() / "a"));
}

TEST_CASE("What a process that is gone left beside a name is removed, and nobody else's") {
  const TempFolder temp;
  const fs::path out = temp.path() / "out";
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  const std::string left = ".out.tmp-" + std::to_string(gone);
  temp.file(left + "/half", "x");
  temp.file(left + "-0123abcd/half", "x");
  temp.file(".out.tmp-" + std::to_string(::getppid()) + "/half", "x");
  temp.file(".out.tmp-12x/mine", "x");
  temp.file(".other.tmp-" + std::to_string(gone) + "/half", "x");
  const int locked = ::open((temp.path() / (left + "-0123abcd")).c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(::flock(locked, LOCK_EX) == 0);
  remove_abandoned(out);
  CHECK_FALSE(fs::exists(temp.path() / left));
  CHECK(entries_of(temp.path()) == 4);
  ::close(locked);
  remove_abandoned(out);
  CHECK(entries_of(temp.path()) == 3);
}
