#pragma once

#include <span>
#include <vector>

#include "core/formula.h"
#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/equation/layout.h"
#include "experiments/figure/plot/curve_cache.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/figure.h"
#include "experiments/model/panels.h"

namespace orrery {

/// Formulas side by side, each followed by its source, in as many rows as needed. The origin is the
/// upper left corner.
struct EquationStrip {
  struct Part {
    EquationBox box{};
    Point origin{};  ///< left end of the baseline
    bool is_source{false};
  };
  std::vector<Part> parts{};
  double height{};  ///< 0 when there is nothing to set
};

/// Typesets formulas within `width`; a formula that is wider on its own is set in a smaller size.
/// `canvas` measures the text. Throws as parse_equation does.
EquationStrip lay_out_strip(std::span<const Formula> formulas, const Canvas& canvas, double width,
                            const FigureStyle& style);

void draw_strip(Canvas& canvas, const EquationStrip& strip, Point corner, const FigureStyle& style);

/// Draws any figure into `area` and returns the position of its parts; exported and live figures
/// share this layout. On a heatmap's axes row i and column j are centred at i and j and one unit
/// wide, unless the axis has a range, which then gives the centres of the first and the last cell.
/// `cache` keeps pixels of a live heatmap between frames, `curves` the points of a live line plot.
/// Draws as much as fits; an area that is too small is not an error.
FigureLayout draw_figure(Canvas& canvas, const Figure& figure, const Rect& area,
                         const FigureStyle& style, const FigureView& view = {},
                         HeatmapCache* cache = nullptr, CurveCache* curves = nullptr);

/// Of the whole title, in as many lines as it takes.
double title_height(const Canvas& canvas, std::string_view title, double width,
                    const FigureStyle& style);

/// The area without its margins.
Rect figure_room(const Rect& area, const FigureStyle& style);
/// Height that a strip of formulas adds to a page; 0 for an empty strip.
double strip_room(const EquationStrip& strip, const FigureStyle& style);
/// Draws a figure onto a whole page, with formulas beneath the title. The strip must be as wide as
/// figure_room of the page without it, and the page taller by strip_room: title, content and
/// caption keep the size they have without formulas.
FigureLayout draw_figure_with(Canvas& canvas, const Figure& figure, const EquationStrip& formulas,
                              Size page, const FigureStyle& style, const FigureView& view = {});

/// Where panels stand.
struct PanelGrid {
  struct Place {
    std::size_t row{}, column{};
    std::size_t span{1};  ///< columns that it takes
  };
  std::size_t rows{}, columns{};
  std::vector<Place> places{};
};
/// @param ems  width of the page in heights of its text: on a narrow one panels are fewer in a row,
///             and an equation of maps has a row to itself
PanelGrid panel_grid(const Panels& panels, double ems);
/// Height of the whole caption, in as many lines as it takes.
double caption_height(const Canvas& canvas, std::string_view caption, double width,
                      const FigureStyle& style);
/// "(a)" of the first panel, "(b)" of the second; after z come numbers.
std::string panel_letter(std::size_t index);
/// Draws panels in rows beneath one title. Where all have the same curves one legend beside
/// them serves all.
void draw_panels(Canvas& canvas, const Panels& panels, const Rect& area, const FigureStyle& style,
                 const FigureView& view = {});

}  // namespace orrery
