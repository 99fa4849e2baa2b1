#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiments/heads/live_model.h"
#include "experiments/model/progress.h"
#include "experiments/statistics/welch.h"

namespace orrery {
class Random;  // core/random.h

/// Random tokens of a vocabulary, each once before any comes again, so that what followed a token
/// before is never in doubt.
/// @param left_out  tokens that are not drawn
/// Throws UsageError where no token is left.
std::vector<std::int32_t> random_tokens(Random& random, std::int64_t count, int vocabulary,
                                        std::span<const std::int32_t> left_out = {});

/// Random tokens, and the same again. The same seed and number give the same ones.
/// @param number  of the sequence
/// @param first   stands before them, once; −1 for none
std::vector<std::int32_t> repeated_tokens(std::int64_t count, int vocabulary, std::int64_t seed,
                                          std::int64_t number, std::int32_t first = -1);

struct RepeatRequest {
  std::int64_t tokens{64};    ///< n, random ones that come twice
  std::int64_t sequences{8};  ///< each of tokens of its own
  std::int64_t seed{0};
  std::int32_t first{-1};            ///< stands before each sequence, once; −1 for none
  std::vector<std::string> edits{};  ///< of the model, as parse_edit reads them
};

/// How well a model copies: random tokens x_0 … x_{n−1}, and the same again.
///
/// A half's loss is the mean over x_1 … x_{n−1}, the same tokens in both: that x_0 comes again, no
/// token before tells. Within a sequence they are distinct, so that what followed is never in doubt.
struct Repeat {
  std::string model{};
  std::string family{};
  RepeatRequest request{};
  std::vector<std::string> edits{};
  int vocabulary{};
  std::vector<double> first_half{}, second_half{};  ///< nats, of each sequence
  /// First less second half, paired by sequences; NaN but for the difference where there is one.
  Welch gain{};
  /// −ln p of each of the 2n tokens, the mean over sequences; NaN for one that nothing predicts.
  std::vector<double> by_position{};
};

/// Throws UsageError: fewer than two tokens, a first one that the vocabulary does not have, a model
/// without losses; as parse_edit and forward do.
/// Cost: a pass over 2n tokens for each sequence.
/// Source: Olsson et al. 2022, "In-context learning and induction heads".
Repeat repeat_tokens(LiveModel& model, const RepeatRequest& request, Progress& progress);

/// The mean loss of x_1 … x_{n−1}, which end the sequence that these losses are of.
double second_half_mean(const std::vector<double>& losses, std::size_t tokens);

}  // namespace orrery
