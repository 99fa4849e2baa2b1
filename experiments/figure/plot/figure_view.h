#pragma once

#include <optional>
#include <set>
#include <string>

#include "experiments/model/figure.h"

namespace orrery {

/// How cells that share a pixel are combined when a map is drawn with fewer pixels than cells.
enum class Minification { mean, max };

/// A reader's view of a figure, which leaves the figure itself unchanged: pan, zoom, hidden curves
/// and colour range in the desktop. An empty value means the figure's own.
struct FigureView {
  std::optional<Range> x{};  ///< data range shown
  std::optional<Range> y{};
  std::optional<AxisScale> x_scale{};
  std::optional<AxisScale> y_scale{};
  std::optional<double> x_threshold{};  ///< a symlog axis is linear within ±threshold
  std::optional<double> y_threshold{};
  std::optional<Range> color{};
  std::set<std::string> hidden{};  ///< names of hidden series
  Minification minification{Minification::mean};

  /// Whether the curve is hidden, or the mean that it is a part of.
  bool hides(const Series& series) const {
    return hidden.contains(series.name) || (series.is_part() && hidden.contains(series.part_of));
  }
  friend bool operator==(const FigureView&, const FigureView&) = default;
};

}  // namespace orrery
