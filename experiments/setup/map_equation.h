#pragma once

#include <string>
#include <vector>

#include "core/analysis/diagonals.h"
#include "core/precision.h"
#include "experiments/model/experiment.h"
#include "experiments/setup/eigen_arrays.h"

namespace orrery {

// Maps joined to an equation, each with its profile by distance: what MapEquation holds.

/// A map by m − n, over its seen values.
struct MapProfile {
  std::vector<double> distance{};  ///< m − n, ascending, those with a value
  std::vector<double> count{};     ///< of values
  std::vector<double> mean{};
  std::vector<double> low{};   ///< the smallest
  std::vector<double> high{};  ///< the largest

  /// max (high − low) over the distances with two values or more: 0 for a function of m − n. NaN
  /// where no distance has two, and where one of the values is NaN.
  double spread() const;
  /// max |value|; NaN where one is NaN.
  double largest() const;
};

MapProfile profile_of(const DiagonalProfile& diagonals);
/// @param farthest  m − n of the first of the diagonals
MapProfile profile_of(const DiagonalExtents& diagonals, double farthest);

/// Its numbers, [distances, 5]: m − n, count, mean, smallest, largest.
ArrayPtr profile_array(const MapProfile& profile, std::string name, const std::string& description);

/// Bound of the spread that rounding may give a function of m − n whose values are sums of d
/// products: 2·(2·(d + 10)·u + 8·u_stage)·√d·largest, u the unit roundoff of the arithmetic and
/// u_stage that of the coarsest rounded stage. Products add up to √d times what is left of them
/// where their signs are as good as random.
double spread_rounding(Index d, double largest, Precision arithmetic, const StageRounding& stages);

/// The named term of an encoding's logits as TeX, without the scale of the logits: EncodingInfo has
/// it. Terms without a symbol have their name.
std::string term_symbol(const std::string& encoding, const std::string& term);

/// The name of a term in words: "content to position".
std::string term_words(std::string term);

/// One map of an equation that is being made.
struct EquationPart {
  std::string relation{};
  std::string step{};
  std::string symbol{};
  std::string name{};
  Heatmap map{};
  MapProfile profile{};
  double rounding{};
};

/// Which maps are drawn larger by a factor: 1, 2 or 5 times a power of ten, the largest with which
/// they stay within the colours of all.
enum class Factors {
  of_faint,  ///< those whose largest value is a tenth of the largest of all, or less
  of_all
};

/// Gives maps of the same quantity one range of colours, and " to " in their names an arrow. Maps
/// that rounding alone may have made have no factor.
/// @param color  slot of the palette for the profiles
MapEquation map_equation(std::vector<EquationPart> parts, int color,
                         Factors factors = Factors::of_faint);

/// "drawn larger: content → position ×2000"; empty where all maps are drawn as they are.
std::string factors_text(const MapEquation& equation);

/// An equation of the maps of an encoding, of that kind of figure; the caption ends with the factors.
Figure equation_figure(const std::string& kind, const std::string& encoding, std::string title,
                       std::string caption, MapEquation equation);

}  // namespace orrery
