#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/dialogs/palette_entries.h"
#include "app/gui/ui.h"
#include "app/session/actions.h"
#include "app/session/session.h"

namespace orrery {

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
