#include "experiments/manual/terminal.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "experiments/figure/equation/plain_text.h"
#include "experiments/text/display_width.h"

namespace orrery {
namespace {

constexpr std::size_t column_gap = 2, narrowest_column = 12;

std::string terminal_words(const Spans& spans) {
  // Code alone, as in "`k`, `v`", needs no marks.
  const bool marked = std::any_of(spans.begin(), spans.end(), [](const Span& span) {
    return span.kind != Span::Kind::code && span.text != ", ";
  });
  std::string words;
  for (const Span& span : spans) {
    if (span.kind == Span::Kind::formula)
      words += formula_text(span.text);
    else if (span.kind == Span::Kind::code && marked)
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
    else if (display_width(line) + 1 + display_width(word) <= width)
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
      widths[i] = std::max(widths[i], display_width(row[i]));
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
      line += padded(part, widths[i] + column_gap);
    }
    lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

class TextWriter {
 public:
  explicit TextWriter(std::size_t width) : width_(width) {}

  std::string write(const Topic& topic) {
    text_ = topic.title + "\n";
    for (const Block& block : topic.blocks) {
      text_ += "\n";
      std::visit([this](const auto& one) { add(one); }, block);
    }
    return std::move(text_);
  }

 private:
  void add(const Heading& heading) { lines("", "", wrapped(terminal_words(heading.text), width_)); }
  void add(const Paragraph& paragraph) {
    lines("  ", "  ", wrapped(terminal_words(paragraph.text), width_ - 2));
  }
  void add(const BulletList& list) {
    for (const Spans& item : list.items)
      lines("  - ", "    ", wrapped(terminal_words(item), width_ - 4));
  }
  void add(const CodeBlock& code) { lines("    ", "    ", lines_of(code)); }
  void add(const Grid& grid) { lines("  ", "  ", table_lines(grid, width_ - 2)); }
  void add(const Picture& picture) {
    lines("  ", "  ", wrapped("picture: " + picture.figure.title, width_ - 2));
  }
  /// No page of the manual has others.
  template <class Other>
  void add(const Other&) {}

  void lines(std::string_view first, std::string_view rest, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!lines[i].empty()) text_ += (i == 0 ? first : rest);
      text_ += lines[i] + "\n";
    }
  }

  std::size_t width_;
  std::string text_{};
};

}  // namespace

std::vector<std::string> table_lines(const Grid& grid, std::size_t width) {
  std::vector<std::vector<std::string>> texts{{}};
  for (const Spans& name : grid.header) texts.back().push_back(terminal_words(name));
  for (const auto& row : grid.rows) {
    texts.emplace_back();
    for (const GridCell& cell : row) texts.back().push_back(terminal_words(cell.text));
  }
  std::vector<std::string> lines;
  const std::vector<std::size_t> widths = column_widths(texts, width);
  for (const auto& row : texts) append_row(row, widths, lines);
  return lines;
}

std::string terminal_text(const Topic& topic, std::size_t width) {
  return TextWriter(width).write(topic);
}

}  // namespace orrery
