#include "experiments/manual/topic.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "core/errors.h"
#include "experiments/lessons/read_block.h"

namespace orrery {
namespace {

/// The cells of "| a | b |"; a bar after a backslash is part of its cell.
std::vector<Spans> cells_of(std::string_view line) {
  std::vector<Spans> cells;
  std::string cell;
  line.remove_prefix(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|')
      cell += line[++i];
    else if (line[i] == '|')
      cells.push_back(spans_of(trimmed(std::exchange(cell, {}))));
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
      if (!in_code_) topic_.blocks.push_back(CodeBlock{});
      in_code_ = !in_code_;
    } else if (in_code_) {
      std::get<CodeBlock>(topic_.blocks.back()).text += std::string(line) + "\n";
    } else if (line.starts_with("# ")) {
      topic_.title = line.substr(2);
    } else if (line.starts_with("## ")) {
      finish();
      topic_.blocks.push_back(Heading{2, spans_of(trimmed(line.substr(3)))});
    } else if (line.starts_with("|")) {
      finish();
      take_row(line);
    } else if (line.starts_with("![")) {
      finish();
      topic_.blocks.push_back(
          Picture{.figure = {.title = std::string(line.substr(2, line.find(']') - 2))}});
    } else if (line.starts_with("- ")) {
      finish();
      begin_item(line.substr(2));
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
    const std::vector<Spans> cells = cells_of(line);
    auto* grid = topic_.blocks.empty() ? nullptr : std::get_if<Grid>(&topic_.blocks.back());
    if (!grid || after_gap_) {
      topic_.blocks.push_back(Grid{.header = cells});
      return;
    }
    grid->rows.emplace_back();
    for (const Spans& cell : cells) grid->rows.back().push_back({.text = cell});
  }

  void take_words(std::string_view line) { words_ += (words_.empty() ? "" : " ") + trimmed(line); }

  /// An item after an empty line goes on with the list before it.
  void begin_item(std::string_view words) {
    is_item_ = true;
    words_ = trimmed(words);
  }

  void finish() {
    if (words_.empty()) return;
    const Spans spans = spans_of(std::exchange(words_, {}));
    if (topic_.about.empty()) topic_.about = plain_prose(spans);
    if (!std::exchange(is_item_, false))
      topic_.blocks.push_back(Paragraph{spans});
    else if (auto* list = last_list())
      list->items.push_back(spans);
    else
      topic_.blocks.push_back(BulletList{{spans}});
  }

  BulletList* last_list() {
    return topic_.blocks.empty() ? nullptr : std::get_if<BulletList>(&topic_.blocks.back());
  }

  Topic topic_{};
  std::string words_{};  ///< of the paragraph or the item that is being read
  bool is_item_{};
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
    for (const auto& [name, markdown] : page_sources()) read.push_back(read_topic(name, markdown));
    return read;
  }();
  return all;
}

const Topic* find_topic(std::string_view name) {
  const auto found = std::ranges::find(topics(), name, &Topic::name);
  return found == topics().end() ? nullptr : &*found;
}

std::vector<std::string> lines_of(const CodeBlock& code) {
  std::vector<std::string> lines;
  std::istringstream text(code.text);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::vector<Block> section(const Topic& topic, std::string_view heading) {
  std::vector<Block> blocks;
  bool inside = false;
  for (const Block& block : topic.blocks) {
    if (const auto* one = std::get_if<Heading>(&block))
      inside = plain_prose(one->text) == heading;
    else if (inside)
      blocks.push_back(block);
  }
  return blocks;
}

}  // namespace orrery
