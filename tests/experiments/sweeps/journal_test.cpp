// The journal: whole lines or none, whatever happens.
#include "experiments/sweeps/sweep_layout.h"

#include <catch2/catch.hpp>

#include "experiments/files/file.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

const JournalEntry done{.id = "aa", .manifest_sha256 = "12"};
const JournalEntry failed{.id = "bb",
                          .status = PointStatus::failed,
                          .manifest_sha256 = {},
                          .error = "no \"space\"\nleft"};

}  // namespace

TEST_CASE("A journal gives back what was appended, the last word on each point") {
  const TempFolder temp;
  const auto path = temp.path() / "journal.jsonl";
  {
    Journal journal(path, read_journal(path));
    journal.append(done);
    journal.append(failed);
    journal.append({.id = "bb", .manifest_sha256 = "34"});
  }
  const JournalState state = read_journal(path);
  CHECK(state.damaged_lines == 0);
  CHECK(state.intact == std::filesystem::file_size(path));
  REQUIRE(state.entries.size() == 2);
  CHECK(state.entries.at("aa") == done);
  CHECK(state.entries.at("bb").status == PointStatus::done);
}

TEST_CASE("A point in a pack counts by its group, and one in a folder by its manifest") {
  const JournalEntry packed{.id = "cc", .group_sha256 = "56"};
  CHECK_THAT(journal_line(packed), Contains(R"("done","group_sha256":"56","sum")"));
  CHECK_THAT(journal_line(done), Contains(R"("done","manifest_sha256":"12","sum")"));
  const TempFolder temp;
  const JournalEntry neither{.id = "dd"};
  const auto path =
      temp.file("j", journal_line(packed) + journal_line(done) + journal_line(neither));
  const JournalState state = read_journal(path);
  CHECK(state.entries.at("cc") == packed);
  CHECK(state.entries.at("aa") == done);
  CHECK(state.damaged_lines == 1);
}

TEST_CASE("A journal cut off at any byte keeps its whole lines, and goes on from there") {
  const std::string first = journal_line(done);
  const std::string whole = first + journal_line(failed);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const TempFolder temp;
    const auto path = temp.file("journal.jsonl", whole.substr(0, length));
    const JournalState state = read_journal(path);
    const std::size_t lines = length == whole.size() ? 2 : length >= first.size() ? 1 : 0;
    CHECK(state.entries.size() == lines);
    CHECK(state.damaged_lines == 0);
    Journal(path, state).append({.id = "cc", .manifest_sha256 = "56"});
    CHECK(read_journal(path).entries.size() == lines + 1);
    CHECK(read_journal(path).damaged_lines == 0);
  }
}

TEST_CASE("Any changed byte of a line is seen, and the other lines stay") {
  const std::string first = journal_line(done);
  const std::string whole = first + journal_line(failed);
  for (std::size_t i = 0; i + 1 < first.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    if (damaged[i] == '\n') continue;
    const TempFolder temp;
    const JournalState state = read_journal(temp.file("journal.jsonl", damaged));
    CHECK(state.damaged_lines == 1);
    CHECK(state.entries.size() == 1);
  }
}

TEST_CASE("A journal that is not there is empty, and a folder in its place is an error") {
  const TempFolder temp;
  CHECK(read_journal(temp.path() / "none").entries.empty());
  CHECK_THROWS_WITH(read_journal(temp.path()), Contains("is a folder"));
}
