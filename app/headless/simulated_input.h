#pragma once

#include <functional>
#include <string>
#include <utility>

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

}  // namespace orrery
