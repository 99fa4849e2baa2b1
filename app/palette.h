#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/actions.h"
#include "app/overlay.h"
#include "app/session.h"

namespace orrery {

/// Something that the palette finds.
struct PaletteEntry {
  enum class Kind { view, figure, parameter, setting, action };
  Kind kind{};
  std::string title{};
  std::string detail{};  ///< a question, a description; searched, too, but counting less
  ActionId action{};
  std::size_t view{};   ///< index of the experiment
  std::string key{};    ///< a figure's id, or a parameter's key
  std::string value{};  ///< of a setting: what is typed after "key="
};

/// Everything that can be found now: actions, views, and figures and parameters of this view.
std::vector<PaletteEntry> palette_entries(const Session& session);
/// What answers to the typed text, the best first; "dim=256" offers to set it.
std::vector<PaletteEntry> palette_matches(const Session& session, std::string_view typed);

/// Finds anything by a few of its letters. Arrows choose, Enter takes.
class Palette : public Overlay {
 public:
  /// What was taken in this frame.
  std::optional<PaletteEntry> draw(const Session& session, const Ui& ui);

 private:
  bool draw_input(const Ui& ui);
  std::optional<PaletteEntry> draw_list(const Session& session, bool taken, const Ui& ui);

  std::string typed_{};
  std::size_t chosen_{};
  bool moved_{false};  ///< whether the keyboard moved the choice: it must be in sight
};

}  // namespace orrery
