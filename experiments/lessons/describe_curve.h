#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/lessons/answer.h"

namespace orrery {

/// Describes a curve that was drawn beside the true one: where both rise, end and turn, and how far
/// their order agrees. Pixels are not compared.
std::string describe_curve(const Answer& given, const Answer& truth);

/// The true curve in words: "from 32.5 to 9.27; it rises at 115 of 256 steps".
std::string curve_text(const Answer& truth);

/// What a hand draws as level when it draws this curve: 2 % of its range.
double shake_of(const Answer& truth);

/// The stretches over which a curve rises by more than `least`, from each low to the next high.
std::size_t rising_stretches(const std::vector<double>& y, double least);

/// Kendall's rank correlation of two curves at the same places, from −1 to 1; NaN where one of them
/// is level.
double rank_agreement(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace orrery
