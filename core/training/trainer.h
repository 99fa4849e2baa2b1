#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/training/network.h"

namespace orrery {

/// How steps are taken. With g the gradient after clipping and t the step, counted from 1,
///   m ← β₁m + (1 − β₁)g,  v ← β₂v + (1 − β₂)g²
///   w ← w − η_t((m/(1 − β₁ᵗ))/(√(v/(1 − β₂ᵗ)) + ε) + λw)
/// λ for the matrices of linear layers and tokens alone. Source: Loshchilov and Hutter 2019
/// (AdamW), algorithm 2.
struct StepRule {
  double learning_rate{3e-3};  ///< η at its highest
  std::int64_t warm_up{0};     ///< steps over which η rises from 0 by a line
  std::int64_t steps{1};       ///< η falls to `last_share`·η by a cosine until this one
  double last_share{0.1};
  double beta1{0.9};
  double beta2{0.99};
  double epsilon{1e-8};
  double weight_decay{0.01};  ///< λ
  double largest_norm{1.0};   ///< of the gradient: a longer one is shortened to it; 0 for any
};

/// η_t.
double learning_rate_at(const StepRule& rule, std::int64_t step);

/// What has been learned, and what the next step needs: all that a training goes on from.
template <class T>
struct TrainingState {
  ModelWeights<T> weights{};
  ModelWeights<T> first_moments{};   ///< m
  ModelWeights<T> second_moments{};  ///< v
  std::int64_t step{0};              ///< steps that were taken
};

template <class T>
TrainingState<T> initial_state(ModelWeights<T> weights);

/// What a step has seen.
struct StepLoss {
  double loss{};           ///< mean over the targets, nats
  double gradient_norm{};  ///< before it was shortened
};

/// Trains a model on sequences. The same bits on any number of threads: sequences go in groups whose
/// size does not depend on them, and their gradients are summed in order.
template <class T>
class Trainer {
 public:
  /// Throws UsageError as forward_plan does.
  Trainer(TrainedDesign<T> design, EncodingRecipe recipe, TrainingState<T> state, StepRule rule,
          int threads);

  /// One step on the mean loss of `batch`; a gradient that is not finite changes nothing. Throws UsageError: tokens or targets that the vocabulary
  /// does not have, and sequences without a target.
  StepLoss step(const SequencesIn& batch);
  /// Without learning from them.
  TokenLosses losses(const SequencesIn& sequences);

  const TrainingState<T>& state() const { return state_; }
  const TrainedDesign<T>& design() const { return design_; }
  const EncodingRecipe& recipe() const { return recipe_; }
  /// As they are now.
  ModelEncodings encodings() const { return encodings_of(recipe_, state_.weights); }

 private:
  struct Group {
    std::unique_ptr<Network<T>> network{};
    Gradient<T> gradient{};
    std::vector<NamedWeight<T>> slopes{};  ///< of gradient.weights
    SequencesIn sequences{};
    double loss{};
  };
  /// Some numbers of a matrix of weights, which a thread works on at once.
  struct Part {
    std::size_t weight{};  ///< in weights_
    Index first{};
    Index count{};
  };

  void plan_for(Index length, Index sequences);
  void list_weights();
  void check(const SequencesIn& sequences) const;
  void learn_group(std::size_t g, const SequencesIn& batch, double asked);
  double sum_gradients();
  void update(double shorten);
  template <class Use>
  void for_parts(const Use& use) const;
  void bound_tables();

  TrainedDesign<T> design_;
  EncodingRecipe recipe_;
  TrainingState<T> state_;
  StepRule rule_;
  int threads_;
  ForwardPlan<T> plan_{};
  bool planned_{false};  ///< whether plan_ fits the weights
  std::vector<Group> groups_{};
  std::vector<NamedWeight<T>> weights_{}, first_moments_{}, second_moments_{};  ///< of state_
  std::vector<Part> parts_{};
};

}  // namespace orrery
