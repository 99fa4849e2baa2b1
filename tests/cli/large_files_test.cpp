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

std::string npy_beginning(const std::string& shape) {
  std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  dict.append(64 - (10 + dict.size() + 1) % 64, ' ');
  dict += '\n';
  const auto low = static_cast<char>(dict.size() & 0xFF),
             high = static_cast<char>(dict.size() >> 8);
  return std::string("\x93NUMPY\x01\x00", 8) + low + high + dict;
}

}  // namespace

TEST_CASE("An array's shape is refused before its bytes are held") {
  if (!starts_with_little()) return;
  const std::string little_data = "ulimit -d 400000;";  // a mapped file does not count
  const Shell shell;
  constexpr std::uintmax_t gigabyte = 1'000'000'000;
  shell.write("huge.npy", npy_beginning("(1000000, 1000000)"));
  const std::string header =
      R"({"x":{"dtype":"I8","shape":[1000,1000000],"data_offsets":[0,1000000000]}})";
  shell.write("huge.safetensors",
              std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header);
  fs::resize_file(shell.folder() / "huge.npy", gigabyte);
  fs::resize_file(shell.folder() / "huge.safetensors", 8 + header.size() + gigabyte);
  shell.write("small.npy", npy("(4, 4)", std::vector<double>(16, 0.5)));
  for (const std::string file : {"huge.npy", "huge.safetensors"})
    for (const std::string& command :
         {"run identify before=" + file + " after=small.npy",
          "run identify before=small.npy after=" + file,
          "run attend q=" + file + " k=small.npy v=small.npy --out o",
          "run attention_map q=" + file + " k=small.npy v=small.npy"}) {
      const Outcome outcome = shell.run_program(little_data, command);
      INFO(command << "\n" << outcome.err);
      CHECK(outcome.status == 3);
      CHECK_THAT(outcome.err, Contains("more elements than the limit of 134217728"));
    }
}

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
