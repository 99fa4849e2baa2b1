#pragma once

#include <functional>
#include <string>
#include <utility>

#include "experiments/figure/canvas.h"

namespace orrery {

/// A mouse and a keyboard that are played by a program, in the current Dear ImGui context.
class Hand {
 public:
  /// `frame` draws one frame.
  explicit Hand(std::function<void()> frame) : frame_(std::move(frame)) {}

  void move_to(Point p);
  void move_away();
  /// Moves, presses, moves in steps, releases; a frame each.
  void drag(Point from, Point to, int button = 0);
  void click(Point at, int button = 0) { drag(at, at, button); }
  void double_click(Point at);
  void wheel(Point at, float steps);
  /// A key by its GLFW code, down for a frame.
  void press(int key, bool control = false, bool shift = false);
  /// Characters, as the keyboard gives them.
  void type(const std::string& utf8);

 private:
  std::function<void()> frame_;
};

}  // namespace orrery
