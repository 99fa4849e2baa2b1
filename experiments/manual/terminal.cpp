#include "experiments/manual/terminal.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "experiments/figure/equation/plain_text.h"
#include "experiments/text/display_width.h"

namespace orrery::manual {
namespace {

using Kind = TopicBlock::Kind;

constexpr std::size_t column_gap = 2, narrowest_column = 12;

std::string words_of(const Spans& spans) {
  // Code alone, as in "`k`, `v`", needs no marks.
  const bool marked = std::any_of(spans.begin(), spans.end(), [](const lessons::Span& span) {
    return span.kind != lessons::Span::Kind::code && span.text != ", ";
  });
  std::string words;
  for (const lessons::Span& span : spans) {
    if (span.kind == lessons::Span::Kind::formula)
      words += figure::formula_text(span.text);
    else if (span.kind == lessons::Span::Kind::code && marked)
      words += "`" + span.text + "`";
    else
      words += span.text;
  }
  return words;
}

std::vector<std::string> wrapped(std::string_view words, std::size_t width) {
  std::vector<std::string> lines{""};
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string word(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (text::display_width(line) + 1 + text::display_width(word) <= width)
      line += " " + word;
    else
      lines.push_back(word);
  }
  return lines;
}

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows,
                                       std::size_t width) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], text::display_width(row[i]));
  }
  std::size_t all = column_gap * (widths.size() - 1);
  for (const std::size_t one : widths) all += one;
  while (all > width) {
    std::size_t& widest = *std::max_element(widths.begin(), widths.end());
    if (widest <= narrowest_column) break;
    --widest;
    --all;
  }
  return widths;
}

void append_row(const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                std::vector<std::string>& lines) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.size(); ++i) {
    cells.push_back(wrapped(row[i], widths[i]));
    height = std::max(height, cells.back().size());
  }
  for (std::size_t y = 0; y < height; ++y) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string part = y < cells[i].size() ? cells[i][y] : "";
      line += text::padded(part, widths[i] + column_gap);
    }
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

class TextWriter {
 public:
  explicit TextWriter(std::size_t width) : width_(width) {}

  std::string write(const Topic& topic) {
    text_ = topic.title + "\n";
    for (const TopicBlock& block : topic.blocks) {
      const bool list_goes_on = block.kind == Kind::item && before_ == Kind::item;
      if (!list_goes_on) text_ += "\n";
      add(block);
      before_ = block.kind;
    }
    return std::move(text_);
  }

 private:
  void add(const TopicBlock& block) {
    switch (block.kind) {
      case Kind::heading:
        return lines("", "", wrapped(words_of(block.spans), width_));
      case Kind::paragraph:
        return lines("  ", "  ", wrapped(words_of(block.spans), width_ - 2));
      case Kind::item:
        return lines("  - ", "    ", wrapped(words_of(block.spans), width_ - 4));
      case Kind::code:
        return lines("    ", "    ", block.code);
      case Kind::table:
        return lines("  ", "  ", table_lines(block.rows, width_ - 2));
      case Kind::picture:
        return lines("  ", "  ", wrapped("picture: " + words_of(block.spans), width_ - 2));
    }
  }

  void lines(std::string_view first, std::string_view rest, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].empty()) text_ += (i == 0 ? first : rest);
      text_ += lines[i] + "\n";
    }
  }

  std::size_t width_;
  std::string text_{};
  Kind before_{Kind::heading};
};

}  // namespace

std::vector<std::string> table_lines(const std::vector<std::vector<Spans>>& rows,
                                     std::size_t width) {
  std::vector<std::vector<std::string>> texts;
  for (const auto& row : rows) {
    texts.emplace_back();
    for (const Spans& cell : row) texts.back().push_back(words_of(cell));
  }
  std::vector<std::string> lines;
  if (texts.empty()) return lines;
  const std::vector<std::size_t> widths = column_widths(texts, width);
  for (const auto& row : texts) append_row(row, widths, lines);
  return lines;
}

std::string terminal_text(const Topic& topic, std::size_t width) {
  return TextWriter(width).write(topic);
}

}  // namespace orrery::manual
