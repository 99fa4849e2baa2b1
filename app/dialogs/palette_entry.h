#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/session/actions.h"
#include "app/session/view_state.h"

namespace orrery {

/// Something that the palette finds.
struct PaletteEntry {
  enum class Kind {
    view,
    figure,
    parameter,
    setting,
    sweep,
    difference,
    number,
    preset,
    question,
    lesson,
    file,  ///< an export
    action
  };
  Kind kind{};
  std::string title{};
  std::string detail{};  ///< a question or description; searched too, but with less weight
  std::string also{};    ///< another name, searched like the title: "rope_first_rise"
  const Action* action{};
  std::optional<std::size_t> view{};  ///< index of the experiment to show, or of the question
  std::string key{};                  ///< a figure's id, a parameter's key, a format, or a name
  std::string value{};  ///< of a setting: the text after "key="; of a number: its digits
  double from{}, to{};  ///< of a sweep
  Subtrahend minus{};   ///< of a difference
};

}  // namespace orrery
