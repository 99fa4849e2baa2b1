#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/actions.h"
#include "app/session/references.h"
#include "app/session/session.h"

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

/// Everything that can be found now: actions, views, presets, and the figures, parameters and their
/// choices of this view.
std::vector<PaletteEntry> palette_entries(const Session& session, const Actions& actions);
/// The entries that match the typed text, the best first; "dim=256" and "dim 256" offer to set it.
std::vector<PaletteEntry> palette_matches(const Session& session, const Actions& actions,
                                          std::string_view typed);

/// Finds anything by a few of its letters. Arrow keys select an entry, Enter chooses it.
class Palette : public Overlay {
 public:
  /// Opens it as if this had been typed.
  void open_with(std::string typed) {
    typed_first_ = std::move(typed);
    open();
  }
  /// Returns the entry chosen in this frame.
  std::optional<PaletteEntry> draw(const Session& session, const Actions& actions, const Ui& ui);

 private:
  bool draw_input(const Ui& ui);
  std::optional<PaletteEntry> draw_list(const std::vector<PaletteEntry>& matches, bool taken,
                                        const Ui& ui);

  std::string typed_{};
  std::string typed_first_{};
  std::size_t chosen_{};
  bool moved_{false};  ///< whether the keyboard moved the selection, which must be visible
};

}  // namespace orrery
