#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "app/app.h"
#include "app/session.h"

namespace orrery {

/// Where a script is played: a desktop with or without a picture.
struct Stage {
  Session& session;
  App& app;
  std::function<void()> frame{};                           ///< draws one
  std::function<void()> settle{};                          ///< draws until no job runs
  std::function<void(const std::string& name)> picture{};  ///< keeps what is on screen
};

/// What a script expects does not hold; the message has source, line and what is there instead.
class ScriptFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Plays a session of mouse, keyboard and files from text: a step a line, # begins a comment, words
/// with spaces stand in quotes. It waits after each step until nothing is computed.
///
///     do ACTION                   an action by its name (palette, undo, copy_command …)
///     press Ctrl+Shift+C          letters, digits, F1 to F25, Enter, Escape, Tab, Up …
///     hold KEY                    down until: release KEY
///     type TEXT
///     click PLACE                 also right-click, ctrl-click, double-click
///     drag PLACE to PLACE         also right-drag
///     wheel STEPS PLACE
///     move PLACE                  and away: the mouse leaves the window
///     drop PATH …                 files and folders, from the script's own folder
///     set KEY=VALUE               a parameter, without its control
///     wait SECONDS                of the desktop's clock
///     expect FACT is VALUE        also: has PART
///     picture NAME
///
/// PLACE is one of: param or label KEY [PART], view NAME, tab TITLE, layout NAME, button WORDS
/// (PART: how far along it, 0 to 1, else the middle); figure ID X Y in data, or in % of the plot
/// from its top left; legend ID SERIES; colors, x-axis or y-axis ID PART; at X Y in points of the
/// window.
///
/// FACT is one of: view, figure, layout, theme, scale, projector, message, note, clipboard,
/// distance, undo, redo, reference, difference, param KEY, scalar NAME, and of a figure: zoom ID,
/// hidden ID, pins ID, cursors ID, colors ID. What there is none of is "none".
///
/// `source` names the script in messages; paths begin at its folder. Throws UsageError where the
/// text is no script, ScriptFailure where it does not come true.
void play_script(std::string_view text, const std::string& source, const Stage& stage);

}  // namespace orrery
