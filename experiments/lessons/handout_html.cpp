#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "experiments/figure/canvas/svg_canvas.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/equation/layout.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/lessons/handout.h"
#include "experiments/lessons/noted_figure.h"
#include "experiments/text/xml.h"

namespace orrery::lessons {
namespace {

using figure::EquationBox;
using figure::SvgCanvas;
using figure::Theme;

constexpr double page_text_size = 15;  ///< of the page, in pixels
constexpr double formula_size = 17;    ///< of formulas that stand alone
constexpr double figure_width = 640;

constexpr std::string_view style_sheet = R"(
body{margin:0;background:#fff;color:#22262e;font:15px/1.55 'DejaVu Sans',system-ui,sans-serif}
main{max-width:680px;margin:0 auto;padding:28px 20px 64px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}
h2{font-size:18px;margin:34px 0 6px;break-after:avoid}
p{margin:8px 0}
.quiet{color:#5a616e}
.strong{font-weight:600}
.item{margin-left:22px}
.boxed{border:1.5px solid #22262e;border-radius:6px;padding:12px 16px;font-size:16px}
.formulas{margin:12px 0 12px 22px}
.formulas .source{color:#5a616e;font-size:13px;margin:0 28px 0 12px}
.blank{border-bottom:1px solid #9aa1ad;height:30px;margin:4px 0}
svg{vertical-align:baseline}
figure{margin:14px 0;break-inside:avoid}
figure svg{display:block;max-width:100%;height:auto}
code{font:13px/1.45 'DejaVu Sans Mono',monospace}
.board{border-collapse:collapse;margin:12px 0}
.board th,.board td{border:1px solid #9aa1ad;padding:5px 10px;text-align:center;font-weight:400}
.board th[scope=row]{text-align:left}
.board th small{display:block;color:#5a616e;max-width:112px}
.command{color:#5a616e;overflow-wrap:anywhere}
.break{break-before:page;margin-top:60px;border-top:1px solid #dfe3ea}
@media print{@page{margin:16mm}body{font-size:10.5pt}main{max-width:none;padding:0}}
)";

/// Without the declaration, which a page may not hold.
std::string svg_element(SvgCanvas& canvas) {
  const std::string svg = canvas.finish();
  return svg.substr(svg.find("<svg"));
}

/// A formula as a drawing that stands on the baseline of its line.
std::string formula_svg(const std::string& tex, double size, bool in_line) {
  const figure::EquationNode node = figure::parse_equation(tex);
  const SvgCanvas measure({1, 1}, {});
  const EquationBox box =
      in_line ? figure::lay_out_in_line(node, measure, size) : figure::lay_out(node, measure, size);
  constexpr double edge = 1;
  SvgCanvas canvas({box.width + 2 * edge, box.height() + 2 * edge},
                   {figure::formula_text(node), "", ""});
  const figure::Color ink = figure::figure_style(Theme::print).text;
  figure::draw_equation(canvas, box, {edge, box.ascent + edge}, ink);
  std::string svg = svg_element(canvas);
  return svg.replace(0, 4,
                     fmt::format("<svg style=\"vertical-align:{:.2f}px\"", -box.descent - edge));
}

std::string spans_html(const std::vector<Span>& spans) {
  std::string html;
  for (const Span& span : spans) {
    if (span.kind == Span::Kind::formula)
      html += formula_svg(span.text, page_text_size, true);
    else if (span.kind == Span::Kind::emphasis)
      html += fmt::format("<em>{}</em>", xml_escaped(span.text));
    else if (span.kind == Span::Kind::code)
      html += fmt::format("<code>{}</code>", xml_escaped(span.text));
    else
      html += xml_escaped(span.text);
  }
  return html;
}

std::string_view class_of(HandoutText::Kind kind) {
  switch (kind) {
    case HandoutText::Kind::item:
      return " class=\"item\"";
    case HandoutText::Kind::quiet:
      return " class=\"quiet\"";
    case HandoutText::Kind::strong:
      return " class=\"strong\"";
    case HandoutText::Kind::boxed:
      return " class=\"boxed\"";
    case HandoutText::Kind::plain:
      break;
  }
  return "";
}

std::string html_of(const HandoutHeading& heading) {
  return fmt::format("<h{0}>{1}</h{0}>\n", heading.level, xml_escaped(heading.text));
}
std::string html_of(const HandoutText& text) {
  return fmt::format("<p{}>{}</p>\n", class_of(text.kind), spans_html(text.spans));
}
std::string html_of(const HandoutFormulas& formulas) {
  std::string html;
  for (const LessonFormula& formula : formulas.formulas)
    html += fmt::format("{}<span class=\"source\">{}</span>\n",
                        formula_svg(formula.tex, formula_size, false), xml_escaped(formula.source));
  return fmt::format("<div class=\"formulas\">{}</div>\n", html);
}
std::string html_of(const HandoutPicture& picture) {
  const figure::Size size{figure_width, noted_height(picture, figure_width)};
  SvgCanvas canvas(size, {figure::plain_text(picture.figure.title),
                          figure::plain_text(picture.figure.caption), picture.id});
  draw_noted_figure(canvas, picture, {0, 0, size.width, size.height},
                    figure::figure_style(Theme::print, 0.85));
  return fmt::format("<figure>{}</figure>\n", svg_element(canvas));
}
std::string html_of(const HandoutBoard& shown) {
  const Scoreboard& board = shown.board;
  std::string rows = "<tr><th></th>";
  for (const BoardEntry& wish : board.wishes)
    rows += fmt::format("<th scope=\"col\">{}<small>{}</small></th>", xml_escaped(wish.key),
                        xml_escaped(wish.text));
  rows += "</tr>\n";
  for (std::size_t code = 0; code < board.codes.size(); ++code) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th>", xml_escaped(board.codes[code].text));
    for (std::size_t wish = 0; wish < board.wishes.size(); ++wish)
      rows += fmt::format("<td>{}</td>", mark_text(board.at(code, wish)));
    rows += "</tr>\n";
  }
  return fmt::format("<table class=\"board\">\n{}</table>\n", rows);
}
std::string html_of(const HandoutBlank& blank) {
  std::string html;
  for (int i = 0; i < blank.lines; ++i) html += "<div class=\"blank\"></div>\n";
  return html;
}
std::string html_of(const HandoutCommand& command) {
  return fmt::format("<p class=\"command\"><code>{}</code></p>\n", xml_escaped(command.text));
}
std::string html_of(const HandoutBreak&) { return "<div class=\"break\"></div>\n"; }

}  // namespace

std::string handout_html(const Handout& handout) {
  std::string body;
  for (const HandoutBlock& block : handout.blocks)
    body += std::visit([](const auto& one) { return html_of(one); }, block);
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"generator\" content=\"orrery lesson\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</"
      "html>\n",
      xml_escaped(handout.title), style_sheet, body);
}

}  // namespace orrery::lessons
