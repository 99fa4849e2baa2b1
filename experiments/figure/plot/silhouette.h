#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "experiments/figure/plot/decimate.h"

namespace orrery {

/// The lowest and the highest point of a curve in each narrow column of a plot, to find places
/// beside it.
class Silhouette {
 public:
  explicit Silhouette(const Rect& plot);

  /// Adds a part of the curve; what lies outside of the plot is left out.
  void add(const Strip& strip);
  /// The extent in y between two x; empty where the curve is not present all along.
  std::optional<Range> along(double from, double to) const;
  /// Whether the curve runs through the box, widened above and below by a margin.
  bool meets(const Rect& box, double margin) const;
  /// Where the curve ends at the right; empty without any visible part.
  std::optional<Point> end() const;

  /// Whether two curves of one plot hide each other nearly all along the one that is seen
  /// in fewer places. False where one is not seen.
  bool coincides(const Silhouette& other) const;
  static constexpr double column_width = 4.0;

 private:
  std::size_t column_at(double x) const;
  double start_of(std::size_t column) const;
  void add(Point a, Point b);

  Rect plot_;
  std::vector<Range> columns_;  ///< min above max where the curve is absent
};

}  // namespace orrery
