#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/session/session.h"
#include "app/shell/app.h"
#include "experiments/figure/canvas/canvas.h"

namespace orrery {

/// A mouse and a keyboard driven by a program, in the current Dear ImGui context.
class SimulatedInput {
 public:
  /// `frame` draws one frame.
  explicit SimulatedInput(std::function<void()> frame) : frame_(std::move(frame)) {}

  void move_to(Point p);
  void move_away();
  /// Moves, presses, moves in steps and releases, each in its own frame.
  void drag(Point from, Point to, int button = 0);
  void click(Point at, int button = 0) { drag(at, at, button); }
  void double_click(Point at);
  void wheel(Point at, float steps);
  /// Presses a key, by its GLFW code, for one frame.
  void press(int key, bool control = false, bool shift = false);
  /// Types characters.
  void type(const std::string& utf8);

 private:
  std::function<void()> frame_;
};

/// The desktop that a scripted session drives, with or without rendering.
struct ScriptDesktop {
  Session& session;
  App& app;
  std::function<void()> frame{};                           ///< draws one
  std::function<void()> settle{};                          ///< draws until no job runs
  std::function<void(const std::string& name)> picture{};  ///< keeps what is on screen
};

using Words = std::vector<std::string>;
/// The words of a step that are still to be read.
using Rest = std::span<const std::string>;

/// One line of a script.
struct ScriptStep {
  int line{};
  std::string text{};
  Words words{};
};

/// The steps of a script, without empty lines and comments.
std::vector<ScriptStep> parse_steps(std::string_view text);

/// The GLFW code of a key by its name: a letter, a digit, F1 to F25 or "enter", "page_up" and so
/// on.
std::optional<int> key_named(const std::string& name);

/// A step that cannot be read: the rule it breaks and the remedy.
struct BadStep : std::runtime_error {
  BadStep(const std::string& broken_rule, std::string fix)
      : std::runtime_error(broken_rule), remedy(std::move(fix)) {}
  std::string remedy;
};

/// The value of a fact that a script can expect, such as "view" or "param dim". Throws BadStep
/// where there is no such fact.
std::string fact_text(Rest words, const ScriptDesktop& stage);

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
