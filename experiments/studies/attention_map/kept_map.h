#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/diagonals.h"
#include "core/analysis/weight_statistics.h"
#include "core/params.h"
#include "core/types.h"
#include "experiments/model/result.h"
#include "experiments/setup/map_equation.h"

namespace orrery {

/// What a map is and how it is drawn.
struct MapSubject {
  std::string id{};           ///< "weights_rope"
  std::string description{};  ///< of its array
  FigureRole role{};
  std::optional<FigureRole> reduces{};  ///< see Heatmap
  std::string title{};
  std::string quantity{};  ///< "weight"
  std::string symbol{};
  Meaning meaning{Meaning::sequential};
  ColorScaling colors{ColorScaling::linear};
  bool shown{false};  ///< whether it is drawn
};

/// What all maps of a run share: the map of all tokens, or a square part of it.
struct MapFrame {
  std::vector<std::string> labels{};  ///< of the tokens, or empty
  Index tokens{};
  Index first_query{0};  ///< of the part
  Index first_key{0};
  Index side{};           ///< queries and keys of the part
  Index cell{1};          ///< tokens along a side of a cell; 1 for maps that are kept as they are
  Positions positions{};  ///< of all tokens
  std::string caption{};

  bool is_part() const { return side < tokens; }
  PositionsIn of(Index first) const {
    return PositionsIn(positions).subspan(static_cast<std::size_t>(first),
                                          static_cast<std::size_t>(side));
  }
  Index cells() const { return (side + cell - 1) / cell; }
};

/// The part that the parameters ask for, reduced to "map_size". Throws UsageError for one that ends
/// beyond the tokens, and where cells would mix distances.
MapFrame frame_of(const ParamSet& params, const std::vector<std::string>& labels,
                  const Positions& positions, const std::string& caption);

/// What the maps of an encoding are: the weights, the logits, and each term.
std::vector<MapSubject> subjects_of(const std::string& name, const ParamSet& params,
                                    const std::vector<std::string>& terms);

/// A map of self-attention that comes some rows at a time: kept as it is, or, where it is longer
/// than what is shown, as the mean and the extremes of its cells and of its diagonals.
template <class T>
class KeptMap {
 public:
  explicit KeptMap(const MapFrame& frame);

  /// The rows that follow those given before, of the frame's keys.
  void add(const MatrixIn<T>& rows, const Mask& mask);
  /// Its arrays and, where it is shown, its figures. Afterwards it is empty. Returns what is drawn
  /// of it, the means where it is reduced, with its profile.
  /// @param mask    of the frame's queries and keys
  /// @param masked  masked_cells of them
  EquationPart give(const MapSubject& subject, const MapFrame& frame, const Mask& mask,
                    const ArrayPtr& masked, Result& result);

  /// The same map as if every query saw all keys. One that is reduced knows only what was seen.
  static EquationPart unmasked(EquationPart given, const MapFrame& frame);

  /// Bytes that a map takes at most while it comes and in the result.
  static double bytes(const MapFrame& frame);

 private:
  std::vector<T> values_{};  ///< of a map that is kept as it is
  std::optional<MapReduction<T>> reduction_{};
};

/// " · 8 × 8 entries per cell"; empty for a map that is kept as it is.
std::string cells_text(const MapFrame& frame);

/// 1 for cells of which no query sees a key; null when every query sees all keys.
/// @param mask  of the frame's queries and keys
std::shared_ptr<const Array> masked_cells(const Mask& mask, const MapFrame& frame);

/// "terms → mask → softmax = weights" as maps, each above its profile by distance.
/// @param terms              names of the encoding's terms
/// @param maps               weights, logits and the terms, these as if every query saw all keys
/// @param relative_rounding  bound of a spread that rounding alone makes, per largest value
Figure pipeline_figure(const std::string& encoding, const std::vector<std::string>& terms,
                       std::vector<EquationPart> maps, double relative_rounding,
                       const MapFrame& frame);

/// Where the weights of a map's queries are, added up query by query.
class AttentionSums {
 public:
  /// @param m  the position of the row's query
  /// @param n  the positions of the keys
  template <class T>
  void add(const Matrix<T>& weights, Index row, Position m, PositionsIn n, const RowStatistics& of);

  double mean_entropy() const { return entropy_ / queries_; }
  double mean_distance() const { return distance_ / queries_; }
  /// "Layer 1, head 0 with RoPE attends 2.6 tokens back on average; most weight (36 %) goes …".
  std::string title(const ParamSet& params, const std::string& encoding) const;
  /// Whether so many of the weights are far below the largest that a linear scale shows one colour.
  bool spans_decades() const { return low_ > high_; }

 private:
  double queries_{}, entropy_{}, distance_{};
  double even_entropy_{};              ///< were all seen keys alike
  double low_{}, high_{};              ///< cells
  std::vector<double> by_distance_{};  ///< weight at each |m − n| that the map may have
};

}  // namespace orrery
