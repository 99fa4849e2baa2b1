#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/training/network.h"
#include "core/training/trainer.h"
#include "experiments/checkpoints/tensor_store.h"
#include "experiments/model/result.h"
#include "experiments/studies/training/tasks.h"

namespace orrery {

/// A model as it is trained.
template <class T>
struct ModelShape {
  TrainedDesign<T> design{};
  ModelSizes sizes{};
};

/// The choices of the parameter "model".
std::vector<Choice> shape_choices();

/// "model" with "layers", "heads", "dim" and "attention".
template <class T>
ModelShape<T> model_shape(const ParamSet& params, const Task& task);

/// What a head does on a block of symbols that is repeated, each a mean of weights a_mn: 1 where it
/// does nothing else. Rows of the second block alone, so that each has a token to copy.
struct BlockScores {
  double previous{};  ///< mean of a_{m, m−1}
  double self{};      ///< mean of a_{m, m}
  double first{};     ///< mean of a_{m, 0}
  double induction{};  ///< mean of a_{m, m−p+1}, p the length of the block: what followed last time
  double local{};      ///< mean of the weights within 3 tokens
  double farther{};    ///< the largest mean of a_{m, m−r}, r from 2 to p, but p − 1
  Index distance{};    ///< that r
};

/// A head of a trained model.
struct HeadOfRun {
  int layer{}, head{};
  BlockScores scores{};
  Matrix<float> weights{};  ///< over the repeated block
};

/// "previous token", "induction", "first token", "itself", "3 tokens back", "local" or "no one
/// thing".
std::string name_of_head(const BlockScores& scores);

/// Sequences that the model has not seen, of one length.
struct LossAtLength {
  Index length{};
  double loss{};      ///< nats per target
  double accuracy{};  ///< share of targets that are the likeliest token
};

/// One model that was trained.
struct Run {
  std::string encoding{};
  std::int64_t seed{};
  double learning_rate{};
  double token_deviation{};         ///< of the vectors of its tokens before the first step
  bool causal{};                    ///< its tokens see none behind them
  std::vector<double> steps{};      ///< those after which it was looked at
  std::vector<double> loss{};       ///< mean of the steps since the last look
  std::vector<double> previous{};   ///< the highest score of any head at each look
  std::vector<double> induction{};  ///< the same
  std::vector<LossAtLength> held_out{};
  std::vector<HeadOfRun> heads{};
  /// Those of five moments, by the steps taken before; of the first seed alone.
  std::map<std::int64_t, std::vector<HeadOfRun>> earlier{};
  double gradient_error{};  ///< see OneRun::finish
  Index weights{};          ///< numbers that were trained, beside the encoding's own
};

/// Moments whose heads are kept: after the first step, and after a 16th, 8th, quarter and half of
/// all steps.
std::vector<std::int64_t> kept_moments(std::int64_t steps);

/// What the models of one experiment share.
struct TrainingPlan {
  const ParamSet& params;
  ParamSet all_params;  ///< those of every encoding
  const Task& task;
  std::vector<Index> lengths{};       ///< of the sequences by which models are judged
  const TensorStore* start{nullptr};  ///< weights before the first step; null draws them
};

/// A model while it is trained.
class OneRun {
 public:
  /// @param run    of that encoding, seed and learning rate
  /// @param steps  that it will take
  OneRun(const TrainingPlan& plan, Run run, std::int64_t steps);

  /// Takes steps until `end` of them were taken in all.
  void advance(std::int64_t end);
  /// Notes the mean loss of the steps since the last look, and the heads as they are now. Those at
  /// kept_moments() stay.
  void look();
  /// Notes the loss of held-out sequences, so many at each length.
  void judge(Index sequences);
  /// Judges the model, and its gradient: |g·d − (L(w + εd) − L(w − εd))/2ε| / ‖g‖ at its weights w,
  /// in fp64, g the gradient of the loss L of two sequences, d independent normals, so that g·d has
  /// deviation ‖g‖. The smaller one of ε = 1e-7 and 1e-8: a kink of ReLU may lie within the longer
  /// step, and a gradient that is wrong is so for both.
  void finish();

  const Run& run() const { return run_; }
  const Trainer<float>& trainer() const { return trainer_; }

 private:
  Trainer<float> make_trainer();

  const TrainingPlan& plan_;
  Run run_;
  std::int64_t steps_;
  ModelShape<float> shape_;
  Trainer<float> trainer_;
  Random data_;
  std::vector<std::int32_t> block_;
  std::int64_t done_{0};
  std::int64_t since_{0};  ///< steps since the last look
  double sum_{0};          ///< of their losses
};

/// The files of a model as it is: NAME/model.safetensors in fp32, NAME/config.json, and of a text's
/// bytes NAME/tokenizer.json.
///
/// Where another program has the blocks and the encoding, they are those of its family, and
/// Transformers opens the folder: model=llama with rope as Llama, gpt2 with learned as GPT-2, and
/// roformer with rope, at its base of 10000 and seeing both sides, as RoFormer. W_q and W_k are in
/// the family's pairing. All others have Orrery's names of weights, and the model_type "orrery".
/// @param name  "rope_seed_0_step_900"
std::vector<ResultFile> model_files(const TrainingPlan& plan, const OneRun& run,
                                    const std::string& name);

/// Whether other programs open that folder, and Orrery itself in its experiments on models.
bool opens_as_model(const TrainingPlan& plan, const OneRun& run);

/// Sets the weights of a model to those of plan.start: what model_files wrote, under the names that
/// it gives them, or under Orrery's.
/// Throws DataError, naming tensor and shape: one that is missing, of another shape or type, or no
/// weight of the model; a NaN or an infinity; other numbers than 0 where only the family has a part.
/// Throws IoError where the file was shortened meanwhile.
void take_start(const TrainingPlan& plan, const EncodingRecipe& recipe,
                ModelWeights<float>& weights);

}  // namespace orrery
