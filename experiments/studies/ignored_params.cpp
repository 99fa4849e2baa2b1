#include "experiments/studies/ignored_params.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

namespace orrery::studies {
namespace {

/// Whether the encodings are formulas that are the same for every head.
bool are_formulas(const ParamSet& params) {
  const std::vector<std::string>& encodings = params.list("encoding");
  return std::all_of(encodings.begin(), encodings.end(), [](const std::string& name) {
    return name == "none" || name == "rope" || name == "sinusoidal";
  });
}

/// Whether rope.partial leaves out no channel.
bool all_channels_turn(const ParamSet& params) { return params.real("rope.fraction") == 1.0; }

/// Whether q and k are given by a formula, and the encodings too.
bool nothing_is_drawn(const ParamSet& params) {
  const std::string& assumption = params.text("assumption");
  return (assumption == "ones" || assumption == "mean") && are_formulas(params);
}

/// Whether no matrix of channels is drawn, in which pairs have places.
bool shows_angles_only(const ParamSet& params) {
  const std::vector<std::string>& encodings = params.list("encoding");
  return std::find(encodings.begin(), encodings.end(), "axis_rope") == encodings.end();
}

bool base_is_lost(const ParamSet& params) { return params.text("defect") == "base_lost"; }

struct Entry {
  std::string_view experiment;  ///< empty: any
  std::string_view figures;     ///< how their ids begin
  std::initializer_list<std::string_view> keys;
  bool (*when)(const ParamSet&){nullptr};  ///< which settings must hold
};

const Entry entries[] = {
    {"", "", {"rope.partial"}, all_channels_turn},
    {"score_spectrogram", "", {"rope.rotary_value"}},
    {"long_term_decay", "", {"rope.rotary_value"}},
    {"long_term_decay", "", {"seed"}, nothing_is_drawn},
    {"relative_invariance", "", {"rope.rotary_value"}},
    {"score_decomposition", "", {"rope.rotary_value"}},
    {"score_decomposition", "", {"heads"}, are_formulas},
    {"encoding_matrix", "", {"rope.rotary_value", "shaw.variant", "deberta.p2c"}},
    {"encoding_matrix", "", {"rope.pairing"}, shows_angles_only},
    {"spectrum", "", {"rope.pairing"}},
    {"norm_preservation", "", {"rope.rotary_value"}},
    {"sequence_length", "", {"rope.rotary_value"}},
    {"equal_half_distance", "", {"rope.rotary_value"}},
    {"identify", "", {"base"}, base_is_lost},
    {"score_spectrogram", "mean_logit", {"context"}},
    {"score_spectrogram", "mean_logit", {"heads", "seed"}, are_formulas},
    {"score_spectrogram", "parts_", {"distance"}},
    {"score_spectrogram", "parts_rope", {"heads", "seed"}},
    {"score_spectrogram", "parts_sinusoidal", {"heads", "seed"}},
    {"score_spectrogram", "orbits", {"columns", "context", "heads", "max_distance", "seed"}},
    {"score_spectrogram", "chain", {"columns", "context", "heads", "max_distance", "seed"}},
    {"long_term_decay", "decay_bound", {"assumption", "draws", "seed"}},
    {"long_term_decay", "decay_scores", {"distance"}},
    {"long_term_decay", "decay_changes", {"distance"}},
    {"long_term_decay", "bound_and_scores", {"distance"}},
    {"long_term_decay", "meanings", {"distance"}},
    {"long_term_decay", "any_peak", {"distance", "draws"}},
    {"long_term_decay", "B", {"assumption", "distance", "draws", "seed"}},
    {"long_term_decay", "phasor_chain", {"assumption", "draws", "max_distance", "seed"}},
    {"attention_map", "weights_", {"heads"}, are_formulas},
    {"attention_map", "pipeline_", {"heads"}, are_formulas},
    {"score_decomposition", "profile_", {"colors"}},
    {"score_decomposition", "shares", {"colors"}},
    {"rotation", "pair_", {"distance", "key_position"}},
    {"rotation",
     "contributions",
     {"draw", "first_pair", "key_position", "pair_step", "pairs", "positions"}},
    {"rotation",
     "phasor_chain",
     {"draw", "first_pair", "key_position", "pair_step", "pairs", "positions"}},
    {"encoding_matrix", "added_", {"heads", "head"}},
    {"encoding_matrix", "angle_rope", {"heads", "head", "seed"}},
    {"encoding_matrix", "cosine_rope", {"heads", "head", "seed"}},
    {"encoding_matrix", "sine_rope", {"heads", "head", "seed"}},
    {"encoding_matrix", "bias_alibi", {"base", "dim", "seed"}},
    {"encoding_matrix", "bias_by_distance_", {"first_position"}},
    {"encoding_matrix", "rows_", {"base", "dim", "heads", "head", "seed"}},
    {"encoding_matrix", "staircase", {"base", "dim", "first_position", "heads", "head", "seed"}},
    {"spectrum", "wavelengths", {"search"}},
    {"spectrum", "sum_of_cosines", {"context"}},
    {"norm_preservation", "norm_by_pipeline", {"precision"}},
    {"linear_attention",
     "cost",
     {"base", "deviation", "draws", "most_features", "seed", "shift", "tokens"}},
    {"linear_attention", "favor_error", {"favor_features", "longest", "shift"}},
    {"linear_attention", "map_", {"draws", "longest", "most_features", "shift"}},
    {"linear_attention", "row_sums", {"draws", "longest", "most_features", "shift"}},
    {"linear_attention", "negative_weights", {"draws", "longest", "most_features", "shift"}},
    {"linear_attention", "weight_by_distance", {"draws", "longest", "most_features", "shift"}},
    {"model_layers", "layers", {"context", "trained", "residual"}},
    {"model_layers", "reasons", {"context", "trained", "residual"}},
    {"model_layers", "wavelengths", {"context", "trained", "residual"}},
    {"model_layers", "bands", {"residual"}},
    {"model_layers", "unseen_pairs", {"residual"}},
    {"model_layers", "receptive_field", {"trained"}},
    {"model_layers", "influence", {"trained"}},
    {"sequence_length", "entropy", {"window"}},
    {"sequence_length", "logits", {"draws", "window"}},
};

const Scalar* find_scalar(const Result& result, std::string_view name) {
  for (const Scalar& scalar : result.scalars)
    if (scalar.name == name) return &scalar;
  return nullptr;
}

/// Without max_tokens as many tokens are read as there are, up to a limit.
std::optional<ValueInUse> tokens_in_use(const ParamSet& params, const Result& result) {
  const Scalar* tokens = find_scalar(result, "tokens");
  if (!tokens || params.integer("max_tokens") > 0) return std::nullopt;
  return ValueInUse{.value = tokens->value};
}

/// Files name the length that a model had before it was stretched.
std::optional<ValueInUse> trained_in_use(const Result& result) {
  const Scalar* layers = find_scalar(result, "layers_by_trained");
  if (!layers) return ValueInUse{.fixed = true, .why = "No layer of this file turns pairs."};
  if (layers->value > 0) return std::nullopt;
  const double said = find_scalar(result, "seen_positions")->value;
  return ValueInUse{
      .value = said, .fixed = true, .why = "The file says " + number_text(said) + "."};
}

}  // namespace

std::optional<ValueInUse> value_in_use(std::string_view experiment, std::string_view key,
                                       const ParamSet& params, const Result& result) {
  const bool of_tokens = experiment == "attention_map" || experiment == "score_decomposition";
  if (of_tokens && key == "max_tokens") return tokens_in_use(params, result);
  if (experiment == "model_layers" && key == "trained") return trained_in_use(result);
  return std::nullopt;
}

bool is_ignored(std::string_view experiment, std::string_view figure_id, std::string_view key,
                const ParamSet& params) {
  return std::any_of(std::begin(entries), std::end(entries), [&](const Entry& entry) {
    return (entry.experiment.empty() || entry.experiment == experiment) &&
           figure_id.starts_with(entry.figures) &&
           std::find(entry.keys.begin(), entry.keys.end(), key) != entry.keys.end() &&
           (!entry.when || entry.when(params));
  });
}

}  // namespace orrery::studies
