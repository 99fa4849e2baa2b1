#pragma once

#include <string>

#include "core/params.h"
#include "experiments/lessons/expression.h"
#include "experiments/model/result.h"

namespace orrery {

/// What expressions and assertions are about.
struct LessonFacts {
  const Result& result;
  const ParamSet& params;
};

/// Whether an assertion holds, and what was found of the first clause that does not, or of the
/// last one: "first_rise decay_bound RoPE is 19".
struct Verdict {
  bool holds{};
  std::string found{};
};

/// The number. Throws UsageError for a figure, curve, scalar, check, parameter, table or cell that
/// the result does not have, with the nearest name, and for a curve at an x outside of it.
double value_of(const Expression& expression, const LessonFacts& facts);

/// Whether the numbers compare so; with a NaN on either side they do not, whatever the sign.
bool compares(double a, const NumberRelation& comparison, double b);

/// Throws as value_of does.
Verdict judge(const Assertion& assertion, const LessonFacts& facts);

// Parts of a result by name, as expressions find them. Each throws UsageError with the nearest
// name; a name that ends in * stands for the only one that begins so.

const Figure& figure_named(const Result& result, const std::string& id);
/// The curves of a figure: of a line plot, or the profiles of an equation of maps.
const LinePlot& line_plot_named(const Result& result, const std::string& id);
const Series& series_named(const Result& result, const std::string& figure,
                           const std::string& series);

/// A matrix of a result: a map that is drawn, or an array of the result.
struct NamedMap {
  const Array* values{};
  const Array* masked{};  ///< null where no cell is
  std::size_t rows{};
  std::size_t columns{};
  double at(std::size_t row, std::size_t column) const { return (*values)[row * columns + column]; }
  bool is_masked(std::size_t row, std::size_t column) const {
    return masked && (*masked)[row * columns + column] != 0;
  }
};
NamedMap map_named(const Result& result, const std::string& name);

/// The value of a curve at x. Throws UsageError for an x outside of the curve.
double value_at(const Series& series, double x);
/// The smallest and the largest of these numbers, NaN left out; ∞ and −∞ of none.
Range extent_of(const std::vector<double>& y);
/// How many points are above the one before them.
std::size_t rises_of(const std::vector<double>& y);

}  // namespace orrery
