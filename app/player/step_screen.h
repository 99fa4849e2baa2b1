#pragma once

#include <optional>
#include <string>

#include "app/session/desktop_state.h"
#include "app/session/session.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/lessons/step_state.h"
#include "experiments/model/figure.h"

namespace orrery {

/// The desktop as it is, with the state of a step on screen. Throws UsageError for an experiment
/// that this desktop does not have.
DesktopState screen_of(const Session& session, const StepState& state);

/// The screen as a step of a lesson: a heading, its state and its controls, in the Markdown that
/// lessons are written in.
std::string step_text(const ExperimentState& state);

/// The settings text in what was copied: the first block ```state of a step, or all of it.
std::string state_in(const std::string& copied);

/// How long the settings take from one step to the next.
inline constexpr double motion_seconds = 0.5;

/// Whether the two are settings of the same experiment of which a number differs.
bool can_move(const ParamSet& from, const ParamSet& to);

/// The settings after a share of the way, 0 to 1, slow at both ends. Numbers move along the scale
/// of their slider, everything else changes at the beginning; at 1 it is exactly `to`.
ParamSet part_way(const ParamSet& from, const ParamSet& to, double share);

/// Whether the two show other parts of a figure.
bool can_zoom(const FigureView& from, const FigureView& to);

/// The parts of a figure's axes that are shown.
struct AxisLimits {
  std::optional<Range> x{};  ///< empty: all of it
  std::optional<Range> y{};
  friend bool operator==(const AxisLimits&, const AxisLimits&) = default;
};

/// The limits after a share of the way from one view to the other, 0 to 1, slow at both ends. They
/// move along the scale of their axis, where a view has none from or to what fits the figure. At 1
/// they are exactly those of `to`; so they are at once for a figure that is neither curves nor a
/// map.
AxisLimits limits_part_way(const Figure& figure, const FigureView& from, const FigureView& to,
                           double share);

}  // namespace orrery
