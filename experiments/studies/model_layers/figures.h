#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/params.h"
#include "experiments/model/result.h"
#include "experiments/model_files/position_plan.h"
#include "experiments/model_files/rotation.h"

namespace orrery {

/// A number that a layer has not.
inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// A model's layers and what was found about them.
struct LayersFound {
  const PositionPlan& plan;
  double trained;                            ///< L0 of the layers whose file names none, tokens
  double context;                            ///< L, tokens
  std::vector<std::vector<PairBand>> bands;  ///< by layer and pair
  std::vector<std::vector<int>> groups;      ///< numbers of layers that do the same
  ReceptiveField field;
  std::string caption;
  /// L0 of each layer that turns pairs, each once, ascending: the file's, or `trained`.
  std::vector<double> lengths{};
  std::size_t layers_by_trained{};  ///< of them, layers whose file names no L0

  /// The share of the influence that lies at the first token, which sees itself alone.
  double first_token_share() const { return field.influence.back(); }
};

std::string pairing_text(const LayerPlan& layer);  ///< "half_split"; empty without RoPE
/// "8192 unscaled positions": those whose angles are taken as seen.
std::string seen_text(const LayersFound& found);
/// What stands beside every number of influence: "assuming that every head attends uniformly …".
std::string uniform_text();

/// The groups of layers as rows; the bands and the wavelengths by layer and pair, and pairs that
/// meet unseen angles by context, where there are pairs; how far back the last token sees by the
/// layers passed; influence on it by distance; and every value with the key of the file, or the
/// default, that it comes from.
std::vector<Figure> layers_figures(const LayersFound& found);

}  // namespace orrery
