#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/types.h"
#include "experiments/model/layers.h"

namespace orrery::studies {

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
struct TrainedHead {
  int layer{}, head{};
  BlockScores scores{};
  Matrix<float> weights{};  ///< over the repeated block
};

/// "previous token", "induction", "first token", "itself", "3 tokens back", "local" or "no one
/// thing".
std::string name_of_head(const BlockScores& scores);

/// The heads of a model that is not trained to its end.
struct EarlierHeads {
  double step{};  ///< steps that were taken before
  std::vector<TrainedHead> heads{};
};

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
  bool causal{};                    ///< its tokens see none behind them
  std::vector<double> steps{};      ///< those after which it was looked at
  std::vector<double> loss{};       ///< mean of the steps since the last look
  std::vector<double> previous{};   ///< the highest score of any head at each look
  std::vector<double> induction{};  ///< the same
  std::vector<LossAtLength> held_out{};
  std::vector<TrainedHead> heads{};
  std::vector<EarlierHeads> earlier{};  ///< at five moments; of the first seed alone
  double gradient_error{};              ///< see gradient_error.h
  Index weights{};                      ///< numbers that were trained, beside the encoding's own
};

}  // namespace orrery::studies
