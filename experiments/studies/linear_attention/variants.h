#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/analysis/attention_cost.h"
#include "core/analysis/weight_statistics.h"
#include "experiments/model/experiment.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/token_inputs.h"

namespace orrery {

// Linear attention over one set of q, k and v, feature map by feature map and variant by
// variant.

struct LinearInputs {
  Matrix<double> q, k, v;
  Positions positions;
  Mask mask;
  bool causal{};
  double base{};
  TokensRead read{};
};

/// "tokens", or what its 0 stands for. Throws UsageError for 1.
std::int64_t tokens_of(const ParamSet& params);

/// Contents as independent normals by seed, those of the trained head, or the user's q, k and v (k
/// when there is no v).
/// Throws UsageError and DataError for tensors that do not fit each other or RoPE.
LinearInputs linear_inputs(const ParamSet& params, const Inputs& inputs);

enum class FeatureRotation { none, paper, both_rotated, rotated_before_features };

struct VariantName {
  FeatureRotation rotation{};
  std::string name{};   ///< "both_rotated": in keys
  std::string label{};  ///< "both rotated": in legends
};
/// Eq. (19), the two variants, and no rotation at all.
const std::vector<VariantName>& linear_variants();

std::unique_ptr<FeatureMap<double>> make_features(FeatureKind kind, std::int64_t seed,
                                                  Index favor_features, Index d);

/// One map of weights with its measures.
struct LinearMap {
  Matrix<double> weights;
  WeightSigns signs{};
  Index zero_normalizers{};   ///< queries without one: no weights
  bool has_weights{};         ///< of some query
  double sum_error{};         ///< largest |1 − Σ_n A_mn| of the other queries
  double least_normalizer{};  ///< min_m |Σ below| / Σ_n φ(q_m)·φ(k_n): 1 unless it is rotated
  double shift_residual{};    ///< max |A_mn − A_mn with all positions moved by `shift`|
  double output_gap{};        ///< max |output without a map − A v|
  double rounding{};          ///< what rounding may cost a weight
  double half_difference{};   ///< from softmax attention with RoPE: mean ½ Σ |difference|
};

/// Softmax attention with RoPE on q and k.
Matrix<double> softmax_rope_weights(const LinearInputs& in);

/// `reference` is what softmax_rope_weights gave.
LinearMap examine_map(const LinearInputs& in, const FeatureMap<double>& features,
                      FeatureRotation rotation, Position shift, const Matrix<double>& reference);

/// A feature map with the maps that the variants give.
struct VariantFamily {
  FeatureName feature;
  Index features{};
  std::vector<LinearMap> maps;     ///< in the order of linear_variants()
  double expected_sum_error{};     ///< of eq. (19), by its formula
  double expected_shift_change{};  ///< rotated before φ, by its formula
};
/// The place of a variant in linear_variants().
std::size_t index_of(FeatureRotation rotation);
const LinearMap& map_of(const VariantFamily& family, FeatureRotation rotation);

/// The least N at which the family, as in eq. (19), takes no more operations than softmax.
Index crossover_of(const LinearInputs& in, const VariantFamily& family);

/// All that was computed.
struct LinearFindings {
  LinearInputs in{};
  Matrix<double> softmax{};  ///< weights of softmax attention with RoPE
  std::vector<VariantFamily> families{};
  /// Distance from softmax attention with RoPE by number of FAVOR+ features, over the draws, one
  /// curve per variant in the order of linear_variants().
  std::vector<double> swept_features{};
  std::vector<Band> sweep{};
  Index draws{};
  double features_to_resolve{};  ///< of the tokens of the sweep
};
inline constexpr Index favor_sweep_tokens = 64;  ///< from the first, at most

/// The weights alone.
Matrix<double> linear_weights(const LinearInputs& in, const FeatureMap<double>& features,
                              FeatureRotation rotation, Position shift = 0);

/// The size for which the cost is counted: that of the inputs.
AttentionShape shape_of(const LinearInputs& in);

// How large the effects are that linear attention's checks claim to be there, each computed by its
// formula and not by the attention that is checked. Where rounding may be as large, there is
// nothing to claim. Of some queries, spread evenly over the sequence.

/// max |1 − Σ_n A_mn| of eq. (19): Σ_n Σ_t Re h_t e^{i(m−n)θ_t} over Σ_n φ(q_m)·φ(k_n).
double expected_sum_error(const LinearInputs& in, const FeatureMap<double>& features);

/// The largest change of a weight when all positions move by `shift` and φ follows the rotation.
double expected_shift_change(const LinearInputs& in, const FeatureMap<double>& features,
                             Position shift);

/// The number of features at which FAVOR+ knows half of the kernel's values e^{q·k/√d} to within
/// themselves: the median of e^{‖q + k‖²/√d} − 1, the variance of one feature over the square of
/// its mean (Choromanski et al. 2021, Lemma 2), q and k rotated.
double features_to_resolve(const LinearInputs& in);

/// Signs and sums of the weights of a map, and what is wrong with them. Those of eq. (19) are
/// scalars, too.
const Measures<LinearMap>& map_measures();

/// Weights by distance, row sums, negative part, error of FAVOR+, cost, and the maps of the first
/// family; every map as an array; measures of the variants, error of FAVOR+ and cost as tables.
void add_linear_figures(const ParamSet& params, const LinearFindings& found, Result& result);

}  // namespace orrery
