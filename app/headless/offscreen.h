#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/gui/renderer.h"
#include "app/gui/ui.h"
#include "app/shell/app.h"

namespace orrery {

/// An OpenGL context with a framebuffer and no window: EGL without a surface, or with a tiny buffer
/// where that is not offered.
class OffscreenContext {
 public:
  /// Throws std::runtime_error saying what is missing.
  OffscreenContext(int width, int height);
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

  int width() const { return width_; }
  int height() const { return height_; }
  /// The pixels of the last frame.
  std::shared_ptr<const Image> pixels() const;

 private:
  struct Egl;
  int width_;
  int height_;
  std::unique_ptr<Egl> egl_;
  unsigned framebuffer_{};
  unsigned color_{};
};

/// The desktop without a window.
class OffscreenDesktop {
 public:
  /// Throws std::runtime_error saying what is missing.
  OffscreenDesktop(Session& session, int width, int height);

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
  std::shared_ptr<const Image> pixels() const { return context_.pixels(); }

 private:
  OffscreenContext context_;
  ImGuiContextGuard imgui_{};
  GlRenderer renderer_{};
  App app_;
};

/// The picture as a PNG file's bytes.
std::string png_bytes(const std::shared_ptr<const Image>& image);

}  // namespace orrery
