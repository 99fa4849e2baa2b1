#include "experiments/lessons/read_block.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/text/number_text.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

/// Reads each statement of a block into a list of the step.
template <auto list, auto read>
void read_lines(const LessonBlock& block, LessonStep& step, const Guarded& guarded) {
  for (const Line& line : statements_of(block))
    guarded(line.number, [&] { (step.*list).push_back(read(line)); });
}

/// "TEX % SOURCE"; the source may be left out.
Equation read_formula(const Line& line) {
  const std::size_t percent = line.text.find(" % ");
  Equation formula{trimmed(line.text.substr(0, percent)), ""};
  if (percent != std::string::npos) formula.source = trimmed(line.text.substr(percent + 3));
  (void)parse_equation(formula.tex);
  return formula;
}

void read_controls(const LessonBlock& block, LessonStep& step, const Guarded& guarded) {
  step.controls_line = block.line;
  for (const Line& line : statements_of(block))
    guarded(line.number, [&] {
      if (step.controls.size() == most_controls)
        throw UsageError(in_quotes(line.text), "is a third control",
                         fmt::format("keep the {} that the step is about", most_controls));
      step.controls.push_back(line.text);
    });
}

/// "otherwise: TEXT" or "if ASSERTION: TEXT".
LessonTask::Hint read_hint(const std::string& value) {
  const std::size_t colon = find_unquoted(value, ": ");
  const std::string before = trimmed(value.substr(0, colon));
  const bool otherwise = before == "otherwise";
  if (colon == std::string::npos || (!otherwise && !before.starts_with("if ")))
    throw UsageError(in_quotes(value), "does not say when it fits",
                     "write hint: if ASSERTION: TEXT, or hint: otherwise: TEXT");
  LessonTask::Hint hint{std::nullopt, trimmed(value.substr(colon + 2))};
  if (!otherwise) hint.when = parse_assertion(trimmed(before.substr(3)));
  return hint;
}

void read_task(const LessonBlock& block, LessonStep& step, const Guarded& guarded) {
  LessonTask task{.line = block.line};
  for (const Field& field : fields_of(block))
    guarded(field.line, [&] {
      read_key(field, "do",
               {{"goal", [&] { task.goal = field.value; }},
                {"until", [&] { task.until = parse_assertion(field.value); }},
                {"by", [&] { task.by = words_in(field.value); }},
                {"hint", [&] { task.hints.push_back(read_hint(field.value)); }}});
    });
  if (task.goal.empty()) throw UsageError("do", "has no goal", "write goal: and what to reach");
  if (task.until.clauses.empty())
    throw UsageError("do", "does not say when it is done", "write until: and an assertion");
  if (task.by.empty())
    throw UsageError("do", "does not say how it can be done", "write by: KEY=VALUE");
  step.task = std::move(task);
}

/// "FIGURE at X, Y: TEXT".
FigureNote read_note(const Line& line) {
  const std::string form = "write FIGURE at X, Y: TEXT";
  const std::size_t at = find_unquoted(line.text, " at ");
  const std::size_t colon = find_unquoted(line.text, ": ");
  const std::size_t comma = find_unquoted(line.text, ",");
  if (at == std::string::npos || colon == std::string::npos || comma == std::string::npos ||
      !(at < comma && comma < colon))
    throw UsageError(in_quotes(line.text), "is not a note", form);
  const std::vector<std::string> figure = words_in(line.text.substr(0, at));
  if (figure.size() != 1) throw UsageError(in_quotes(line.text), "names no figure", form);
  return {.line = line.number,
          .figure = figure[0],
          .x = parse_expression(trimmed(line.text.substr(at + 4, comma - at - 4))),
          .y = parse_expression(trimmed(line.text.substr(comma + 1, colon - comma - 1))),
          .text = trimmed(line.text.substr(colon + 2))};
}

Spotlight read_spotlight(const Line& line) {
  struct Form {
    std::string_view word;
    Spotlight::Kind kind;
    std::size_t names;
  };
  using Lit = Spotlight::Kind;
  constexpr std::array forms{Form{"control", Lit::control, 1}, Form{"figure", Lit::figure, 1},
                             Form{"series", Lit::series, 2}, Form{"symbol", Lit::symbol, 1},
                             Form{"cell", Lit::cell, 3}};
  const std::vector<std::string> words = words_in(line.text);
  for (const Form& form : forms) {
    if (words.empty() || words[0] != form.word || words.size() != form.names + 1) continue;
    Spotlight spotlight{.line = line.number, .kind = form.kind, .name = words[1]};
    if (form.kind == Lit::series) spotlight.series = words[2];
    if (form.kind == Lit::cell) {
      spotlight.row = parse_expression(words[2]);
      spotlight.column = parse_expression(words[3]);
    }
    return spotlight;
  }
  throw UsageError(in_quotes(line.text), "points at nothing",
                   "write control KEY, figure FIGURE, series FIGURE CURVE, symbol θ_t or cell MAP "
                   "ROW COLUMN");
}

/// "FIGURE [CURVE] [from A to B]".
Veil read_veil(const Line& line) {
  const std::string form = "write FIGURE, FIGURE CURVE, or either with from A to B";
  std::vector<std::string> words = words_in(line.text);
  Veil veil{.line = line.number};
  if (words.size() >= 5 && words[words.size() - 4] == "from" && words[words.size() - 2] == "to") {
    const auto low = number_in(words[words.size() - 3]), high = number_in(words.back());
    if (!low || !high || !(*low < *high))
      throw UsageError(in_quotes(line.text), "has no range", form);
    veil.x = Range{*low, *high};
    words.resize(words.size() - 4);
  }
  if (words.empty() || words.size() > 2)
    throw UsageError(in_quotes(line.text), "is not a veil", form);
  veil.figure = words[0];
  if (words.size() == 2) veil.series = words[1];
  return veil;
}

void read_exercise(const LessonBlock& block, LessonStep& step, const Guarded& guarded) {
  Exercise exercise{.line = block.line};
  for (const Field& field : fields_of(block))
    guarded(field.line, [&] {
      read_key(field, "exercise",
               {{"task", [&] { exercise.task = field.value; }},
                {"answer", [&] { exercise.answer = field.value; }}});
    });
  if (exercise.task.empty() || exercise.answer.empty())
    throw UsageError("exercise", "lacks a task or an answer", "write task: and answer:");
  step.exercise = std::move(exercise);
}

std::string sentence_of(const LessonBlock& block) {
  std::string sentence = block.sentence();
  if (sentence.empty())
    throw UsageError(block.name, "is empty", "write a sentence between the fences");
  return sentence;
}

void read_state_block(const LessonBlock& block, LessonStep& step, const Guarded& guarded) {
  step.has_own_state = true;
  step.state_line = block.line;
  step.state = read_state(block.text(), [&](int line, const std::function<void()>& read) {
    guarded(block.line + line, read);
  });
}

struct BlockKind {
  std::string_view name;
  void (*read)(const LessonBlock&, LessonStep&, const Guarded&);
};

const std::vector<BlockKind>& block_kinds() {
  static const std::vector<BlockKind> kinds{
      {"equation", read_lines<&LessonStep::formulas, read_formula>},
      {"controls", read_controls},
      {"state", read_state_block},
      {"predict",
       [](const LessonBlock& block, LessonStep& step, const Guarded& guarded) {
         step.prediction = read_prediction(block, guarded);
       }},
      {"do", read_task},
      {"expect", read_lines<&LessonStep::expectations, read_expectation>},
      {"note", read_lines<&LessonStep::notes, read_note>},
      {"spotlight", read_lines<&LessonStep::spotlights, read_spotlight>},
      {"veil", read_lines<&LessonStep::veils, read_veil>},
      {"tick", read_lines<&LessonStep::ticks, read_tick>},
      {"say", [](const LessonBlock& block, LessonStep& step,
                 const Guarded&) { step.say = sentence_of(block); }},
      {"card",
       [](const LessonBlock& block, LessonStep& step, const Guarded&) {
         step.card = Card{block.line, sentence_of(block)};
       }},
      {"exercise", read_exercise}};
  return kinds;
}

int whole_number(const Field& field, int most) {
  const std::optional<double> number = number_in(field.value);
  for (int whole = 1; number && whole <= most; ++whole)
    if (*number == whole) return whole;
  throw UsageError(fmt::format("{}: {}", field.key, field.value),
                   fmt::format("is not a whole number from 1 to {}", most), "write one");
}

void read_head(const Field& field, Lesson& lesson) {
  read_key(field, "lesson",
           {{"number", [&] { lesson.number = whole_number(field, 999); }},
            {"minutes", [&] { lesson.minutes = whole_number(field, 240); }},
            {"misconception", [&] { lesson.misconception = field.value; }}});
}

}  // namespace

std::string LessonBlock::text() const {
  std::string joined;
  for (const Line& one : lines) joined += one.text + "\n";
  return joined;
}

std::string LessonBlock::sentence() const {
  std::string joined;
  for (const Line& one : lines) joined += (joined.empty() ? "" : " ") + trimmed(one.text);
  return trimmed(joined);
}

std::vector<Field> fields_of(const LessonBlock& block) {
  std::vector<Field> fields;
  for (const Line& one : block.lines) {
    const std::string text = trimmed(one.text);
    if (text.empty() || text.front() == '#') continue;
    if (one.text.front() == ' ' && !fields.empty()) {
      fields.back().value += " " + text;
      continue;
    }
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos)
      throw UsageError(in_quotes(text), "is not KEY: value",
                       "write a key and a colon, or begin the line with a space to go on");
    fields.push_back({one.number, trimmed(text.substr(0, colon)), trimmed(text.substr(colon + 1))});
  }
  return fields;
}

std::vector<Line> statements_of(const LessonBlock& block) {
  std::vector<Line> statements;
  for (const Line& one : block.lines)
    if (const std::string text = trimmed(one.text); !text.empty() && text.front() != '#')
      statements.push_back({one.number, text});
  return statements;
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::size_t find_unquoted(std::string_view text, std::string_view part) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && text.substr(i).starts_with(part)) return i;
  }
  return std::string_view::npos;
}

std::size_t rfind_unquoted(std::string_view text, std::string_view part) {
  std::size_t found = std::string_view::npos;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && text.substr(i).starts_with(part)) found = i;
  }
  return found;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, inside = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      inside = true;
    } else if (!quoted && (c == ' ' || c == '\t' || c == ',')) {
      if (inside) words.push_back(std::exchange(word, {}));
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

void read_key(const Field& field, std::string_view block, const KeyReaders& keys) {
  std::vector<std::string> names;
  for (const auto& [name, read] : keys) {
    if (name == field.key) return read();
    names.push_back(name);
  }
  throw_unknown_name(field.key, fmt::format("a key of {}", block), names);
}

Expectation read_expectation(const Line& line) {
  Expectation expectation{.line = line.number};
  std::string rest = line.text;
  if (rest.starts_with("with ")) {
    const std::size_t colon = find_unquoted(rest, ": ");
    if (colon == std::string::npos)
      throw UsageError(in_quotes(line.text), "has no colon after its parameters",
                       "write with KEY=VALUE: ASSERTION");
    expectation.with = words_in(rest.substr(5, colon - 5));
    rest = rest.substr(colon + 2);
  }
  expectation.assertion = parse_assertion(trimmed(rest));
  return expectation;
}

void read_block(const LessonBlock& block, Lesson& lesson, LessonStep* step,
                const Guarded& guarded) {
  std::vector<std::string> names{"lesson", "scoreboard"};
  if (block.name == names[0] || block.name == names[1]) {
    if (step)
      throw UsageError("```" + block.name, "stands in a step",
                       "move it above the first ## heading");
    if (block.name == names[1]) return read_scoreboard(block, lesson, guarded);
    for (const Field& field : fields_of(block))
      guarded(field.line, [&] { read_head(field, lesson); });
    return;
  }
  for (const BlockKind& kind : block_kinds()) {
    names.emplace_back(kind.name);
    if (kind.name != block.name) continue;
    if (!step)
      throw UsageError("```" + block.name, "stands above the first step",
                       "begin a step with ## and its title");
    kind.read(block, *step, guarded);
    return;
  }
  throw_unknown_name(block.name, "a block of a lesson", names);
}

}  // namespace orrery
