#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/heads/live_model.h"
#include "experiments/heads/model_texts.h"
#include "experiments/heads/open_question.h"
#include "experiments/model/progress.h"

namespace orrery {

struct SettleRequest {
  std::vector<ModelText> texts{};        ///< even ones prefer, odd ones test: four or more
  std::vector<std::string> edits{};      ///< the model stands with these
  std::vector<std::string> questions{};  ///< names; empty for all
  std::int64_t rounds{4};                ///< of corrections, one after the other
};

struct Settlement {
  std::string model{};
  std::string family{};
  std::vector<ModelText> texts{};
  std::vector<std::string> start{};  ///< the edits that the model was asked about with
  /// Corrections, in their order. Each is the preferred hypothesis of a contradicted question, two
  /// changes of different questions, or several settings of the rope at once; the odd texts prefer it
  /// to what stands and to fewer of its changes, by 0.05 nats or more.
  std::vector<std::string> corrections{};
  std::vector<OpenQuestion> questions{};  ///< of the model as it was asked about
  std::vector<OpenQuestion> corrected{};  ///< of the corrected model; empty without corrections
  double loss{};  ///< of all texts, of the corrected model; of the one that was asked about without
  FrequencyLoss frequencies{};
  // Where one of these does not hold, nothing is confirmed or corrected:
  bool is_known{};  ///< the loss is below frequencies.of_same by more than the spread over texts
  bool is_at_its_best{};  ///< no correction would be better as a little more or less
  std::int64_t passes{};  ///< over a text each
};

/// Runs a model's weights under every hypothesis of each question: pairing, base, scaling, partial
/// width, direction, norm + 1, softcap, scale and window. No reference is needed.
///
/// A hypothesis is preferred by the mean loss of the even texts and tested on the odd ones, by
/// Student's t of paired differences with Holm's correction over all tests of a round. A lower
/// loss is no proof: a base that is too large may lower it on short texts.
///
/// Pairs of changes are always tried, and all settings of a rope together where none of them is
/// confirmed. The verdicts hold of the model with its corrections: what these change is contradicted.
/// Nothing is confirmed or corrected of a model that predicts no better than token frequencies.
///
/// The first token sees itself alone, so texts of two tokens ask nothing of positions.
/// Throws UsageError for fewer than four texts, an unknown question, and a model without losses.
Settlement settle(LiveModel& model, const SettleRequest& request, Progress& progress);

/// Whether the model as it was asked about is not the best: a question is contradicted.
bool is_contradicted(const Settlement& settlement);
/// Whether something is wrong that no question asks about: token frequencies of other texts predict
/// better, or a correction would be better as a little more or less.
bool is_wrong_elsewhere(const Settlement& settlement);

}  // namespace orrery
