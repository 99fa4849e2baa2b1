#include "experiments/files/mapped_file.h"

#include <catch2/catch.hpp>
#include <utility>

#include "core/errors.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;

TEST_CASE("a mapped file has the bytes of the file, also when it is empty or was moved") {
  const TempFolder folder;
  MappedFile file(folder.file("a", std::string_view("a\0b", 3)));
  const MappedFile moved(std::move(file));
  CHECK(moved.bytes() == std::string_view("a\0b", 3));
  CHECK(MappedFile(folder.file("empty", "")).bytes().empty());
}

TEST_CASE("what is no regular file is not mapped") {
  const TempFolder folder;
  CHECK_THROWS_AS(MappedFile(folder.path() / "nothing"), IoError);
  CHECK_THROWS_WITH(MappedFile(folder.path()), Contains("is a folder"));
  CHECK_THROWS_WITH(MappedFile("/dev/null"), Contains("only regular files"));
}

TEST_CASE("A file that is shortened while it is mapped reads as zeros there, and is refused") {
  const TempFolder folder;
  const auto path = folder.file("shards.bin", std::string(1 << 16, 'x'));
  const MappedFile file(path), other(folder.file("other.bin", std::string(1 << 16, 'y')));
  CHECK(file.bytes().back() == 'x');
  file.forget();
  file.require_whole();
  std::filesystem::resize_file(path, 1 << 15);
  CHECK(file.bytes()[100] == 'x');
  file.require_whole();
  CHECK(file.bytes().back() == '\0');
  CHECK_THROWS_AS(file.require_whole(), IoError);
  CHECK_THROWS_WITH(file.require_whole(), Catch::Matchers::Contains("was shortened"));
  other.require_whole();
  std::filesystem::resize_file(path, 1 << 16);
  MappedFile(path).require_whole();
}
