#include "app/session/folder_listing.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/support/temp_folder.h"

namespace orrery {
namespace {

TEST_CASE("A folder is listed with folders first, by name, with what each entry is") {
  const TempFolder folder;
  folder.file("b.NPY", "12345");
  folder.file("A.txt", "x");
  folder.file("c.jpg", "x");
  folder.file(".hidden", "x");
  folder.file("sub/x", "x");
  folder.file("Result/result.json", "{}");
  const FolderListing listing = list_folder(folder.path());
  std::string all;
  for (const FolderListing::Entry& entry : listing.entries)
    all += entry.name + ":" + std::to_string(static_cast<int>(entry.kind)) + " ";
  CHECK(all == "Result:1 sub:0 A.txt:4 b.NPY:3 c.jpg:5 ");
  CHECK(listing.entries[3].bytes == 5);
  CHECK_FALSE(listing.cut);
}

TEST_CASE("The newest tensor of a folder is the one that was written last") {
  const TempFolder folder;
  CHECK(newest_tensor(folder.path()).empty());
  folder.file("q.npy", "1");
  folder.file("a.npy", "2");
  folder.file("later.txt", "3");
  const std::filesystem::path root = folder.path();
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(root / "a.npy", now - std::chrono::hours(2));
  std::filesystem::last_write_time(root / "q.npy", now - std::chrono::hours(1));
  CHECK(newest_tensor(root) == root / "q.npy");
  std::filesystem::last_write_time(root / "a.npy", now);
  CHECK(newest_tensor(root) == root / "a.npy");
}

TEST_CASE("A folder that cannot be listed is said by name") {
  CHECK_THROWS_WITH(list_folder("/nowhere/at/all"), Catch::Contains("/nowhere/at/all"));
}

}  // namespace
}  // namespace orrery
