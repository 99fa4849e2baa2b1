#pragma once

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
  std::optional<Range> color{};
  std::set<std::string> hidden{};  ///< names of hidden series
  Minification minification{Minification::mean};
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
};

/// Draws any figure into `area` and says where everything is. The one layout behind the exported
/// and the live figure.
FigureFrame draw_figure(Canvas& canvas, const Figure& figure, const Rect& area,
                        const FigureStyle& style, const FigureView& view = {});

}  // namespace orrery
