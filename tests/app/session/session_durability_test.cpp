// The desktop's session file survives a power failure: its bytes reach the disk before they take
// the file's name, and the folder afterwards. Observed with strace, on this very program.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/temp_folder.h"

namespace orrery {
namespace {

/// The fsync and rename calls of the program while it runs one test case.
std::string traced(const std::string& test_case) {
  const TempFolder folder;
  const std::filesystem::path trace = folder.path() / "trace.txt";
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = fmt::format(
      "ASAN_OPTIONS=detect_leaks=0 timeout 120 strace -f -y -qq -e trace=fsync,rename -o '{}' "
      "'{}' '{}' >/dev/null 2>&1",
      trace.string(), self, test_case);
  if (std::system(command.c_str()) != 0) return {};
  std::ifstream file(trace);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("The session file is on the disk before it takes its name, and its folder after that") {
  const std::string calls = traced("The next start finds the session as it was left");
  if (calls.empty()) {
    WARN("skipped: strace is not installed, or tracing is not permitted here");
    return;
  }
  const std::size_t bytes = calls.find(".session.toml.tmp-");
  const std::size_t rename = calls.find("rename(");
  const std::size_t folder = calls.find("fsync(", rename);
  REQUIRE(rename != std::string::npos);
  CHECK(bytes < rename);
  CHECK(calls.rfind("fsync(", bytes) != std::string::npos);
  REQUIRE(folder != std::string::npos);
  CHECK(calls.substr(folder, calls.find('\n', folder) - folder).find("state/orrery>") !=
        std::string::npos);
}

}  // namespace
}  // namespace orrery
