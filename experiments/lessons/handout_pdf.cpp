#include <fmt/format.h>

#include <array>

#include "experiments/figure/canvas/cairo_canvas.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/equation/strip.h"
#include "experiments/lessons/handout.h"
#include "experiments/lessons/noted_figure.h"
#include "experiments/lessons/paragraph.h"

namespace orrery::lessons {
namespace {

using figure::CairoCanvas;
using figure::Point;
using figure::TextStyle;

// Lengths in points: A4.
constexpr figure::Size page{595, 842};
constexpr double margin = 56;
constexpr double column_width = page.width - 2 * margin;
constexpr double bottom = page.height - margin;
constexpr double body_text_size = 10;
constexpr double small_size = 8.5;
constexpr double gap = 6;
constexpr double indent = 14;
constexpr double heading_room = 150;  ///< less is left to a step's beginning: it begins a page

class PdfWriter {
 public:
  explicit PdfWriter(const Handout& handout)
      : handout_(handout), style_(figure::figure_style(figure::Theme::print, 0.62)) {}

  std::string write() {
    for (const HandoutBlock& block : handout_.blocks)
      std::visit([this](const auto& one) { add(one); }, block);
    number_page();
    return canvas_.finish();
  }

 private:
  TextStyle text_style(double size, bool bold = false) const {
    return {.size = size, .color = style_.text, .bold = bold};
  }

  void number_page() {
    TextStyle style = text_style(small_size);
    style.color = style_.muted;
    canvas_.text({margin, page.height - 34}, handout_.title, style);
    style.horizontal = figure::HorizontalAlign::right;
    canvas_.text({page.width - margin, page.height - 34}, fmt::format("{}", number_), style);
  }

  void next_page() {
    number_page();
    canvas_.next_page();
    ++number_;
    y_ = margin;
  }

  /// Begins a page where that much does not fit on this one.
  void need(double height) {
    if (y_ > margin && y_ + height > bottom) next_page();
  }

  double paragraph(const std::vector<Span>& spans, const TextStyle& style, double from,
                   double width) {
    const ParagraphLayout layout = lay_out_paragraph(spans, canvas_, width, style);
    need(layout.height);
    draw_paragraph(canvas_, layout, {margin + from, y_});
    y_ += layout.height;
    return layout.height;
  }

  void add(const HandoutHeading& heading) {
    const bool title = heading.level == 1;
    if (!title) {
      need(heading_room);
      if (y_ > margin) y_ += 14;
    }
    paragraph({{Span::Kind::text, heading.text, ""}}, text_style(title ? 18 : 12.5, true), 0,
              column_width);
    y_ += title ? 4 : 2;
  }

  void add(const HandoutText& text) {
    using Kind = HandoutText::Kind;
    if (text.kind == Kind::boxed) return add_box(text);
    TextStyle style = text_style(body_text_size, text.kind == Kind::strong);
    if (text.kind == Kind::quiet) style.color = style_.muted;
    const double from = text.kind == Kind::item ? indent : 0;
    paragraph(text.spans, style, from, column_width - from);
    y_ += gap;
  }

  void add_box(const HandoutText& text) {
    constexpr double inside = 12;
    const ParagraphLayout layout =
        lay_out_paragraph(text.spans, canvas_, column_width - 2 * inside, text_style(11, true));
    const double height = layout.height + 2 * inside;
    need(height);
    frame({margin, y_, column_width, height}, {.color = style_.text, .width = 1});
    draw_paragraph(canvas_, layout, {margin + inside, y_ + inside});
    y_ += height + 2 * gap;
  }

  void add(const HandoutFormulas& formulas) {
    std::vector<Formula> set;
    for (const LessonFormula& formula : formulas.formulas)
      set.push_back({formula.tex, formula.source});
    figure::FigureStyle style = style_;
    style.text_size = body_text_size;
    style.small_size = small_size;
    const figure::EquationStrip strip =
        figure::lay_out_strip(set, canvas_, column_width - indent, style);
    need(strip.height + gap);
    figure::draw_strip(canvas_, strip, {margin + indent, y_}, style);
    y_ += strip.height + 2 * gap;
  }

  /// A high figure is narrower, so that two steps have room on a page.
  void add(const HandoutPicture& picture) {
    constexpr double highest = 240, least_share = 0.72;
    const double full = noted_height(picture, column_width);
    const double height = full < highest ? full : highest;
    const double share = height / full;
    const double width = column_width * (share < least_share ? least_share : share);
    need(height);
    draw_noted_figure(canvas_, picture, {margin, y_, width, height}, style_);
    y_ += height + gap;
  }

  void frame(const figure::Rect& box, const figure::Stroke& stroke) {
    const std::array<Point, 5> corners{Point{box.x, box.y}, Point{box.right(), box.y},
                                       Point{box.right(), box.bottom()}, Point{box.x, box.bottom()},
                                       Point{box.x, box.y}};
    canvas_.line_strip(corners, stroke);
  }

  void cell(const figure::Rect& box, const std::string& words, TextStyle style, bool centred) {
    frame(box, {.color = style_.muted, .width = 0.5});
    style.vertical = figure::VerticalAlign::middle;
    if (centred) style.horizontal = figure::HorizontalAlign::center;
    canvas_.text({centred ? box.x + box.width / 2 : box.x + gap, box.y + box.height / 2}, words,
                 style);
  }

  /// Each wish heads its column; what it asks stands beneath the table.
  void add(const HandoutBoard& shown) {
    constexpr double row = 20, names = 110;
    const Scoreboard& board = shown.board;
    if (board.is_empty()) return;
    const auto rows = static_cast<double>(board.codes.size() + 1);
    const double each = (column_width - names) / static_cast<double>(board.wishes.size());
    const TextStyle style = text_style(body_text_size);
    need(rows * row + gap);
    for (std::size_t wish = 0; wish < board.wishes.size(); ++wish) {
      const double x = margin + names + each * static_cast<double>(wish);
      cell({x, y_, each, row}, board.wishes[wish].key, style, true);
      for (std::size_t code = 0; code < board.codes.size(); ++code)
        cell({x, y_ + row * static_cast<double>(code + 1), each, row},
             mark_text(board.at(code, wish)), style, true);
    }
    for (std::size_t code = 0; code < board.codes.size(); ++code)
      cell({margin, y_ + row * static_cast<double>(code + 1), names, row}, board.codes[code].text,
           style, false);
    y_ += rows * row + gap;
    std::string legend;
    for (const BoardEntry& wish : board.wishes)
      legend += (legend.empty() ? "" : " · ") + wish.key + ": " + wish.text;
    TextStyle quiet = text_style(small_size);
    quiet.color = style_.muted;
    paragraph({{Span::Kind::text, legend, ""}}, quiet, 0, column_width);
    y_ += gap;
  }

  void add(const HandoutBlank& blank) {
    for (int i = 0; i < blank.lines; ++i) {
      need(24);
      y_ += 20;
      const std::array<Point, 2> line{Point{margin, y_}, Point{margin + column_width, y_}};
      canvas_.line_strip(line, {.color = style_.muted, .width = 0.5});
      y_ += 4;
    }
    y_ += gap;
  }

  void add(const HandoutCommand& command) {
    TextStyle style = text_style(small_size);
    style.color = style_.muted;
    paragraph({{Span::Kind::code, command.text, ""}}, style, 0, column_width);
    y_ += gap;
  }

  void add(const HandoutBreak&) {
    if (y_ > margin) next_page();
  }

  const Handout& handout_;
  figure::FigureStyle style_;
  CairoCanvas canvas_{figure::FigureFormat::pdf, page};
  double y_{margin};
  int number_{1};
};

}  // namespace

std::string handout_pdf(const Handout& handout) { return PdfWriter(handout).write(); }

}  // namespace orrery::lessons
