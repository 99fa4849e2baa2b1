#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/ui.h"
#include "app/player/director.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/lessons/lesson.h"

namespace orrery {

// Strokes over a figure that has been drawn.

void draw_mark_dot(Canvas& canvas, Point at, double radius, Color color);

/// A line through points in data coordinates; those that have no place are left out.
void draw_curve(Canvas& canvas, const FigureLayout& layout, const std::vector<double>& x,
                const std::vector<double>& y, const Stroke& stroke);

/// A broad pale line behind a curve, which lights it up.
void draw_glow(Canvas& canvas, const FigureLayout& layout, const Series& series, const Ui& ui);

/// Covers what a step hides of a figure: the title, which may tell the answer, gives way to
/// `question`; a veil without a series covers the plot, or the part of it between its ends.
void draw_cover(Canvas& canvas, const FigureLayout& layout, const LessonStep& step,
                const std::string& figure, const std::string& question, const Ui& ui);

/// Whether a veil of the step covers all of the figure, so that nothing in it can be pointed at.
bool is_covered(const LessonStep& step, const std::string& figure);

/// Whether a formula of marked text has the symbol as a whole: "$|S_j|$" has "S_j", and neither "S"
/// nor "j". Braces and commas of subscripts do not count: "a_{mn}" is "a_{m,n}".
bool has_symbol(std::string_view marked, std::string_view symbol);

/// The parts of a figure that a symbol names.
struct NamedParts {
  bool x_axis{};
  bool y_axis{};
  bool color_bar{};
  std::vector<std::string> series{};
  bool any() const { return x_axis || y_axis || color_bar || !series.empty(); }
};

/// Those whose labels have the symbol, and, where it is on the vertical axis of a single curve,
/// that curve. An axis of distances is named by r, too.
NamedParts parts_named(const Figure& figure, std::string_view symbol);

/// Tints axes and colour bar, and glows behind the curves that `view` shows and frames their names.
void light_parts(Canvas& canvas, const Figure& figure, const FigureLayout& layout,
                 const FigureView& view, const NamedParts& parts, const Ui& ui);

/// Which of the symbols name the part of the figure that the point lies on: an axis, the colour bar
/// or a name of the legend.
std::vector<std::string> symbols_at(const Figure& figure, const FigureLayout& layout, Point at,
                                    const std::vector<std::string>& symbols);

/// The curves or cells that were predicted, those of a class behind one's own, and, once revealed,
/// the cells of the truth. A true curve is the figure's own.
void draw_answers(Canvas& canvas, const Figure& figure, const FigureLayout& layout,
                  const Director& director, const Ui& ui);

/// Words and a dot at places of the figure.
void draw_notes(Canvas& canvas, const Figure& figure, const FigureLayout& layout,
                const Director& director, const Ui& ui);

/// Dims figures that the step does not point at, frames cells and glows behind series that it does.
void draw_spotlights(Canvas& canvas, const Figure& figure, const FigureLayout& layout,
                     const Director& director, const Session& session, const Ui& ui);

}  // namespace orrery
