#include "experiments/figure/equation/strip.h"

#include <algorithm>
#include <string>
#include <utility>

#include "experiments/figure/equation/parse.h"

namespace orrery {
namespace {

// In em of the figure's text.
constexpr double kSize = 1.2;       ///< of the formulas' letters: they are read from afar, too
constexpr double kSourceGap = 0.7;  ///< between a formula and its source
constexpr double kGap = 2.0;        ///< between a source and the next formula
constexpr double kRowGap = 0.7;

/// A formula and its source, set for a size; every length is in proportion to `scale`.
struct Unit {
  EquationBox formula{};
  EquationBox source{};
  double gap{};  ///< between the two
  double width() const { return formula.width + gap + source.width; }
  double ascent() const { return std::max(formula.ascent, source.ascent); }
  double descent() const { return std::max(formula.descent, source.descent); }
};

Unit set_at(const SetEquation& equation, const Canvas& canvas, const FigureStyle& style,
            double scale) {
  Unit unit{.formula =
                lay_out(parse_equation(equation.tex), canvas, kSize * style.text_size * scale)};
  if (equation.source.empty()) return unit;
  const EquationNode words{.kind = EquationNode::Kind::symbol,
                           .text = std::string(equation.source)};
  unit.source = lay_out(words, canvas, style.small_size * scale);
  unit.gap = kSourceGap * style.text_size * scale;
  return unit;
}

Unit set_within(const SetEquation& equation, const Canvas& canvas, double width,
                const FigureStyle& style) {
  Unit unit = set_at(equation, canvas, style, 1.0);
  return unit.width() <= width ? unit : set_at(equation, canvas, style, width / unit.width());
}

/// Fills rows from the left, and knows how far down it has come.
class Rows {
 public:
  Rows(double width, const FigureStyle& style) : width_(width), em_(style.text_size) {}

  void add(Unit unit) {
    if (!row_.empty() && x_ + unit.width() > width_) finish_row();
    x_ += unit.width() + kGap * em_;
    row_.push_back(std::move(unit));
  }

  EquationStrip finish() {
    finish_row();
    return std::move(strip_);
  }

 private:
  void finish_row() {
    double ascent = 0.0, descent = 0.0, x = 0.0;
    for (const Unit& unit : row_) {
      ascent = std::max(ascent, unit.ascent());
      descent = std::max(descent, unit.descent());
    }
    if (strip_.height > 0.0) strip_.height += kRowGap * em_;
    const double baseline = strip_.height + ascent;
    for (Unit& unit : row_) {
      const double source_x = x + unit.formula.width + unit.gap, next = x + unit.width();
      strip_.parts.push_back({std::move(unit.formula), {x, baseline}, false});
      strip_.parts.push_back({std::move(unit.source), {source_x, baseline}, true});
      x = next + kGap * em_;
    }
    strip_.height += ascent + descent;
    row_.clear();
    x_ = 0.0;
  }

  double width_;
  double em_;
  double x_{};
  std::vector<Unit> row_{};
  EquationStrip strip_{};
};

}  // namespace

EquationStrip lay_out_strip(std::span<const SetEquation> formulas, const Canvas& canvas,
                            double width, const FigureStyle& style) {
  Rows rows(width, style);
  for (const SetEquation& equation : formulas) rows.add(set_within(equation, canvas, width, style));
  return rows.finish();
}

void draw_strip(Canvas& canvas, const EquationStrip& strip, Point corner,
                const FigureStyle& style) {
  for (const EquationStrip::Part& part : strip.parts)
    draw_equation(canvas, part.box, {corner.x + part.origin.x, corner.y + part.origin.y},
                  part.is_source ? style.muted : style.text);
}

}  // namespace orrery
