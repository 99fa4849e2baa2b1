#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/figure/canvas.h"
#include "experiments/figure/figure.h"
#include "experiments/figure/style.h"

namespace orrery {

/// How cells share a pixel when a map is drawn smaller than it is.
enum class Minification { mean, max };

/// What a reader may change about a figure without changing the figure: the desktop's pan, zoom,
/// hidden curves and colour range. Empty means "as the figure says".
struct FigureView {
  std::optional<Range> x{};  ///< data range shown
  std::optional<Range> y{};
  std::optional<AxisScale> x_scale{};
  std::optional<AxisScale> y_scale{};
  std::optional<double> x_threshold{};  ///< a symlog axis is linear within ± this
  std::optional<double> y_threshold{};
  std::optional<Range> color{};
  std::set<std::string> hidden{};  ///< names of hidden series
  Minification minification{Minification::mean};

  friend bool operator==(const FigureView&, const FigureView&) = default;
};

/// One axis as laid out: data ↔ canvas.
struct AxisMap {
  AxisScale scale{AxisScale::linear};
  double symlog_threshold{1.0};
  Range data{};     ///< at the two ends
  double at_min{};  ///< canvas coordinate of data.min
  double at_max{};
  double to_canvas(double value) const;
  double to_data(double coordinate) const;
  friend bool operator==(const AxisMap&, const AxisMap&) = default;
};

/// How a curve runs along x.
struct CurveOrder {
  bool sorted{};  ///< never to the left: a place is searched, not scanned for
  Range x{};      ///< from its least to its greatest; of no meaning without points
};

/// Where things came to lie, for whoever reacts to a mouse.
struct FigureFrame {
  Rect area{};
  Rect plot{};  ///< the data region; empty for a table
  AxisMap x{};
  AxisMap y{};
  Rect x_axis{};  ///< tick labels and label of the axis
  Rect y_axis{};
  struct LegendEntry {
    Rect box{};
    std::string series{};
  };
  std::vector<LegendEntry> legend{};
  Rect color_bar{};
  AxisMap color{};
  std::vector<CurveOrder> curves{};  ///< one a series of a line plot, hidden ones too
};

class CurveCache;  // in curve_cache.h

/// What a live heatmap keeps from frame to frame: while nothing that shows has changed, draw_figure
/// hands the sink the same Image again, and does not look through the values for their range. Copy
/// and compare as you like; one a heatmap on screen.
struct HeatmapCache {
  /// Everything that the pixels depend on.
  struct Key {
    std::shared_ptr<const Array> values{};
    std::shared_ptr<const Array> masked{};
    std::size_t first_row{}, rows{}, first_column{}, columns{};  ///< cells shown
    int width{}, height{};                                       ///< pixels
    Range color{};
    Meaning meaning{};
    Minification minification{};
    Color ground{}, masked_color{}, not_a_number{};
    friend bool operator==(const Key&, const Key&) = default;
  };
  Key key{};
  std::shared_ptr<const Image> image{};
  Rect target{};  ///< where the image was drawn; it may reach beyond the plot

  std::shared_ptr<const Array> ranged_values{};  ///< whose range is `range`
  std::shared_ptr<const Array> ranged_mask{};
  Range range{};
  bool any_masked{};
  bool any_nan{};
};

/// Draws any figure into `area` and says where everything is. The one layout behind the exported
/// and the live figure. A line plot's axes run as the figure says; a heatmap's count cells: row i
/// and column j have their middle at i and j and are one wide, unless the axis has a range, which
/// then names the middles of the first and last cell. `cache` saves a live heatmap its work, and
/// `curves` a live line plot.
/// Never throws for an area without room: it draws what has a place.
FigureFrame draw_figure(Canvas& canvas, const Figure& figure, const Rect& area,
                        const FigureStyle& style, const FigureView& view = {},
                        HeatmapCache* cache = nullptr, CurveCache* curves = nullptr);

struct EquationStrip;  // in equation/strip.h

/// What margins leave of an area.
Rect figure_room(const Rect& area, const FigureStyle& style);
/// How much higher a page is for a strip of formulas; 0 for an empty one.
double strip_room(const EquationStrip& strip, const FigureStyle& style);
/// draw_figure for a page of its own, with formulas beneath the title. The strip is as wide as
/// figure_room leaves of the page without it, and the page by strip_room higher: title, content and
/// caption are as large as they would be without formulas.
FigureFrame draw_figure_with(Canvas& canvas, const Figure& figure, const EquationStrip& formulas,
                             Size page, const FigureStyle& style, const FigureView& view = {});

/// A cell of a map.
struct Cell {
  std::size_t row{};
  std::size_t column{};
  friend bool operator==(const Cell&, const Cell&) = default;
};

/// The cell under a canvas point, if it is within the plot and the map.
std::optional<Cell> cell_at(const Heatmap& map, const FigureFrame& frame, Point point);
/// Where a cell lies on the canvas; it may reach beyond the plot.
Rect cell_rect(const Heatmap& map, const FigureFrame& frame, Cell cell);

}  // namespace orrery
