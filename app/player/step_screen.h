#pragma once

#include <string>

#include "app/session/session.h"
#include "experiments/lessons/step_state.h"

namespace orrery {

/// The desktop as it is, with the state of a step on screen. Throws UsageError for an experiment
/// that this desktop does not have.
DesktopState screen_of(const Session& session, const StepState& state);

/// The screen as a step of a lesson: a heading, its state and its controls, in the Markdown that
/// lessons are written in.
std::string step_text(const ExperimentState& state);

/// The settings text in what was copied: the first block ```state of a step, or all of it.
std::string state_in(const std::string& copied);

}  // namespace orrery
