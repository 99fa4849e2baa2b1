#include "experiments/figure/equation/strip.h"

#include <algorithm>
#include <string>
#include <utility>

#include "experiments/figure/equation/parse.h"
#include "experiments/figure/equation/read_text.h"

namespace orrery {
namespace {

// Lengths in em of the figure's text.
constexpr double formula_scale = 1.15;  ///< size of the formulas; readable at a distance
constexpr double source_gap = 0.7;      ///< between a formula and its source
constexpr double formula_gap = 2.0;     ///< between a source and the next formula
constexpr double line_gap = 0.7;

constexpr double rounding = 1e-9;

/// A formula followed by its source, typeset at one size.
struct SourcedFormula {
  EquationBox box{};
  EquationBox source{};
  double gap{};  ///< between the two
  double width() const { return box.width + gap + source.width; }
  double ascent() const { return std::max(box.ascent, source.ascent); }
  double descent() const { return std::max(box.descent, source.descent); }
};

SourcedFormula set_at(const Formula& equation, const Canvas& canvas, const FigureStyle& style,
                      double scale) {
  SourcedFormula formula{.box = lay_out(parse_equation(equation.tex), canvas,
                                        formula_scale * style.text_size * scale)};
  if (equation.source.empty()) return formula;
  formula.source = lay_out_in_line(read_text(equation.source), canvas, style.small_size * scale);
  formula.gap = source_gap * style.text_size * scale;
  return formula;
}

SourcedFormula set_within(const Formula& equation, const Canvas& canvas, double width,
                          const FigureStyle& style) {
  SourcedFormula formula = set_at(equation, canvas, style, 1.0);
  return formula.width() <= width ? formula
                                  : set_at(equation, canvas, style, width / formula.width());
}

/// Fills rows from left to right and stacks them.
class Rows {
 public:
  Rows(double width, const FigureStyle& style) : width_(width), em_(style.text_size) {}

  void add(SourcedFormula formula) {
    if (!row_.empty() && x_ + formula.width() > width_ * (1 + rounding)) finish_row();
    x_ += formula.width() + formula_gap * em_;
    row_.push_back(std::move(formula));
  }

  EquationStrip finish() {
    finish_row();
    return std::move(strip_);
  }

 private:
  void finish_row() {
    double ascent = 0.0, descent = 0.0, x = 0.0;
    for (const SourcedFormula& formula : row_) {
      ascent = std::max(ascent, formula.ascent());
      descent = std::max(descent, formula.descent());
    }
    if (strip_.height > 0.0) strip_.height += line_gap * em_;
    const double baseline = strip_.height + ascent;
    for (SourcedFormula& formula : row_) {
      const double source_x = x + formula.box.width + formula.gap, next = x + formula.width();
      strip_.parts.push_back({std::move(formula.box), {x, baseline}, false});
      strip_.parts.push_back({std::move(formula.source), {source_x, baseline}, true});
      x = next + formula_gap * em_;
    }
    strip_.height += ascent + descent;
    row_.clear();
    x_ = 0.0;
  }

  double width_;
  double em_;
  double x_{};
  std::vector<SourcedFormula> row_{};
  EquationStrip strip_{};
};

}  // namespace

EquationStrip lay_out_strip(std::span<const Formula> formulas, const Canvas& canvas, double width,
                            const FigureStyle& style) {
  Rows rows(width, style);
  for (const Formula& equation : formulas) rows.add(set_within(equation, canvas, width, style));
  return rows.finish();
}

void draw_strip(Canvas& canvas, const EquationStrip& strip, Point corner,
                const FigureStyle& style) {
  for (const EquationStrip::Part& part : strip.parts)
    draw_equation(canvas, part.box, {corner.x + part.origin.x, corner.y + part.origin.y},
                  part.is_source ? style.muted : style.text);
}

}  // namespace orrery
