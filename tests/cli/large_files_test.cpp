// Files and plans that are too large are refused by what their headers and lists say, before they
// are held.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/cli/npy_files.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

constexpr const char* little = "ulimit -v 400000;";

bool starts_with_little() {
  if (Shell().run_program(little, "--version").status == 0) return true;
  WARN("skipped: the program does not start with so little, as with AddressSanitizer");
  return false;
}

}  // namespace

TEST_CASE("A plan that needs more memory than there may be is refused before it is made") {
  if (!starts_with_little()) return;
  const Shell shell;
  shell.write("rep.toml", "experiment = \"long_term_decay\"\nrepeats = 1000000\n");
  for (const std::string command : {"plan rep.toml --no-sample", "sweep rep.toml --out d"}) {
    const Outcome outcome = shell.run_program(little, command);
    INFO(command << "\n" << outcome.err);
    CHECK(outcome.status == 4);
    CHECK_THAT(outcome.err, Contains("a plan of up to 1000000 points: ") &&
                                Contains(" GiB of memory is needed, and 391 MiB may be used; ") &&
                                Contains("take fewer values or fewer repeats"));
  }
  CHECK_FALSE(fs::exists(shell.folder() / "d"));
}
