#include "experiments/lessons/paragraph.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "experiments/figure/equation/layout.h"
#include "experiments/figure/equation/parse.h"

namespace orrery {
namespace {

using Piece = ParagraphLayout::Piece;

constexpr double line_height = 1.45;  ///< in em
constexpr double first_baseline = 1.05;

/// A word or a formula, and whether a space stands before it.
struct Word {
  Piece piece{};
  bool spaced{};
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether the space at `at` groups the digits of a number: "10 000".
bool groups_digits(std::string_view text, std::size_t at) {
  if (text[at] != ' ' || at == 0 || !is_digit(text[at - 1]) || at + 3 >= text.size()) return false;
  for (std::size_t i = 1; i <= 3; ++i)
    if (!is_digit(text[at + i])) return false;
  return at + 4 >= text.size() || !is_digit(text[at + 4]);
}

class Breaker {
 public:
  Breaker(const Canvas& canvas, double width, const TextStyle& style)
      : canvas_(canvas), width_(width), style_(style) {
    style_.vertical = VerticalAlign::baseline;
    style_.horizontal = HorizontalAlign::left;
    space_ = canvas_.text_size("n n", style_).width - canvas_.text_size("nn", style_).width;
  }

  ParagraphLayout lay_out(const std::vector<Span>& spans) {
    for (const Span& span : spans) add(span);
    finish_group();
    finish_line();
    layout_.height = y_;
    return std::move(layout_);
  }

 private:
  void add(const Span& span) {
    if (span.kind == Span::Kind::formula) {
      Piece piece{.style = style_};
      piece.box = lay_out_in_line(parse_equation(span.text), canvas_, style_.size);
      piece.width = piece.box.width;
      put(std::move(piece));
      return;
    }
    TextStyle style = style_;
    style.bold = style.bold || span.kind == Span::Kind::emphasis;
    std::string word;
    for (std::size_t i = 0; i <= span.text.size(); ++i) {
      const char c = i < span.text.size() ? span.text[i] : '\0';
      const bool blank = (c == ' ' || c == '\n' || c == '\t') && !groups_digits(span.text, i);
      if (!blank && c != '\0') word += c;
      if ((blank || c == '\0') && !word.empty()) {
        Piece piece{.text = std::exchange(word, {}), .style = style, .target = span.target};
        piece.width = canvas_.text_size(piece.text, style).width;
        put(std::move(piece));
      }
      if (blank) finish_group();
    }
  }

  /// Pieces without a space between them stay together.
  void put(Piece piece) {
    group_width_ += piece.width;
    group_.push_back(std::move(piece));
  }

  void finish_group() {
    if (group_.empty()) return;
    const double before = line_.empty() ? 0 : space_;
    if (!line_.empty() && x_ + before + group_width_ > width_) finish_line();
    if (!line_.empty()) x_ += space_;
    for (Piece& piece : group_) {
      piece.at.x = x_;
      x_ += piece.width;
      line_.push_back(std::move(piece));
    }
    group_.clear();
    group_width_ = 0;
  }

  /// A line is as high as its highest formula needs.
  void finish_line() {
    if (line_.empty()) return;
    double ascent = first_baseline * style_.size;
    double descent = (line_height - first_baseline) * style_.size;
    for (const Piece& piece : line_) {
      if (piece.box.ascent > ascent) ascent = piece.box.ascent;
      if (piece.box.descent > descent) descent = piece.box.descent;
    }
    for (Piece& piece : line_) {
      piece.at.y = y_ + ascent;
      layout_.pieces.push_back(std::move(piece));
    }
    y_ += ascent + descent;
    x_ = 0;
    line_.clear();
  }

  const Canvas& canvas_;
  double width_;
  TextStyle style_;
  double space_{};
  ParagraphLayout layout_{};
  std::vector<Piece> group_{};
  double group_width_{};
  std::vector<Piece> line_{};
  double x_{};
  double y_{};
};

}  // namespace

ParagraphLayout lay_out_paragraph(const std::vector<Span>& spans, const Canvas& canvas,
                                  double width, const TextStyle& style) {
  return Breaker(canvas, width, style).lay_out(spans);
}

void draw_paragraph(Canvas& canvas, const ParagraphLayout& paragraph, Point corner,
                    const EquationHighlight& highlight) {
  for (const Piece& piece : paragraph.pieces) {
    const Point at{corner.x + piece.at.x, corner.y + piece.at.y};
    if (piece.text.empty())
      draw_equation(canvas, piece.box, at, piece.style.color, highlight);
    else
      canvas.text(at, piece.text, piece.style);
  }
}

}  // namespace orrery
