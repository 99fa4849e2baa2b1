#include "app/session/folder_listing.h"

#include <catch2/catch.hpp>

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

TEST_CASE("A folder that cannot be listed is said by name") {
  CHECK_THROWS_WITH(list_folder("/nowhere/at/all"), Catch::Contains("/nowhere/at/all"));
}

}  // namespace
}  // namespace orrery
