#include "experiments/results/notes.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <future>
#include <iterator>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/results/result_folder.h"
#include "experiments/results/saved_result.h"
#include "tests/experiments/results/example_result.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

std::string error_of(const TempFolder& temp, const std::string& bytes) {
  temp.file(notes_file, bytes);
  try {
    read_notes(temp.path());
  } catch (const DataError& error) {
    return error.what();
  }
  return "read";
}

}  // namespace

TEST_CASE("Tags are kept once, in their order; a note grows by lines; both come back as written") {
  const TempFolder temp;
  CHECK(read_notes(temp.path()).empty());
  Notes notes;
  add_tags(notes, Names{"paper", "baseline"});
  add_tags(notes, Names{"paper", "größe 2"});
  add_to_note(notes, "looks \"wrong\" at 10^6\n");
  add_to_note(notes, "solved");
  write_notes(temp.path(), notes);
  const Notes read = read_notes(temp.path());
  CHECK(read.tags == Names{"paper", "baseline", "größe 2"});
  CHECK(read.note == "looks \"wrong\" at 10^6\nsolved");
  CHECK(notes_text(read) ==
        "tags  paper, baseline, größe 2\nnote  looks \"wrong\" at 10^6\n      solved\n");
}

TEST_CASE("Nothing left to keep leaves no file") {
  const TempFolder temp;
  Notes notes{.tags = {"a", "b"}};
  write_notes(temp.path(), notes);
  CHECK_THROWS_WITH(remove_tags(notes, Names{"a", "bb"}),
                    Contains("'bb'") && Contains("did you mean b?"));
  CHECK(notes.tags.size() == 2);
  remove_tags(notes, Names{"a", "b"});
  write_notes(temp.path(), notes);
  CHECK(fs::is_empty(temp.path()));
  write_notes(temp.path(), notes);
  CHECK(notes_text(notes).empty());
}

TEST_CASE("Tags and notes that could not be shown are refused, with nothing added") {
  Notes notes;
  for (const std::string& tag : Names{"", "a,b", "a\nb", " a", "a ", "\x1b[2J", "\xff",
                                      std::string(65, 'x'), "a\xE2\x80\xAE"}) {
    INFO(tag);
    CHECK_THROWS_AS(add_tags(notes, Names{"good", tag}), UsageError);
  }
  for (const std::string& note : Names{"", " \n", "\x1b[2J", "\xff", std::string(65537, 'x')})
    CHECK_THROWS_AS(add_to_note(notes, note), UsageError);
  CHECK(notes.empty());
}

TEST_CASE("Damaged notes are refused by the name of the file") {
  const TempFolder temp;
  const std::string begin = R"({"schema": "orrery.notes/1", )";
  CHECK(error_of(temp, begin + R"("tags": ["a"], "note": "n"})") == "read");
  for (const std::string& bytes :
       Names{"", "{", "[]", "null", begin + R"("tags": ["a"]})",
             begin + R"("tags": "a", "note": ""})", begin + R"("tags": [1], "note": ""})",
             begin + R"("tags": ["a", "a"], "note": ""})",
             begin + R"("tags": ["\u001b[2J"], "note": ""})",
             begin + R"("tags": [], "note": "\u0007"})", begin + R"("tags": [], "note": 1})",
             R"({"schema": "orrery.notes/2", "tags": [], "note": ""})"}) {
    INFO(bytes);
    CHECK_THAT(error_of(temp, bytes), Contains("notes.json: is damaged: ") &&
                                          Contains("mend it in an editor, or remove it"));
  }
  CHECK_THAT(error_of(temp, std::string(std::size_t{1} << 21, ' ')), Contains("notes.json"));
}

TEST_CASE("Another result of the same settings keeps the notes; of others it is refused") {
  const TempFolder temp;
  const fs::path folder = temp.path() / "r";
  Result result = example_result();
  const WriteOptions options{.folder = folder, .figure_formats = {}};
  write_result(result, {}, options);
  write_notes(folder, {.tags = {"paper"}, .note = "n"});
  CHECK(SavedFolder(folder).damages().empty());
  write_result(result, {}, options);
  CHECK(read_notes(folder).tags == Names{"paper"});
  result.provenance.params = {{"dim", "4242"}};
  CHECK_THROWS_WITH(write_result(result, {}, options),
                    Contains("tags or a note on other settings"));
  CHECK(read_notes(folder).note == "n");
}

TEST_CASE("Of two changes at the same time none is lost") {
  const TempFolder temp;
  std::future<Notes> other;
  const Notes first = change_notes(temp.path(), [&](Notes& notes) {
    other = std::async(std::launch::async, [&] {
      return change_notes(temp.path(), [](Notes& late) { add_tags(late, Names{"b"}); });
    });
    // Time for the other to end, which it does only where it does not wait for this one.
    other.wait_for(std::chrono::milliseconds(100));
    add_tags(notes, Names{"a"});
  });
  CHECK(first.tags == Names{"a"});
  CHECK(other.get().tags == Names{"a", "b"});
  CHECK(read_notes(temp.path()).tags == Names{"a", "b"});
  CHECK(std::distance(fs::directory_iterator(temp.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("A change that is refused leaves the notes as they were, and the next one its turn") {
  const TempFolder temp;
  change_notes(temp.path(), [](Notes& notes) { add_tags(notes, Names{"a"}); });
  CHECK_THROWS_AS(change_notes(temp.path(),
                               [](Notes& notes) {
                                 notes.note = "lost";
                                 add_tags(notes, Names{"b,c"});
                               }),
                  UsageError);
  CHECK(read_notes(temp.path()).note.empty());
  CHECK(change_notes(temp.path(), [](Notes&) {}).tags == Names{"a"});
  CHECK_THROWS_AS(change_notes(temp.path() / "nowhere", [](Notes&) {}), IoError);
}

TEST_CASE("Notes are joined by what is missing, line by line") {
  Notes notes{.tags = {"a"}, .note = "first\nsecond"};
  join_notes(notes, {.tags = {"b", "a"}, .note = "second\n\nsec\nthird"});
  CHECK(notes.tags == Names{"a", "b"});
  CHECK(notes.note == "first\nsecond\nsec\nthird");
  join_notes(notes, notes);
  CHECK(notes.note == "first\nsecond\nsec\nthird");
  join_notes(notes, {});
  CHECK(notes.tags.size() == 2);
}
