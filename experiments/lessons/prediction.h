#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/figure/export.h"
#include "experiments/lessons/evaluate.h"
#include "experiments/lessons/lesson.h"

namespace orrery {

/// What a reader predicts, or what is true: the members of the prediction's kind.
struct Answer {
  std::vector<double> x{};  ///< of a curve, from left to right
  std::vector<double> y{};
  std::vector<std::pair<std::size_t, std::size_t>> cells{};  ///< row and column, in that order
  std::vector<std::size_t> order{};                          ///< numbers of the items, first first
  double number{};
  std::vector<bool> options{};
  friend bool operator==(const Answer&, const Answer&) = default;
};

/// The stretches over which a curve rises by more than `least`, from each low to the next high.
std::size_t rising_stretches(const std::vector<double>& y, double least);

/// Kendall's rank correlation of two curves at the same places, from −1 to 1; NaN where one of them
/// is level.
double rank_agreement(const std::vector<double>& a, const std::vector<double>& b);

/// Gives the result of the step's state with "key=value" words applied; with none, its own.
using ResultWith =
    std::function<std::shared_ptr<const Result>(const std::vector<std::string>& words)>;

/// The truth. Throws UsageError as value_of does, and for a truth that is no answer: a NaN, items
/// that are equal, options none of which is true.
Answer truth_of(const Prediction& prediction, const StepState& state, const ResultWith& results);

/// Describes a prediction beside the truth, in a sentence or two and never as a grade: "It rises at
/// 115 of 256 steps; yours rises at none."
std::string describe_answer(const Prediction& prediction, const Answer& given, const Answer& truth);

/// The same for a class: "7 of 12 chose …".
std::string describe_class(const Prediction& prediction, std::span<const Answer> given,
                           const Answer& truth);

/// The truth in words, for the answers at the end of a handout.
std::string truth_text(const Prediction& prediction, const Answer& truth);

/// The hint that fits the present settings; empty where the task is done or no hint fits.
std::string hint_for(const LessonTask& task, const LessonFacts& facts);

/// The notes at their places. Throws as value_of does.
std::vector<PlacedNote> placed_notes(const std::vector<FigureNote>& notes,
                                     const LessonFacts& facts);

}  // namespace orrery
