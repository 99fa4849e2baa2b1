#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/actions.h"
#include "app/session/session.h"
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

// What the palette finds about several results or figures at once.

/// "Sweep base from 2 500 to 40 000" for each number of this view that is read.
void add_sweeps(const Session& session, std::vector<PaletteEntry>& entries);
/// "sweep base 100 1e6" as an entry that does so, if there is such a number.
std::optional<PaletteEntry> typed_sweep(const Session& session, std::string_view typed);
/// "compare alibi and rope" as an entry that shows both, in this view or the first that can.
std::optional<PaletteEntry> typed_comparison(const Session& session, std::string_view typed);
/// "ALiBi − RoPE: attention weight" for what may be subtracted from the figures on screen.
void add_differences(const Session& session, std::vector<PaletteEntry>& entries);

}  // namespace orrery
