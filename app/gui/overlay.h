#pragma once

#include "app/gui/ui.h"

namespace orrery {

/// A sheet in the middle of the window over dimmed content. Escape or a click beside it closes it.
class Overlay {
 public:
  /// Opens in the next frame.
  void open() { wanted_ = true; }
  void close() { closing_ = true; }
  bool is_open() const { return open_ || wanted_; }

 protected:
  /// Begins the sheet, `width` × `height` of the design at most; a height of 0 fits the content.
  /// When it returns true, draw and call end(). `id` is its heading, too.
  bool begin(const char* id, double width, double height, const Ui& ui);
  void end();
  /// Whether it was opened in this frame, so that it should take the keyboard focus.
  bool just_opened() const { return just_opened_; }

 private:
  bool wanted_{false};
  bool open_{false};
  bool closing_{false};
  float height_{};  ///< of the last frame
  bool just_opened_{false};
};

}  // namespace orrery
