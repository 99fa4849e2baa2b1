#include "experiments/catalogue.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/attention_map.h"
#include "experiments/encoding_matrix.h"
#include "experiments/equal_half_distance.h"
#include "experiments/linear_attention.h"
#include "experiments/long_term_decay.h"
#include "experiments/norm_preservation.h"
#include "experiments/relative_invariance.h"
#include "experiments/rotation.h"
#include "experiments/score_decomposition.h"
#include "experiments/sequence_length.h"
#include "experiments/spectrum.h"

namespace orrery {

const std::vector<const Experiment*>& experiment_catalogue() {
  static const LongTermDecay long_term_decay;
  static const RelativeInvariance relative_invariance;
  static const AttentionMap attention_map;
  static const ScoreDecomposition score_decomposition;
  static const Rotation rotation;
  static const EncodingMatrix encoding_matrix;
  static const Spectrum spectrum;
  static const NormPreservation norm_preservation;
  static const LinearAttentionExperiment linear_attention;
  static const SequenceLength sequence_length;
  static const EqualHalfDistance equal_half_distance;
  static const std::vector<const Experiment*> experiments{
      &long_term_decay,
      &relative_invariance,
      &attention_map,
      &score_decomposition,
      &rotation,
      &encoding_matrix,
      &spectrum,
      &norm_preservation,
      &linear_attention,
      &sequence_length,
      &equal_half_distance,
  };
  return experiments;
}

const Experiment& find_experiment(std::string_view name) {
  std::vector<std::string> names;
  for (const Experiment* experiment : experiment_catalogue()) {
    if (experiment->info().name == name) return *experiment;
    names.push_back(experiment->info().name);
  }
  const std::string near = nearest_name(name, names);
  throw UsageError(fmt::format("{}", name), "is not an experiment",
                   near.empty() ? fmt::format("the experiments are {}", fmt::join(names, ", "))
                                : fmt::format("did you mean {}?", near));
}

}  // namespace orrery
