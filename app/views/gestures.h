#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "experiments/setup/frequency_bands.h"

namespace orrery {

/// The result from before a control was dragged, to compare with while it is dragged and until the
/// next click. It belongs to the gesture: neither undo nor the saved session knows it.
class BeforeDrag {
 public:
  /// Looks at the mouse and the parameters. Call once a frame, before the controls are drawn.
  void update(const Session& session);
  /// Null while there is none.
  const std::shared_ptr<const Result>& result() const { return before_; }

 private:
  void forget();

  int frame_{-1};
  std::shared_ptr<const Result> pressed_{};  ///< on screen when the button was pressed
  std::optional<ParamSet> params_{};         ///< at that time
  std::shared_ptr<const Result> before_{};
};

/// Shift held while a number is dragged sweeps it in place, from the value at the press to the one
/// now. The sweep stays until a click beside everything or another change of a parameter; Esc ends
/// it and gives the number its value from before.
class SweepGesture {
 public:
  /// Looks at mouse, keyboard and parameters. Call once a frame, before the controls are drawn.
  void update(Session& session);

 private:
  int frame_{-1};
  std::optional<ParamSet> pressed_{};                   ///< parameters when the button was pressed
  std::map<std::string, double, std::less<>> shown_{};  ///< the numbers that controls showed then
  std::optional<ParamSet> before_{};                    ///< parameters before the drag that swept
  bool shift_{};  ///< whether Shift was held in the frame before
};

/// A band of RoPE's frequency mixer in words, and what a click on it does.
std::string band_words(const MixerBand& band);

/// Does what a press of the mouse on a band asks for: mutes or unmutes it, with Ctrl lets it sound
/// alone, with a double click unmutes all. The last band that sounds stays.
void click_band(Session& session, const std::vector<MixerBand>& bands, std::size_t band);

/// A command by key to the figure that has the keyboard focus.
enum class FigureCommand {
  none,
  left,
  right,
  up,
  down,
  zoom_in,
  zoom_out,
  fit,
  cursors,
  menu,
  clear,
  next,
  previous
};

/// The command typed in this frame; none while text is being typed elsewhere. Arrows, Tab, Home,
/// Delete and the menu key are keys; + − 0 and c are characters, wherever the layout of the
/// keyboard has them.
FigureCommand typed_figure_command();

/// A key or gesture and its effect, for the sheet of shortcuts.
struct FigureShortcut {
  const char* keys;
  const char* does;
};
std::span<const FigureShortcut> figure_shortcuts();

}  // namespace orrery
