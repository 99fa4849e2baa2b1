#include "experiments/figure/document/document.h"

#include <fmt/format.h>

#include <functional>
#include <string_view>
#include <utility>

#include "core/errors.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

class SpanReader {
 public:
  SpanReader(std::string_view text, int line, const Guarded& guarded)
      : rest_(text), line_(line), guarded_(guarded) {}

  std::vector<Span> read() {
    while (!rest_.empty())
      if (!take_marked()) take_text();
    flush();
    return std::move(spans_);
  }

 private:
  bool take_marked() {
    const char mark = rest_.front();
    if (mark == '\\') return take_escaped();
    if (mark == '*') return take_between(mark, Span::Kind::emphasis);
    if (mark == '`') return take_between(mark, Span::Kind::code);
    if (mark == '$') return take_formula();
    return mark == '[' && take_link();
  }
  void take_text() {
    text_ += rest_.front();
    rest_.remove_prefix(1);
  }
  /// A backslash before a mark makes it a character.
  bool take_escaped() {
    if (rest_.size() < 2 || std::string_view("\\*`$[").find(rest_[1]) == std::string_view::npos)
      return false;
    rest_.remove_prefix(1);
    take_text();
    return true;
  }
  bool take_between(char mark, Span::Kind kind) {
    const std::size_t end = rest_.find(mark, 1);
    if (end == std::string_view::npos || end == 1) return false;
    add({kind, std::string(rest_.substr(1, end - 1)), ""}, end + 1);
    return true;
  }
  bool take_formula() {
    const std::size_t end = rest_.find('$', 1);
    std::string tex;
    guarded_(line_, [&] {
      if (end == std::string_view::npos)
        throw UsageError(in_quotes(rest_), "begins a formula that does not end",
                         "end it with $, or write \\$ for the sign");
      const std::string inside(rest_.substr(1, end - 1));
      (void)parse_equation(inside);
      tex = inside;
    });
    if (end == std::string_view::npos) return false;
    if (tex.empty()) {
      text_ += rest_.substr(0, end + 1);
      rest_.remove_prefix(end + 1);
    } else {
      add({Span::Kind::formula, tex, ""}, end + 1);
    }
    return true;
  }
  bool take_link() {
    const std::size_t middle = rest_.find("](");
    if (middle == std::string_view::npos) return false;
    const std::size_t end = rest_.find(')', middle);
    if (end == std::string_view::npos) return false;
    add({Span::Kind::link, std::string(rest_.substr(1, middle - 1)),
         std::string(rest_.substr(middle + 2, end - middle - 2))},
        end + 1);
    return true;
  }
  void add(Span span, std::size_t length) {
    flush();
    spans_.push_back(std::move(span));
    rest_.remove_prefix(length);
  }
  void flush() {
    if (!text_.empty()) spans_.push_back({Span::Kind::text, std::exchange(text_, {}), ""});
  }

  std::string_view rest_;
  int line_;
  const Guarded& guarded_;
  std::string text_{};
  std::vector<Span> spans_{};
};

/// Escapes characters with a meaning in Markdown, and those that a terminal would obey; line
/// breaks, which would end a table row, become spaces.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : without_controls(text)) {
    if (std::string_view("\\`*_[]<>|#").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::string words(const Spans& spans) { return escaped(plain_prose(spans)); }

/// Percent-encodes characters that would end a link.
std::string link_target(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte > 0x20 && c != '(' && c != ')' && c != '<' && c != '>' && c != '%';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

struct MarkdownWriter {
  std::string text{};

  void operator()(const Heading& heading) {
    text += fmt::format("\n{} {}\n\n", std::string(static_cast<std::size_t>(heading.level), '#'),
                        words(heading.text));
  }
  void operator()(const Paragraph& paragraph) {
    const bool warning = paragraph.kind == Paragraph::Kind::warning;
    text += fmt::format("{}{}\n\n", warning ? "> **Note:** " : "", words(paragraph.text));
  }
  void operator()(const BulletList& list) {
    for (const Spans& item : list.items) text += fmt::format("- {}\n", words(item));
    text += "\n";
  }
  void operator()(const CodeBlock& code) {
    text += fmt::format("```sh\n{}\n```\n\n", without_controls(code.text));
  }
  void operator()(const Grid& grid) {
    for (const Spans& name : grid.header) text += "| " + words(name) + " ";
    text += "|\n";
    for (std::size_t i = 0; i < grid.header.size(); ++i)
      text += is_number_column(grid, i) ? "|--:" : "|---";
    text += "|\n";
    for (const auto& row : grid.rows) {
      for (const GridCell& cell : row) text += "| " + marked(cell) + " ";
      text += "|\n";
    }
    text += "\n";
  }
  void operator()(const Picture& picture) {
    show(picture.figure.title, picture.figure.caption, picture.file);
  }
  void operator()(const PanelPicture& picture) {
    show(picture.panels.title, picture.panels.caption, picture.file);
  }
  void operator()(const Equations& block) {
    for (const Equation& equation : block.equations)
      text += fmt::format("${}$ {}\n\n", equation.tex, escaped(equation.source));
  }
  /// A page on a screen has neither columns nor lines to write on.
  void operator()(const LayoutMark& mark) {
    if (mark.kind == LayoutMark::Kind::page_break) text += "---\n\n";
  }

 private:
  void show(const std::string& title, const std::string& caption, const std::string& file) {
    if (file.empty())
      text += fmt::format("*{}* (drawn in the HTML report)\n\n", escaped(plain_text(title)));
    else
      text += fmt::format("![{}]({})\n\n*{}*\n\n", escaped(plain_text(title)), link_target(file),
                          escaped(plain_text(caption)));
  }
  static std::string marked(const GridCell& cell) {
    const std::string plain = words(cell.text);
    return cell.kind == GridCell::Kind::bad && !plain.empty() ? "**" + plain + "**" : plain;
  }
};

}  // namespace

Spans spans_of(std::string_view paragraph, int line, const Guarded& guarded) {
  return SpanReader(paragraph, line, guarded).read();
}

Spans spans_of(std::string_view paragraph) {
  return spans_of(paragraph, 0, [](int, const std::function<void()>& read) { read(); });
}

std::size_t word_count(const std::vector<Span>& spans) {
  std::size_t words = 0;
  bool inside = false;  // of a word, which may go on in the next span
  for (const Span& span : spans) {
    if (span.kind == Span::Kind::formula) {
      words += inside ? 0 : 1;
      inside = true;
      continue;
    }
    for (std::size_t at = 0; at < span.text.size();) {
      const char32_t character = next_character(span.text, at);
      const bool blank = character != not_utf8 && is_blank(character);
      words += !blank && !inside ? 1 : 0;
      inside = !blank;
    }
  }
  return words;
}

std::string plain_prose(const std::vector<Span>& spans) {
  std::string text;
  for (const Span& span : spans)
    text += span.kind == Span::Kind::formula ? formula_text(span.text) : span.text;
  return text;
}

bool is_number_column(const Grid& grid, std::size_t column) {
  return !grid.rows.empty() && column < grid.rows.front().size() &&
         grid.rows.front()[column].kind == GridCell::Kind::number;
}

std::string markdown_of(const Document& document) {
  MarkdownWriter writer;
  writer.text = fmt::format("<!-- orrery report -->\n\n# {}\n\n", escaped(document.title));
  if (!document.subtitle.empty()) writer.text += escaped(document.subtitle) + "\n\n";
  for (const Block& block : document.blocks) std::visit(writer, block);
  return writer.text;
}

}  // namespace orrery
