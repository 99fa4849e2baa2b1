#pragma once

#include "experiments/model/experiment.h"

/// The experiments in the order in which they are listed, one line each: X(NAME) stands for
/// `Experiment NAME_experiment()`, which studies/NAME/NAME.cpp defines.
// clang-format off
#define ORRERY_EXPERIMENTS(X) \
  X(score_spectrogram)        \
  X(long_term_decay)          \
  X(relative_invariance)      \
  X(attention_map)            \
  X(score_decomposition)      \
  X(rotation)                 \
  X(encoding_matrix)          \
  X(spectrum)                 \
  X(norm_preservation)        \
  X(linear_attention)         \
  X(sequence_length)          \
  X(equal_half_distance)      \
  X(model_layers)             \
  X(model_heads)              \
  X(forward)                  \
  X(lens)                     \
  X(patch)                    \
  X(repeat)                   \
  X(needle)                   \
  X(reach)                    \
  X(settle)                   \
  X(passport)                 \
  X(semantic_reversal)        \
  X(attend)                   \
  X(apply)                    \
  X(identify)                 \
  X(defects)                  \
  X(diagnosis)                \
  X(training)
// clang-format on

namespace orrery {

#define ORRERY_DECLARE(name) Experiment name##_experiment();
ORRERY_EXPERIMENTS(ORRERY_DECLARE)
#undef ORRERY_DECLARE

}  // namespace orrery
