#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/training/trainer.h"
#include "experiments/studies/training/run.h"
#include "experiments/studies/training/shapes.h"

namespace orrery::studies {

/// Moments whose heads are kept: after the first step, and after a 16th, 8th, quarter and half of
/// all steps.
std::vector<std::int64_t> kept_moments(std::int64_t steps);

/// What the models of one experiment share.
struct TrainingPlan {
  const ParamSet& params;
  ParamSet all_params;  ///< those of every encoding
  const Task& task;
  std::vector<Index> lengths{};  ///< of the sequences by which models are judged
};

/// How one model is trained.
struct Training {
  std::string encoding{};
  std::int64_t seed{};
  double learning_rate{};
  std::int64_t steps{};
};

/// A model while it is trained.
class OneRun {
 public:
  OneRun(const TrainingPlan& plan, const Training& training);

  /// Takes steps until `end` of them were taken in all.
  void advance(std::int64_t end);
  /// Notes the mean loss of the steps since the last look, and the heads as they are now. Those at
  /// kept_moments() stay.
  void look();
  /// Notes the loss of held-out sequences, so many at each length.
  void judge(Index sequences);
  /// Judges the model, and its gradient.
  void finish();

  const Run& run() const { return run_; }
  const Trainer<float>& trainer() const { return trainer_; }

 private:
  Trainer<float> make_trainer();

  const TrainingPlan& plan_;
  Training training_;
  Run run_;
  ModelShape<float> shape_;
  Trainer<float> trainer_;
  Random data_;
  std::vector<std::int32_t> block_;
  std::int64_t done_{0};
  std::int64_t since_{0};  ///< steps since the last look
  double sum_{0};          ///< of their losses
};

}  // namespace orrery::studies
