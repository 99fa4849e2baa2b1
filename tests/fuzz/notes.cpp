// Reads the tags and the note on a result.
#include "experiments/results/notes.h"

#include "experiments/text/printable.h"
#include "tests/fuzz/support/json_input.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto notes = fuzz::accepted_json([&] { return notes_from(fuzz::text_of(data, size)); });
  if (!notes) return 0;
  const Notes again = notes_from(notes_json(*notes));
  fuzz::require(again.tags == notes->tags && again.note == notes->note,
                "notes are read as they were written");
  const std::string text = notes_text(*notes);
  fuzz::require(without_controls(text) == text, "notes can be shown");
  return 0;
}
