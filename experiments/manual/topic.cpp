#include "experiments/manual/topic.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "experiments/lessons/block_text.h"
#include "experiments/manual/pages.h"

namespace orrery::manual {
namespace {

using Kind = TopicBlock::Kind;

/// The cells of "| a | b |"; a bar after a backslash is part of its cell.
std::vector<Spans> cells_of(std::string_view line) {
  std::vector<Spans> cells;
  std::string cell;
  line.remove_prefix(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|')
      cell += line[++i];
    else if (line[i] == '|')
      cells.push_back(lessons::spans_of(lessons::trimmed(std::exchange(cell, {}))));
    else
      cell += line[i];
  }
  return cells;
}

class TopicReader {
 public:
  explicit TopicReader(const std::string& name) { topic_.name = name; }

  Topic read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      take(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    finish();
    if (in_code_)
      throw UsageError(topic_.name, "has a fence that does not end", "close it with a line of ```");
    if (topic_.title.empty() || topic_.about.empty())
      throw UsageError(
          topic_.name, "has no title or no first paragraph",
          "begin the page with # and its title, then say in a sentence what it is for");
    return std::move(topic_);
  }

 private:
  void take(std::string_view line) {
    if (line.starts_with("```")) {
      finish();
      if (!in_code_) topic_.blocks.push_back({.kind = Kind::code});
      in_code_ = !in_code_;
    } else if (in_code_) {
      topic_.blocks.back().code.emplace_back(line);
    } else if (line.starts_with("# ")) {
      topic_.title = line.substr(2);
    } else if (line.starts_with("## ")) {
      finish();
      begin(Kind::heading, line.substr(3));
      finish();
    } else if (line.starts_with("|")) {
      finish();
      take_row(line);
    } else if (line.starts_with("![")) {
      finish();
      begin(Kind::picture, line.substr(2, line.find(']') - 2));
      finish();
    } else if (line.starts_with("- ")) {
      finish();
      begin(Kind::item, line.substr(2));
    } else if (line.empty()) {
      finish();
      after_gap_ = true;
      return;
    } else {
      take_words(line);
    }
    after_gap_ = false;
  }

  void take_row(std::string_view line) {
    if (line.starts_with("|--")) return;
    const bool goes_on =
        !topic_.blocks.empty() && topic_.blocks.back().kind == Kind::table && !after_gap_;
    if (!goes_on) topic_.blocks.push_back({.kind = Kind::table});
    topic_.blocks.back().rows.push_back(cells_of(line));
  }

  void take_words(std::string_view line) {
    if (!open_) return begin(Kind::paragraph, line);
    words_ += " " + lessons::trimmed(line);
  }

  void begin(Kind kind, std::string_view words) {
    open_ = kind;
    words_ = lessons::trimmed(words);
  }

  void finish() {
    if (!open_) return;
    topic_.blocks.push_back({.kind = *open_, .spans = lessons::spans_of(words_)});
    if (topic_.about.empty()) topic_.about = lessons::plain_prose(topic_.blocks.back().spans);
    open_.reset();
  }

  Topic topic_{};
  std::optional<Kind> open_{};  ///< block whose words are being read
  std::string words_{};
  bool in_code_{};
  bool after_gap_{};
};

}  // namespace

Topic read_topic(const std::string& name, std::string_view markdown) {
  return TopicReader(name).read(markdown);
}

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all = [] {
    std::vector<Topic> read;
    for (const PageSource& page : page_sources())
      read.push_back(read_topic(page.name, page.markdown));
    return read;
  }();
  return all;
}

const Topic* find_topic(std::string_view name) {
  const auto found = std::find_if(topics().begin(), topics().end(),
                                  [name](const Topic& topic) { return topic.name == name; });
  return found == topics().end() ? nullptr : &*found;
}

std::vector<TopicBlock> section(const Topic& topic, std::string_view heading) {
  std::vector<TopicBlock> blocks;
  bool inside = false;
  for (const TopicBlock& block : topic.blocks) {
    if (block.kind == Kind::heading)
      inside = lessons::plain_prose(block.spans) == heading;
    else if (inside)
      blocks.push_back(block);
  }
  return blocks;
}

}  // namespace orrery::manual
