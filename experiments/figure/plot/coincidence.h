#pragma once

#include <string>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/silhouette.h"
#include "experiments/model/figure.h"

namespace orrery {

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

/// " = " where two curves have the same numbers, " ≈ " otherwise.
const char* relation_of(const Series& a, const Series& b);

}  // namespace orrery
