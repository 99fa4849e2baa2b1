#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/params.h"

namespace orrery {

struct TransformerDesign;
struct LayerPlan;

/// A way to run a model's weights.
struct Hypothesis {
  std::string label{};               ///< "half_split"
  std::vector<std::string> edits{};  ///< that make the model as it stands into this one
  bool stands{};                     ///< it is the model as it stands
  std::size_t place{};               ///< in the list of answers: plain ones come first
  double loss{};                     ///< mean over the texts that test
  /// Of those texts' mean losses: this one's less the preferred one's, with its 95 % interval.
  double difference{}, low{}, high{};
  double spread{};  ///< standard deviation of that difference over the texts
  double p{};       ///< of no difference, paired over texts, Holm-corrected
  bool rejected{};  ///< p < 0.05, and its loss is the larger
};

/// What the loss says of a question.
enum class LossVerdict {
  confirmed,     ///< all others are rejected, and lose by more than the spread over texts
  contradicted,  ///< another one is better, alone or with changes of other questions
  undecided,     ///< neither, or the model predicts no better than frequencies
};

/// "confirmed".
const char* verdict_name(LossVerdict verdict);

/// Something that a model's file may have wrong, or leave open.
struct OpenQuestion {
  std::string name{};                    ///< "pairing"
  std::vector<Hypothesis> hypotheses{};  ///< that differ for these texts; the preferred one first
  LossVerdict verdict{};
};

/// The facts of a model that hypotheses are made of.
struct ModelFacts {
  const TransformerDesign& design;
  const LayerPlan* rope;  ///< of the first layer with RoPE; null for none
  std::ptrdiff_t d_model;
  std::ptrdiff_t longest;  ///< tokens that the file says it reads; 0 where it does not
};

/// The answers of a question, with those that the model has; empty where it does not arise.
/// @param tokens  of the longest text
std::vector<Hypothesis> hypotheses_of(const std::string& question, const ModelFacts& facts,
                                      std::ptrdiff_t tokens);

/// An answer's numbers a little larger and smaller: "scale:0.25" has "scale:0.2" and "scale:0.3125".
/// One of all norms has that of the last one alone, and of all the others. None of an answer
/// without numbers.
std::vector<std::vector<std::string>> neighbours_of(const std::vector<std::string>& edits,
                                                    const ModelFacts& facts);

/// The names of all questions.
std::vector<std::string> question_names();
/// Throws UsageError for a name that is none of these.
void require_question(const std::string& name);
/// Whether it asks about a setting of RoPE.
bool is_of_rope(const std::string& question);
/// "questions", some of them, with what each asks.
ParamSpec questions_param(std::string description, std::vector<std::string> usual);

/// What no question asks about: "the epsilon of norms, …".
const char* outside_questions();

}  // namespace orrery
