#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/params.h"
#include "experiments/figure/canvas/svg_canvas.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/document/document.h"
#include "experiments/figure/document/page_style.h"
#include "experiments/figure/equation/layout.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/export.h"
#include "experiments/figure/page.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/files/file.h"
#include "experiments/model/figure.h"
#include "experiments/model/panels.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

/// The drawing without the XML declaration, which is only for files.
std::string element(const std::string& svg) { return svg.substr(svg.find("<svg")); }

std::vector<std::string_view> split_at_quotes(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"')) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + 1);
  }
  parts.push_back(text);
  return parts;
}

/// "fill" or "stroke" if the text before a value ends in that attribute, else empty.
std::string color_property(std::string_view before) {
  if (before.ends_with(" fill=")) return "fill";
  return before.ends_with(" stroke=") ? "stroke" : "";
}

/// SVG for pages that follow the reader's choice of a light or a dark theme. Where the two differ
/// only in colours, one drawing serves both, with the dark colours in CSS classes; where they
/// differ in more (the pixels of a map), the page gets two drawings.
class ThemedSvgs {
 public:
  explicit ThemedSvgs(Page page) : page_(page) {}

  /// Elements to place into HTML. Their ids start with `id`, which must be unique in the page.
  std::string draw(const Figure& figure, const std::string& id, const FigureView& view,
                   std::span<const PlacedNote> notes) {
    return draw(
        [&](Theme theme, const std::string& ids) {
          return svg_of(figure, theme, page_, ids, view, notes);
        },
        id);
  }
  std::string draw(const Panels& panels, const std::string& id) {
    if (panels.panels.size() == 1) return draw(panels.panels.front(), id, {}, {});
    return draw(
        [&](Theme theme, const std::string& ids) { return svg_of(panels, theme, page_, ids); }, id);
  }
  /// Any drawing: an SVG file in a theme, with ids that start with `id`.
  using Draw = std::function<std::string(Theme theme, const std::string& id)>;
  std::string draw(const Draw& svg_in, const std::string& id) {
    const std::string light = element(svg_in(Theme::light, id));
    std::string both = merged(light, element(svg_in(Theme::dark, id)));
    if (!both.empty()) return both;
    return fmt::format("<div class=\"in-light\">{}</div><div class=\"in-dark\">{}</div>", light,
                       element(svg_in(Theme::dark, id + "-dark")));
  }

  /// CSS rules for everything drawn so far, for use inside a media query for the dark theme.
  std::string dark_rules() const {
    std::string rules;
    for (const auto& [key, number] : classes_)
      rules += fmt::format(".k{}{{{}:{}}}\n", number, std::get<0>(key), std::get<2>(key));
    return rules;
  }

 private:
  std::string class_of(const std::string& property, const std::string& light,
                       const std::string& dark) {
    const auto [known, fresh] =
        classes_.try_emplace(std::tuple(property, light, dark), classes_.size());
    return fmt::format("k{}", known->second);
  }

  /// Both drawings in one; empty when they differ in more than colours. Relies on elements having
  /// at most one colour other than "none".
  std::string merged(const std::string& light, const std::string& dark) {
    const auto a = split_at_quotes(light), b = split_at_quotes(dark);
    if (a.size() != b.size()) return {};
    std::string out;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (i > 0) out += '"';
      out += a[i];
      if (a[i] == b[i]) continue;
      const std::string property = i % 2 == 1 ? color_property(a[i - 1]) : "";
      if (property.empty()) return {};
      out += fmt::format("\" class=\"{}", class_of(property, std::string(a[i]), std::string(b[i])));
    }
    return out;
  }

  Page page_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> classes_{};
};

constexpr double text_size = 15;     ///< of the page, in pixels
constexpr double formula_size = 17;  ///< of formulas on lines of their own

/// The SHA-256 of a text as a Content-Security-Policy writes it: base64 of 32 bytes, 43 digits and
/// one of padding.
std::string sha256_base64(std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string encoded;
  unsigned bits = 0, count = 0;
  for (const char c : sha256_hex(text)) {
    bits = bits << 4 | static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    count += 4;
    if (count < 6) continue;
    count -= 6;
    encoded += digits[bits >> count];
    bits &= (1u << count) - 1;
  }
  return encoded + digits[bits << (6 - count)] + '=';  // 256 = 42 · 6 + 4
}

std::string_view class_of(GridCell::Kind kind) {
  constexpr std::string_view names[] = {"", "number", "quiet", "good", "bad"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view class_of(Paragraph::Kind kind) {
  constexpr std::string_view names[] = {"", "quiet", "strong", "indented", "boxed", "warning"};
  return names[static_cast<std::size_t>(kind)];
}

std::string class_attribute(std::string_view name) {
  return name.empty() ? "" : fmt::format(" class=\"{}\"", name);
}

/// A formula as a drawing that stands on the baseline of its line.
std::string formula_svg(const EquationNode& formula, double size, bool in_line, Theme theme) {
  const auto measure = svg_canvas({1, 1}, {});
  const EquationBox box =
      in_line ? lay_out_in_line(formula, *measure, size) : lay_out(formula, *measure, size);
  constexpr double edge = 1;
  const auto canvas =
      svg_canvas({box.width + 2 * edge, box.height() + 2 * edge}, {formula_text(formula), "", ""});
  draw_equation(*canvas, box, {edge, box.ascent + edge}, figure_style(theme).text);
  std::string svg = canvas->finish();
  return svg.insert(svg.find("<svg") + 4,
                    fmt::format(" style=\"vertical-align:{:.2f}px\"", -box.descent - edge));
}

class HtmlWriter {
 public:
  explicit HtmlWriter(const Document& document) : svgs_(document.page), room_(document.room) {}

  std::string write(const Document& document) {
    for (const Block& block : document.blocks) add(block);
    close_figures();
    if (in_columns_) body_ += "</section></div>\n";
    const std::string title = xml_escaped(document.title);
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"generator\" content=\"{}\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n{}<title>{}</title>\n"
        "<style>{}@media screen and (prefers-color-scheme:dark){{\n{}{}}}\n{}</style>\n</head>\n"
        "<body>\n<main>\n<h1>{}</h1>\n{}{}{}</main>\n{}</body>\n</html>\n",
        xml_escaped(document.generator), policy(), title, page_style, page_dark_style,
        svgs_.dark_rules(), page_print_style, title,
        document.subtitle.empty()
            ? ""
            : fmt::format("<p class=\"subtitle\">{}</p>\n", xml_escaped(document.subtitle)),
        contents(document), body_,
        interactive_ ? fmt::format("<script>{}</script>\n", table_script) : "");
  }

 private:
  /// The page loads nothing, and runs nothing but its own script, whatever a text in it may hold.
  static std::string policy() {
    return fmt::format(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; img-src data:; font-src data:; script-src 'sha256-{}'; base-uri 'none'; "
        "form-action 'none'\">\n",
        sha256_base64(table_script));
  }

  static std::string contents(const Document& document) {
    constexpr std::size_t fewest = 4;            // fewer need no table of contents
    constexpr std::size_t first = 36, last = 4;  // of more than these the others are only counted
    std::vector<const Heading*> headings;
    for (const Block& block : document.blocks)
      if (const auto* heading = std::get_if<Heading>(&block); heading && heading->level == 2)
        headings.push_back(heading);
    const std::size_t count = headings.size();
    std::string items;
    for (std::size_t i = 0; i < count; ++i) {
      if (count > first + last && i == first)
        items +=
            fmt::format("<li>… {} more, each under its own heading</li>\n", count - first - last);
      if (count <= first + last || i < first || i >= count - last)
        items += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", headings[i]->anchor,
                             xml_escaped(plain_prose(headings[i]->text)));
    }
    return count < fewest
               ? ""
               : fmt::format("<nav aria-label=\"Contents\">\n<ol>\n{}</ol>\n</nav>\n", items);
  }

  void add(const Block& block) {
    if (!std::holds_alternative<Picture>(block) && !std::holds_alternative<PanelPicture>(block))
      close_figures();
    std::visit([this](const auto& one) { write_block(one); }, block);
  }

  /// Consecutive pictures are placed side by side where there is room.
  void close_figures() {
    if (in_figures_) body_ += "</div>\n";
    in_figures_ = false;
  }

  std::string formula(const std::string& tex, double size, bool in_line) {
    const EquationNode node = parse_equation(tex);
    return svgs_.draw(
        [&](Theme theme, const std::string&) { return formula_svg(node, size, in_line, theme); },
        "");
  }

  std::string words(const Spans& spans) {
    std::string html;
    for (const Span& span : spans) {
      if (span.kind == Span::Kind::formula)
        html += formula(span.text, text_size, true);
      else if (span.kind == Span::Kind::emphasis)
        html += fmt::format("<em>{}</em>", xml_escaped(span.text));
      else if (span.kind == Span::Kind::code)
        html += fmt::format("<code>{}</code>", xml_escaped(span.text));
      else
        html += xml_escaped(span.text);
    }
    return html;
  }

  void write_block(const Heading& heading) {
    body_ += fmt::format("<h{0} id=\"{1}\">{2}</h{0}>\n", heading.level, heading.anchor,
                         words(heading.text));
  }
  void write_block(const Paragraph& paragraph) {
    body_ += fmt::format("<p{}>{}</p>\n", class_attribute(class_of(paragraph.kind)),
                         words(paragraph.text));
  }
  void write_block(const BulletList& list) {
    std::string items;
    for (const Spans& item : list.items) items += fmt::format("<li>{}</li>\n", words(item));
    body_ += fmt::format("<div{}><ul>\n{}</ul></div>\n",
                         class_attribute(list.warning ? "warning" : ""), items);
  }
  void write_block(const Equations& block) {
    std::string html;
    for (const Equation& equation : block.equations)
      html += fmt::format("{}<small>{}</small>\n", formula(equation.tex, formula_size, false),
                          xml_escaped(equation.source));
    body_ += fmt::format("<div class=\"formulas\">{}</div>\n", html);
  }
  void write_block(const LayoutMark& mark) {
    for (int i = 0; i < mark.lines; ++i) body_ += "<div class=\"blank\"></div>\n";
    if (mark.kind == LayoutMark::Kind::page_break) body_ += "<div class=\"break\"></div>\n";
    if (mark.kind != LayoutMark::Kind::column_start) return;
    body_ += in_columns_ ? "</section>\n<section>\n" : "<div class=\"columns\"><section>\n";
    in_columns_ = true;
  }
  void write_block(const CodeBlock& code) {
    body_ += fmt::format("<pre><code>{}</code></pre>\n", xml_escaped(code.text));
  }
  void write_block(const Grid& grid) {
    interactive_ = interactive_ || grid.interactive;
    body_ += fmt::format("<div class=\"wide\"><table{}>\n<thead><tr>",
                         class_attribute(grid.interactive ? "interactive"
                                         : grid.boxed     ? "framed"
                                                          : ""));
    for (std::size_t i = 0; i < grid.header.size(); ++i)
      body_ += fmt::format(
          "<th scope=\"col\"{}{}>{}</th>", is_number_column(grid, i) ? " class=\"number\"" : "",
          i < grid.names.size() ? fmt::format(" title=\"{}\"", xml_escaped(grid.names[i])) : "",
          words(grid.header[i]));
    body_ += "</tr></thead>\n<tbody>\n";
    for (const auto& row : grid.rows) {
      body_ += "<tr>";
      for (const GridCell& cell : row) write_cell(cell);
      body_ += "</tr>\n";
    }
    body_ += "</tbody>\n</table></div>\n";
  }
  void write_cell(const GridCell& cell) {
    std::string name(class_of(cell.kind));
    if (cell.bar != 0) name += " bar";
    std::string attributes = class_attribute(name);
    if (cell.bar != 0)
      attributes += fmt::format(" style=\"--bar:var(--{});--share:{:.0f}%\"",
                                cell.bar < 0 ? "less" : "more", 100 * std::abs(cell.bar));
    std::string text = words(cell.text);
    if (cell.kind == GridCell::Kind::number) {
      const std::string full = number_text(cell.value);
      attributes += fmt::format(" data-value=\"{}\"", full);
      if (full != text) attributes += fmt::format(" title=\"{}\"", full);
    }
    if (!cell.anchor.empty()) text = fmt::format("<a href=\"#{}\">{}</a>", cell.anchor, text);
    body_ += fmt::format("<td{}>{}</td>", attributes, text);
  }
  void write_block(const Picture& picture) {
    if (!picture.elsewhere.empty() && picture.elsewhere == left_out_) return;
    const std::string svg = svgs_.draw(picture.figure, picture.id, picture.view, picture.notes);
    if (!picture.elsewhere.empty() && body_.size() + svg.size() > room_) {
      close_figures();
      left_out_ = picture.elsewhere;
      write_block(Paragraph{
          fmt::format("Figures from “{}” on are left out, as the page would be too large: {}",
                      plain_text(picture.figure.title), picture.elsewhere),
          Paragraph::Kind::quiet});
      return;
    }
    if (!in_figures_) body_ += "<div class=\"figures\">\n";
    in_figures_ = true;
    body_ += fmt::format("<figure>{}</figure>\n", svg);
  }

  void write_block(const PanelPicture& picture) {
    if (!in_figures_) body_ += "<div class=\"figures\">\n";
    in_figures_ = true;
    const bool wide = picture.panels.panels.size() > 1;
    body_ += fmt::format("<figure{}>{}</figure>\n", wide ? " class=\"panels\"" : "",
                         svgs_.draw(picture.panels, picture.id));
  }

  std::string body_{};
  ThemedSvgs svgs_;
  std::size_t room_;
  std::string left_out_{};  ///< what shows the pictures that were left out last
  bool interactive_{};
  bool in_figures_{};
  bool in_columns_{};
};

}  // namespace

std::string html_of(const Document& document) { return HtmlWriter(document).write(document); }

}  // namespace orrery
