#include "experiments/files/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <thread>

#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;

TEST_CASE("SHA-256 gives the digests of FIPS 180-4's examples") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("A file is read whole, byte for byte") {
  const TempFolder folder;
  std::string bytes;
  for (int i = 0; i < 200000; ++i) bytes += static_cast<char>(i * 7);
  CHECK(read_file(folder.file("a", bytes), bytes.size()) == bytes);
  CHECK(read_file(folder.file("empty", ""), 0).empty());
}

TEST_CASE("A file longer than the limit is refused as data") {
  const TempFolder folder;
  const auto path = folder.file("a", "12345");
  CHECK_THROWS_AS(read_file(path, 4), DataError);
  CHECK_THROWS_WITH(read_file(path, 4, "text=a"),
                    "text=a: is longer than the limit of 4 bytes; give a smaller file");
}

TEST_CASE("A file that grows past what the system said it holds is still bounded") {
  CHECK_THROWS_AS(read_file("/proc/self/maps", 10), DataError);
}

/// Does something to a file again and again, on a thread of its own.
class Meddler {
 public:
  explicit Meddler(std::function<void()> meddle)
      : thread_([this, meddle = std::move(meddle)] {
          while (!stopped_) meddle();
        }) {}
  ~Meddler() {
    stopped_ = true;
    thread_.join();
  }
  Meddler(const Meddler&) = delete;
  Meddler& operator=(const Meddler&) = delete;

 private:
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

TEST_CASE("A file that is written or cut while it is read is refused") {
  constexpr std::uintmax_t size = 64 << 20;  // takes longer to read than to change
  const TempFolder folder;
  const auto path = folder.file("a", "");
  std::filesystem::resize_file(path, size);
  std::uintmax_t now = size;
  SECTION("it grows") {
    const Meddler meddler([&] { std::filesystem::resize_file(path, ++now); });
    CHECK_THROWS_WITH(read_file(path, 2 * size), Contains("changed while it was read; try again"));
    CHECK(read_growing_file(path, 2 * size).size() >= size);
  }
  SECTION("it shrinks") {
    const Meddler meddler([&] { std::filesystem::resize_file(path, now = now - 1); });
    CHECK_THROWS_WITH(read_file(path, 2 * size), Contains("changed while it was read"));
  }
  CHECK(read_file(path, 2 * size).size() == now);
}

TEST_CASE("A file that is removed while it is read is read whole") {
  constexpr std::uintmax_t size = 64 << 20;
  const TempFolder folder;
  const auto path = folder.file("a", "");
  std::filesystem::resize_file(path, size);
  std::string bytes;
  {
    std::thread reader([&] {
      try {
        bytes = read_file(path, size);
      } catch (const IoError& error) {
        bytes = error.what();
      }
    });
    std::filesystem::remove(path);
    reader.join();
  }
  const bool whole = bytes.size() == size;
  CHECK((whole || bytes.ends_with("cannot be read (No such file or directory); check the path")));
}

TEST_CASE("What is not a regular file is never opened") {
  const TempFolder folder;
  CHECK_THROWS_WITH(read_file(folder.path(), 9), Contains("is a folder"));
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read_file(pipe, 9), Contains("is a pipe or a device"));
  CHECK_THROWS_WITH(read_file("/dev/zero", 9), Contains("is a pipe or a device"));
  CHECK_THROWS_AS(read_file("/dev/zero", 9), IoError);
}

TEST_CASE("A missing file is refused with the system's reason") {
  CHECK_THROWS_WITH(read_file("/nowhere/at/all", 9),
                    "/nowhere/at/all: cannot be read (No such file or directory); check the path");
  CHECK_THROWS_WITH(read_file("/dev/null/a", 9), Contains("Not a directory"));
}

TEST_CASE("An unreadable file is refused with the system's reason") {
  if (::geteuid() == 0) return;  // root reads everything
  const TempFolder folder;
  const auto path = folder.file("a", "1");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  CHECK_THROWS_WITH(read_file(path, 9), Contains("Permission denied"));
}

TEST_CASE("A new file is written whole and an old one is never written over") {
  const TempFolder folder;
  const auto path = folder.path() / "a";
  write_new_file(path, "first");
  CHECK_THROWS_WITH(write_new_file(path, "second"), Contains("File exists"));
  CHECK(read_file(path, 99) == "first");
  CHECK_THROWS_WITH(write_new_file(folder.path() / "no" / "a", ""), Contains("check the path"));
}
