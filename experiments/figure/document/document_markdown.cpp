#include <fmt/format.h>

#include <string_view>

#include "experiments/figure/document/document.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

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
  void operator()(const PageBreak&) { text += "---\n\n"; }
  // A page on a screen has neither.
  void operator()(const BlankLines&) {}
  void operator()(const ColumnStart&) {}

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
