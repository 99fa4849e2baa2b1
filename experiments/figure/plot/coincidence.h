#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/decimate.h"
#include "experiments/model/figure.h"

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

/// Which curves of a plot lie on an earlier one, as the plot shows them. Such a curve is drawn in
/// dashes over the other, and its name says so.
class Coincidences {
 public:
  /// Adds the next curve of those that could hide each other: solid ones with a name.
  void add(const Series& series, Silhouette silhouette);

  /// The curve with which each of these coincides, itself for most.
  const Series& first_of(const Series& series) const;
  /// Solid, or how a curve is drawn over those before it.
  Dash dash_of(const Series& series) const;
  /// What follows the name of such a curve: " = RoPE" where their numbers are equal, " ≈ RoPE"
  /// where only the drawing is. Empty for all others.
  std::string note_on(const Series& series) const;

 private:
  struct Twin {
    const Series* series{};
    const Series* first{};
    Dash dash{};
  };
  /// A curve that lies on no earlier one, and where it runs.
  struct Drawn {
    const Series* series{};
    Silhouette silhouette;
    int twins{0};
  };
  const Twin* find(const Series& series) const;

  std::vector<Drawn> drawn_{};
  std::vector<Twin> twins_{};
};

/// Whether numbers are equal, as two NaN are.
inline bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool same_numbers(const std::vector<double>& a, const std::vector<double>& b);

/// " = " where two curves have the same numbers, " ≈ " otherwise.
const char* relation_of(const Series& a, const Series& b);

}  // namespace orrery
