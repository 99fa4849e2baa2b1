#pragma once

#include <string>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/model/figure.h"

namespace orrery::figure {

struct Axes;
struct PlotContext;

/// Which curves of a plot lie on an earlier one, as the plot shows them. Such a curve is drawn in
/// dashes over the other, and its name says so.
class Coincidences {
 public:
  Coincidences() = default;
  /// Of the solid curves that are not hidden.
  Coincidences(PlotContext& context, const LinePlot& plot, const Axes& axes);

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
  const Twin* find(const Series& series) const;

  std::vector<Twin> twins_{};
};

/// " = " where two curves have the same numbers, " ≈ " otherwise.
const char* relation_of(const Series& a, const Series& b);

}  // namespace orrery::figure
