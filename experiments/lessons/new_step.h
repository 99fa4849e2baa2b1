#pragma once

#include <string>
#include <string_view>

#include "experiments/model/layers.h"

namespace orrery::lessons {

/// The Markdown of a step that shows these settings, for "copy as step": a title and prose to be
/// written, the settings as its state, and the sentence for a projector. parse_lesson reads it.
/// @param settings  settings text, as Ctrl+C copies it
std::string new_step(std::string_view settings);

/// The Markdown of a lesson with one such step and everything that a lesson needs.
std::string new_lesson(std::string_view settings);

}  // namespace orrery::lessons
