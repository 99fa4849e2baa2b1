#include "experiments/files/presence.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "core/errors.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("Nothing, a file and a folder are told apart, links followed") {
  const TempFolder temp;
  temp.file("file", "");
  fs::create_symlink("file", temp.path() / "link");
  fs::create_symlink("nothing", temp.path() / "dangling");
  CHECK(is_file_at(temp.path() / "file"));
  CHECK(is_file_at(temp.path() / "link"));
  CHECK(is_folder_at(temp.path()));
  CHECK_FALSE(is_file_at(temp.path()));
  CHECK_FALSE(is_there(temp.path() / "nothing"));
  CHECK_FALSE(is_there(temp.path() / "dangling"));
  CHECK_FALSE(is_there(temp.path() / "file/below"));
}

TEST_CASE("What cannot be looked at is an error with the system's reason, and not nothing") {
  const TempFolder temp;
  fs::create_symlink("loop", temp.path() / "loop");
  try {
    is_there(temp.path() / "loop");
    FAIL("a loop of links was taken for nothing");
  } catch (const IoError& error) {
    CHECK_THAT(error.what(), Contains("loop: cannot be read (Too many levels of symbolic links)"));
  }
  CHECK_THROWS_AS(is_there(temp.path() / std::string(300, 'x')), IoError);
}
