#pragma once

#include <cstddef>
#include <string>

#include "app/session/actions.h"
#include "app/session/view_state.h"

namespace orrery::dialogs {

/// Something that the palette finds.
struct PaletteEntry {
  enum class Kind { view, figure, parameter, setting, sweep, difference, preset, question, action };
  Kind kind{};
  std::string title{};
  std::string detail{};  ///< a question or description; searched too, but with less weight
  const Action* action{};
  std::size_t view{};   ///< index of the experiment, or number of the question
  std::string key{};    ///< a figure's id, a parameter's key, or a preset's name
  std::string value{};  ///< of a setting: the text after "key="
  double from{}, to{};  ///< of a sweep
  Subtrahend minus{};   ///< of a difference
};

}  // namespace orrery::dialogs
