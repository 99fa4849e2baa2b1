#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/views/figures.h"
#include "experiments/model/figure.h"

namespace orrery {

/// Names of curves, by figure.
using HiddenCurves = std::map<std::string, std::set<std::string>>;

/// The figures, which have the settings of `result`, with the curves of others behind their own,
/// thin and grey. The first `pinned` of the others are references, the rest is from before a drag.
Figures with_references_behind(Figures figures, const ResultPtr& result,
                               const std::vector<ResultPtr>& others, std::size_t pinned,
                               const HiddenCurves& hidden);

/// What differs in the figures of a result from those of a reference. One that has no difference
/// stays as it is.
Figures minus_reference(const ResultPtr& result, const ResultPtr& reference);

/// Something that may be subtracted from a figure of a result.
struct MinusChoice {
  Subtrahend what{};
  std::string title{};  ///< "ALiBi − RoPE: attention weight"
};

/// What may be subtracted from the figure of this id: other figures of the result that show the
/// same quantity over the same axes, and each of its own curves where it has several.
std::vector<MinusChoice> minus_choices(const Result& result, const std::string& figure);

/// Shows a figure minus something from now on, or the figure itself again.
void set_minus(ViewState& shown, const std::string& figure, const std::optional<Subtrahend>& what);

/// The differences, by figure, see ViewState::minus; without those from which nothing can be
/// subtracted.
FiguresById minus_others(const ResultPtr& result, const std::map<std::string, Subtrahend>& minus);

}  // namespace orrery
