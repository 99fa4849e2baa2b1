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

}  // namespace orrery
