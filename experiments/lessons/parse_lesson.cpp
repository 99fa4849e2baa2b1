#include "experiments/lessons/parse_lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "experiments/lessons/read_block.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

constexpr std::size_t most_steps = 200;
constexpr std::size_t most_problems = 200;

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({static_cast<int>(lines.size()) + 1, std::string(line)});
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// A list of blocks without a name that may stand in a step more than once.
bool may_repeat(const std::string& block) {
  return block == "expect" || block == "note" || block == "equation" || block == "spotlight" ||
         block == "veil" || block == "tick";
}

class LessonReader {
 public:
  explicit LessonReader(const std::string& file) : file_(file) {
    parsed_.lesson.name = std::filesystem::path(file).stem().string();
  }

  ParsedLesson read(std::string_view text) {
    if (!is_utf8(text)) {
      guarded(1, [] { throw UsageError("the file", "is not UTF-8 text", "save it as UTF-8"); });
      return std::move(parsed_);
    }
    for (const Line& line : lines_of(text)) take(line);
    finish_paragraph();
    if (block_)
      guarded(block_->line, [&] {
        throw UsageError("```" + block_->name, "does not end", "close it with a line of ```");
      });
    finish_step();
    check_whole();
    std::ranges::stable_sort(parsed_.problems,
                             [](const Problem& a, const Problem& b) { return a.line < b.line; });
    return std::move(parsed_);
  }

 private:
  void guarded(int line, const std::function<void()>& read) {
    try {
      read();
    } catch (const Error& error) {
      if (parsed_.problems.size() < most_problems)
        parsed_.problems.push_back({file_, line, without_controls(error.what())});
    }
  }

  void take(const Line& line) {
    if (block_) {
      if (trimmed(line.text) == "```")
        finish_block();
      else
        block_->lines.push_back(line);
    } else if (line.text.starts_with("```")) {
      finish_paragraph();
      block_ = LessonBlock{trimmed(line.text.substr(3)), line.number, {}};
    } else if (line.text.starts_with("#")) {
      finish_paragraph();
      take_heading(line);
    } else if (trimmed(line.text).empty()) {
      finish_paragraph();
    } else {
      take_prose(line);
    }
  }

  void take_heading(const Line& line) {
    if (line.text.starts_with("# ")) {
      guarded(line.number, [&] {
        if (!parsed_.lesson.title.empty() || step_)
          throw UsageError(in_quotes(line.text), "is a second title", "begin a step with ##");
      });
      parsed_.lesson.title = trimmed(line.text.substr(2));
    } else if (line.text.starts_with("## ")) {
      finish_step();
      step_ = LessonStep{.line = line.number, .title = trimmed(line.text.substr(3))};
      seen_blocks_.clear();
    } else {
      guarded(line.number, [&] {
        throw UsageError(in_quotes(line.text), "is not a heading of a lesson",
                         "write # and the title, or ## and the title of a step");
      });
    }
  }

  void take_prose(const Line& line) {
    const std::string text = trimmed(line.text);
    const bool item = text.starts_with("- ");
    if (item) finish_paragraph();
    if (paragraph_.empty()) {
      paragraph_line_ = line.number;
      paragraph_is_item_ = item;
    }
    paragraph_ += (paragraph_.empty() ? "" : " ") + (item ? trimmed(text.substr(2)) : text);
  }

  void finish_paragraph() {
    if (paragraph_.empty()) return;
    const std::string text = std::exchange(paragraph_, {});
    guarded(paragraph_line_, [&] {
      if (!step_)
        throw UsageError(in_quotes(text), "stands above the first step",
                         "begin a step with ## and its title");
      step_->prose.push_back(
          {paragraph_line_, paragraph_is_item_,
           spans_of(text, paragraph_line_,
                    [this](int line, const std::function<void()>& read) { guarded(line, read); })});
    });
  }

  void finish_block() {
    const LessonBlock block = std::move(*block_);
    block_.reset();
    guarded(block.line, [&] {
      const bool again = std::ranges::find(seen_blocks_, block.name) != seen_blocks_.end();
      if (again && !may_repeat(block.name))
        throw UsageError("```" + block.name, "is there twice in this step", "keep one of them");
      seen_blocks_.push_back(block.name);
      read_block(block, parsed_.lesson, step_ ? &*step_ : nullptr,
                 [this](int line, const std::function<void()>& read) { guarded(line, read); });
    });
  }

  void finish_step() {
    if (!step_) return;
    LessonStep step = std::move(*step_);
    step_.reset();
    std::vector<LessonStep>& steps = parsed_.lesson.steps;
    if (!step.has_own_state && !steps.empty()) {
      step.state = steps.back().state;
      step.state_line = steps.back().state_line;
    }
    guarded(step.line, [&] { check_step(step); });
    for (const std::string& key : step.controls)
      if (step.state.experiment)
        guarded(step.controls_line, [&] { (void)step.state.params.spec(key); });
    if (steps.size() < most_steps) steps.push_back(std::move(step));
  }

  static void check_step(const LessonStep& step) {
    if (step.title.empty()) throw UsageError("the step", "has no title", "write it after ##");
    std::size_t words = 0;
    for (const Prose& prose : step.prose) words += word_count(prose.spans);
    if (words > most_words)
      throw UsageError(fmt::format("{} words", words),
                       fmt::format("are more than the {} of a step", most_words),
                       "shorten the prose, or make two steps of it");
    if (words == 0 && !step.card)
      throw UsageError("the step", "says nothing", "write prose beneath its title");
    if (!step.state.experiment && step.state_line == 0)
      throw UsageError("the step", "shows nothing",
                       "write a block ```state here or in a step before");
  }

  void check_whole() {
    const Lesson& lesson = parsed_.lesson;
    guarded(1, [&] {
      if (lesson.title.empty())
        throw UsageError("the lesson", "has no title", "begin with # and the title");
    });
    guarded(1, [&] {
      if (lesson.misconception.empty())
        throw UsageError("the lesson", "removes no misconception",
                         "write misconception: in a block ```lesson beneath the title");
    });
    guarded(1, [&] {
      if (lesson.steps.empty())
        throw UsageError("the lesson", "has no steps", "begin one with ## and its title");
    });
    const auto cards = std::ranges::count_if(
        lesson.steps, [](const LessonStep& step) { return step.card.has_value(); });
    guarded(lesson.steps.empty() ? 1 : lesson.steps.back().line, [&] {
      if (!lesson.steps.empty() && (cards != 1 || !lesson.steps.back().card))
        throw UsageError(fmt::format("{} cards", cards), "are not one in the last step",
                         "end the last step with a block ```card");
    });
  }

  std::string file_;
  ParsedLesson parsed_{};
  std::optional<LessonStep> step_{};
  std::vector<std::string> seen_blocks_{};
  std::optional<LessonBlock> block_{};
  std::string paragraph_{};
  int paragraph_line_{};
  bool paragraph_is_item_{};
};

}  // namespace

std::string Problem::text() const { return fmt::format("{}:{}: {}", file, line, message); }

ParsedLesson parse_lesson(std::string_view markdown, const std::string& file) {
  return LessonReader(file).read(markdown);
}

}  // namespace orrery
