#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/heads/live_model.h"
#include "experiments/model/figure.h"
#include "experiments/model/progress.h"

namespace orrery {

/// A score that every head has, by a formula of core/analysis/head_scores.h.
struct ScoreKind {
  std::string_view key{};          ///< "induction"
  std::string_view formula{};      ///< "A(i, j+1), t_j = t_i"
  std::string_view description{};  ///< a sentence
  bool has_without_first{true};    ///< whether it is also taken without the first token
  bool is_share{true};             ///< from 0 to 1; otherwise tokens
};

/// THE list of scores.
std::span<const ScoreKind> score_kinds();
/// Its place in the list. Throws UsageError naming the nearest.
std::size_t score_number(std::string_view key);

/// What is measured of the heads of a model.
struct HeadsRequest {
  std::vector<ModelText> texts{};
  std::int64_t repeated{64};  ///< random tokens that come twice, in sequences of their own; 0: none
  std::int64_t repeats{4};    ///< such sequences
  std::int64_t seed{0};       ///< of those, and of the keys that change contents
  std::size_t chosen{8};      ///< heads that are chosen by each score
};

struct HeadRow {
  int layer{};
  int head{};
  std::vector<double> scores{};         ///< in the order of score_kinds(), over all texts
  std::vector<double> without_first{};  ///< the same; NaN where the first token's does not count
  std::vector<double> repeated{};       ///< the same on repeated random tokens; empty for none
  std::int64_t strongest_distance{};    ///< the r ≥ 1 of the most weight
  std::vector<double> by_distance{};    ///< weight at r = 0 … N/2 − 1 behind
  std::vector<double> by_distance_without_first{};
  /// Shares of RoPE's pairs in the variance of the logits; empty without RoPE.
  std::vector<double> pair_shares{};
  bool sink_dominates{};  ///< more than half of its weight lies on the first token
  /// By how much the score place, without the first token, differs between even and odd texts; NaN
  /// for one text.
  double place_spread{};
};

/// A head that the first half of the texts has chosen, and its score on the second.
struct ChosenHead {
  int layer{};
  int head{};
  double chosen_by{};  ///< of the first half
  double tested{};     ///< of the second
};
struct ScoreChoice {
  std::string score{};
  std::vector<ChosenHead> heads{};  ///< the largest first
};

/// The heads of a model over some texts.
struct HeadTable {
  std::string model{};
  std::string family{};
  int layers{};
  int heads{};
  std::vector<ModelText> texts{};
  std::int64_t queries{};            ///< i ≥ 1, of all texts
  std::int64_t induction_queries{};  ///< those of a token that came before
  std::int64_t repeated{}, repeats{}, seed{};
  std::vector<HeadRow> rows{};         ///< layer by layer
  std::vector<ScoreChoice> choices{};  ///< empty for fewer than two texts
};

/// Every score of every head. Even texts choose heads, odd ones test them.
/// Throws as a pass does. Cost: a pass with all maps, and O(N²) per head.
HeadTable measure_heads(LiveModel& model, const HeadsRequest& request, Progress& progress);

/// Whether heads have the score place: not where positions are added at the embedding.
bool has_places(const HeadTable& table);

/// The shares of the eight bands of pairs, the fastest first (mixer_band_of).
std::vector<double> band_shares(const HeadRow& row);

}  // namespace orrery
