#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/params.h"
#include "experiments/heads/live_model.h"
#include "experiments/model/progress.h"

namespace orrery {

/// A way to run a model's weights.
struct Hypothesis {
  std::string label{};               ///< "half_split"
  std::vector<std::string> edits{};  ///< that make the model as it stands into this one
  bool stands{};                     ///< it is the model as it stands
  double loss{};                     ///< mean over the texts that test
  /// Of those texts' mean losses: this one's less the preferred one's, with its 95 % interval.
  double difference{}, low{}, high{};
  double p{};       ///< of no difference, paired over texts, Holm-corrected
  bool rejected{};  ///< p < 0.05, and its loss is the larger
};

/// What the loss says of a question.
enum class LossVerdict {
  confirmed,     ///< it prefers the model as it stands to all others
  contradicted,  ///< it prefers another one, and rejects the model as it stands
  undecided,     ///< the model as it stands and another one are both not rejected
};

/// "confirmed".
const char* verdict_name(LossVerdict verdict);

/// Something that a model's file may have wrong, or leave open.
struct OpenQuestion {
  std::string name{};                    ///< "pairing"
  std::vector<Hypothesis> hypotheses{};  ///< that differ for these texts; the preferred one first
  LossVerdict verdict{};
};

struct SettleRequest {
  std::vector<ModelText> texts{};        ///< even ones prefer, odd ones test: four or more
  std::vector<std::string> edits{};      ///< the model stands with these
  std::vector<std::string> questions{};  ///< names; empty for all
  std::int64_t rounds{4};                ///< of settings that are corrected, one after the other
};

struct Settlement {
  std::string model{};
  std::string family{};
  std::vector<ModelText> texts{};
  std::vector<std::string> start{};  ///< the edits that the model was asked about with
  /// Corrections, in their order: of contradicted questions the preferred hypothesis of the one with
  /// the largest difference, or several settings of the rope at once where the odd texts reject that
  /// one against them; else two of any questions whose mistakes compensate for each other, better
  /// on the odd texts than what stands and than either alone; until nothing is contradicted, one
  /// question of the rope is confirmed, and no two are better.
  std::vector<std::string> corrections{};
  std::vector<OpenQuestion> questions{};  ///< of the model as it was asked about
  std::vector<OpenQuestion> corrected{};  ///< of the corrected model; empty without corrections
  std::int64_t passes{};                  ///< over a text each
};

/// The names of all questions.
std::vector<std::string> question_names();
/// "questions", some of them, with what each asks.
ParamSpec questions_param(std::string description, std::vector<std::string> usual);

/// Runs a model's weights under every hypothesis of each question: pairing, base, scaling, partial
/// width, direction, norm + 1, softcap, scale and window. No reference is needed.
///
/// A hypothesis is preferred by the mean loss of the even texts and tested on the odd ones, by
/// Student's t of paired differences with Holm's correction over all tests of a round. A lower
/// loss is no proof: a base that is too large may lower it on short texts.
/// The first token sees itself alone, so texts of two tokens ask nothing of positions.
/// Throws UsageError for fewer than four texts, an unknown question, and a model without losses.
Settlement settle(LiveModel& model, const SettleRequest& request, Progress& progress);

/// Whether the model as it was asked about is not the best: a question is contradicted, or several
/// settings at once are better.
bool is_contradicted(const Settlement& settlement);

}  // namespace orrery
