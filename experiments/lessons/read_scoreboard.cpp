// The blocks of the scoreboard: what it asks, and what a step settles of it.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/lessons/read_block.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

/// "wish KEY: TEXT" or "code KEY: NAME".
void read_entry(const Line& line, Lesson& lesson) {
  const std::string form = "write wish KEY: TEXT or code KEY: NAME";
  const std::size_t colon = find_unquoted(line.text, ": ");
  const std::vector<std::string> words = words_in(line.text.substr(0, colon));
  const bool is_wish = !words.empty() && words[0] == "wish";
  const bool is_code = !words.empty() && words[0] == "code";
  if (colon == std::string::npos || words.size() != 2 || !(is_wish || is_code))
    throw UsageError(in_quotes(line.text), "is neither a wish nor a code", form);
  const std::string text = trimmed(line.text.substr(colon + 2));
  if (text.empty()) throw UsageError(in_quotes(line.text), "has no text", form);
  (is_wish ? lesson.wishes : lesson.codes).push_back({line.number, words[1], text});
}

WishTick::Mark mark_named(const std::string& word) {
  constexpr std::array<std::string_view, 3> words{"yes", "no", "partly"};
  constexpr std::array marks{WishTick::Mark::yes, WishTick::Mark::no, WishTick::Mark::partly};
  const auto* const found = std::find(words.begin(), words.end(), word);
  if (found == words.end())
    throw_unknown_name(word, "a mark of the scoreboard",
                       std::vector<std::string>(words.begin(), words.end()));
  return marks.at(static_cast<std::size_t>(found - words.begin()));
}

/// "CODE WISH: yes if ASSERTION % REMARK"; the remark may be left out.
WishTick read_tick(const Line& line) {
  const std::string form = "write CODE WISH: yes, no or partly if ASSERTION";
  const std::size_t colon = find_unquoted(line.text, ": ");
  const std::size_t condition = find_unquoted(line.text, " if ");
  const std::size_t percent = find_unquoted(line.text, " % ");
  const std::vector<std::string> box = words_in(line.text.substr(0, colon));
  if (colon == std::string::npos || condition == std::string::npos || condition < colon ||
      percent < condition || box.size() != 2)
    throw UsageError(in_quotes(line.text), "settles no box of the scoreboard", form);
  const std::size_t from = condition + 4;
  WishTick tick{.line = line.number, .code = box[0], .wish = box[1]};
  tick.mark = mark_named(trimmed(line.text.substr(colon + 2, condition - colon - 2)));
  tick.when = read_expectation(line.number, trimmed(line.text.substr(from, percent - from)));
  if (percent != std::string::npos) tick.remark = trimmed(line.text.substr(percent + 3));
  return tick;
}

}  // namespace

void read_scoreboard(const LessonBlock& block, Lesson& lesson, const Guarded& guarded) {
  for (const Line& line : statements_of(block))
    guarded(line.number, [&] { read_entry(line, lesson); });
}

void read_ticks(const LessonBlock& block, LessonStep& step, const Guarded& guarded) {
  for (const Line& line : statements_of(block))
    guarded(line.number, [&] { step.ticks.push_back(read_tick(line)); });
}

}  // namespace orrery
