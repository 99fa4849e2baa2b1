#include "experiments/files/atomic_write.h"

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "tests/support/temp_folder.h"

using namespace orrery;

namespace {

namespace fs = std::filesystem;

void fill(const AtomicFolder& folder, const std::string& text) {
  write_new_file(folder.folder() / "text", text, Sync::later);
}

std::string text_in(const fs::path& folder) { return read_file(folder / "text", 100); }

std::size_t entries_in(const fs::path& folder) {
  const fs::directory_iterator entries(folder);
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace

TEST_CASE("Folders that are committed together take their places, empty, new or old") {
  const TempFolder temp;
  fs::create_directory(temp.path() / "empty");
  fs::create_directory(temp.path() / "old");
  write_new_file(temp.path() / "old/text", "before", Sync::later);
  {
    AtomicFolder first(temp.path() / "new"), second(temp.path() / "empty"),
        third(temp.path() / "old");
    fill(first, "1");
    fill(second, "2");
    fill(third, "3");
    CHECK(text_in(temp.path() / "old") == "before");
    const std::array<AtomicFolder*, 3> all{&third, &first, &second};
    AtomicFolder::commit(all);
  }
  CHECK(text_in(temp.path() / "new") == "1");
  CHECK(text_in(temp.path() / "empty") == "2");
  CHECK(text_in(temp.path() / "old") == "3");
  CHECK(entries_in(temp.path()) == 3);
}

TEST_CASE("Of folders that are committed together the ones before a failure are in place") {
  const TempFolder temp;
  {
    AtomicFolder first(temp.path() / "first"), second(temp.path() / "second");
    fill(first, "1");
    fill(second, "2");
    write_new_file(temp.path() / "second", "a file in the way", Sync::later);
    const std::array<AtomicFolder*, 2> both{&first, &second};
    CHECK_THROWS_AS(AtomicFolder::commit(both), IoError);
  }
  CHECK(text_in(temp.path() / "first") == "1");
  CHECK(entries_in(temp.path()) == 2);  // the hidden folder of the second is gone
}

TEST_CASE("No folders are committed without a word") { AtomicFolder::commit({}); }
