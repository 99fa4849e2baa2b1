#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/gui/renderer.h"
#include "app/gui/ui.h"
#include "app/shell/app.h"

namespace orrery {

/// The desktop without a window.
class OffscreenDesktop {
 public:
  /// Throws std::runtime_error saying what is missing.
  OffscreenDesktop(Session& session, int width, int height);
  ~OffscreenDesktop();
  OffscreenDesktop(const OffscreenDesktop&) = delete;
  OffscreenDesktop& operator=(const OffscreenDesktop&) = delete;

  /// Draws one frame; the driver may still be at it when this returns.
  void frame();
  /// Waits until everything asked for is drawn, as a window does before it shows a frame.
  void finish();
  /// Lays out one frame without rendering its pixels.
  void pass();
  /// Passes until no job runs and the layout has settled, and draws. Throws std::runtime_error when
  /// that takes longer than `patience_seconds`.
  void settle(double patience_seconds = 300.0);
  App& app() { return app_; }
  /// The pixels of the last frame.
  std::shared_ptr<const Image> pixels() const;

 private:
  class Context;
  std::unique_ptr<Context> context_;
  ImGuiContextGuard imgui_{};
  GlRenderer renderer_{};
  App app_;
};

/// The picture as a PNG file's bytes.
std::string png_bytes(const std::shared_ptr<const Image>& image);

}  // namespace orrery
