#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/paths.h"

namespace {

TEST_CASE("The desktop includes nothing of the core, and so computes nothing") {
  const std::filesystem::path folder = std::filesystem::path(orrery::test::source_folder()) / "app";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cpp") continue;
    ++files;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      INFO(entry.path() << ": " << line);
      CHECK(line.find("#include \"core/") == std::string::npos);
      CHECK(line.find("#include <Eigen") == std::string::npos);
    }
  }
  CHECK(files > 20);
}

}  // namespace
