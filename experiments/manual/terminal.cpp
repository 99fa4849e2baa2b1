#include "experiments/manual/terminal.h"

#include <fmt/format.h>

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
  const bool marked = std::ranges::any_of(
      spans, [](const Span& span) { return span.kind != Span::Kind::code && span.text != ", "; });
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
    std::size_t& widest = *std::ranges::max_element(widths);
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

namespace {

constexpr std::size_t table_width = 70;

std::string words_of(const Spans& spans) {
  std::string words;
  for (const Span& span : spans) {
    switch (span.kind) {
      case Span::Kind::code:
        words += "\\fB" + roff(span.text) + "\\fR";
        break;
      case Span::Kind::emphasis:
        words += "\\fI" + roff(span.text) + "\\fR";
        break;
      case Span::Kind::formula:
        words += roff(formula_text(span.text));
        break;
      case Span::Kind::text:
      case Span::Kind::link:
        words += roff(span.text);
        break;
    }
  }
  return words;
}

/// Lines that are not filled.
std::string verbatim(const std::vector<std::string>& lines) {
  std::string text = ".PP\n.RS 2\n.nf\n";
  for (const std::string& line : lines) text += roff(line) + "\n";
  return text + ".fi\n.RE\n";
}

struct ManWriter {
  std::string operator()(const Heading& heading) const {
    return ".SH " + words_of(heading.text) + "\n";
  }
  std::string operator()(const Paragraph& paragraph) const {
    // The section SEE ALSO has these.
    if (paragraph.text.front().text.starts_with("See also:")) return "";
    return ".PP\n" + words_of(paragraph.text) + "\n";
  }
  std::string operator()(const BulletList& list) const {
    std::string text;
    for (const Spans& item : list.items) text += ".IP \\(bu 2\n" + words_of(item) + "\n";
    return text;
  }
  std::string operator()(const CodeBlock& code) const { return verbatim(lines_of(code)); }
  std::string operator()(const Grid& grid) const {
    return verbatim(table_lines(grid, table_width));
  }
  /// Pictures are for the desktop, and no page of the manual has others.
  template <class Other>
  std::string operator()(const Other&) const {
    return "";
  }
};

/// "orrery(1), orrery-models(7)": the pages that this one links to.
std::string see_also(const Topic& topic) {
  std::vector<std::string> pages{"orrery(1)"};
  const auto add = [&](const Spans& spans) {
    for (const Span& span : spans) {
      if (!span.target.ends_with(".md")) continue;
      const std::string page =
          fmt::format("orrery-{}(7)", span.target.substr(0, span.target.size() - 3));
      if (std::ranges::find(pages, page) == pages.end()) pages.push_back(page);
    }
  };
  for (const Block& block : topic.blocks) {
    if (const auto* paragraph = std::get_if<Paragraph>(&block)) add(paragraph->text);
    if (const auto* list = std::get_if<BulletList>(&block))
      for (const Spans& item : list->items) add(item);
  }
  return roff(fmt::format("{}", fmt::join(pages, ", ")));
}

}  // namespace

std::string roff(std::string_view words) {
  std::string out;
  for (const char c : words) {
    const bool is_control = (c == '.' || c == '\'') && out.empty();
    if (is_control) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string man_head(std::string_view name, int section, std::string_view about,
                     std::string_view version) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return fmt::format(".TH {} {} \"\" \"orrery {}\"\n.SH NAME\n{} \\- {}\n", roff(upper), section,
                     version, roff(name), roff(about));
}

std::string man_blocks(std::span<const Block> blocks) {
  std::string text;
  for (const Block& block : blocks) text += std::visit(ManWriter{}, block);
  return text;
}

std::string man_page(const Topic& topic, std::string_view version) {
  std::string about = topic.about;
  if (about.ends_with('.')) about.pop_back();
  std::string text = man_head("orrery-" + topic.name, 7, about, version) + ".SH DESCRIPTION\n" +
                     man_blocks(topic.blocks) + ".SH SEE ALSO\n" + see_also(topic) + "\n";
  // What is installed is on the PATH.
  for (std::size_t at = 0; (at = text.find("./orrery", at)) != std::string::npos;)
    text.erase(at, 2);
  return text;
}

}  // namespace orrery
