#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/figure.h"

namespace orrery {

/// Cache of a live heatmap between frames. While nothing visible has changed, draw_figure passes
/// the canvas the same Image again and does not search the values for their range. One per heatmap
/// on screen; freely copyable.
struct HeatmapCache {
  /// Everything that determines the pixels.
  struct Key {
    std::shared_ptr<const Array> values{};
    std::shared_ptr<const Array> masked{};
    std::size_t first_row{}, rows{}, first_column{}, columns{};  ///< cells shown
    int width{}, height{};                                       ///< pixels
    Range color{};
    Meaning meaning{};
    Minification minification{};
    Color background{}, masked_color{}, not_a_number{};
    bool complete{};  ///< known to have neither masked cells nor NaN, which need not be looked for
    friend bool operator==(const Key&, const Key&) = default;
  };
  Key key{};
  std::shared_ptr<const Image> image{};
  Rect target{};  ///< position of the image; it may extend beyond the plot

  std::shared_ptr<const Array> scaled_from{};  ///< the array that `scaled` spreads over the colours
  std::shared_ptr<const Array> scaled_mask{};
  ColorScaling scaling{ColorScaling::linear};
  std::shared_ptr<const Array> scaled{};

  std::shared_ptr<const Array> ranged_values{};  ///< the array to which `range` belongs
  std::shared_ptr<const Array> ranged_mask{};
  Range range{};
  bool any_masked{};
  bool any_nan{};

  std::vector<HeatmapCache> parts{};  ///< of the maps of an equation
};

}  // namespace orrery
