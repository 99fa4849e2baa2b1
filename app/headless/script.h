#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "app/headless/script_steps.h"

namespace orrery {

/// An expectation of a script does not hold. The message names source, line and actual value.
class ScriptFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Plays a session of mouse, keyboard and files from text: one step per line, # begins a comment,
/// and words with spaces are quoted. After each step it waits for all computations.
///
///     do ACTION                   an action by its name (palette, undo, copy_command …)
///     press Ctrl+Shift+C          letters, digits, F1 to F25, Enter, Escape, Tab, Up …
///     hold KEY                    down until: release KEY
///     type TEXT
///     click PLACE                 also right-click, ctrl-click, double-click
///     drag PLACE to PLACE         also right-drag, shift-drag
///     wheel STEPS PLACE
///     move PLACE                  and away: the mouse leaves the window
///     drop PATH …                 files and folders, from the script's own folder
///     set KEY=VALUE               a parameter, without its control
///     wait SECONDS                of the desktop's clock
///     expect FACT is VALUE        also: has PART
///     picture NAME
///
/// PLACE is one of: param or label KEY [PART], view NAME, tab TITLE, layout NAME, button WORDS,
/// reference NUMBER (PART: how far along it, 0 to 1, else the middle); figure ID X Y in data, or in
/// % of the plot from its top left; legend ID SERIES; colors, x-axis or y-axis ID PART; at X Y in
/// points of the window.
///
/// FACT is one of: view, figure, layout, theme, scale, projector, message, note, clipboard,
/// distance, undo, redo, references, difference, param KEY, scalar NAME, and of a figure: zoom ID,
/// hidden ID, pins ID, cursors ID, colors ID, ghosts ID. A missing value is "none".
///
/// `source` names the script in messages; paths are relative to its folder. Throws UsageError when
/// a step cannot be read, ScriptFailure when an expectation does not hold.
void play_script(std::string_view text, const std::string& source, const ScriptDesktop& stage);

}  // namespace orrery
