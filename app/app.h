#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/canvas/textures.h"
#include "app/fonts.h"
#include "app/param_panel.h"
#include "app/session.h"
#include "app/ui.h"
#include "app/views/view.h"

namespace orrery {

/// Dear ImGui's context for as long as it lives, current in its thread. No settings file is
/// written.
class ImGuiSession {
 public:
  ImGuiSession();
  ~ImGuiSession();
  ImGuiSession(const ImGuiSession&) = delete;
  ImGuiSession& operator=(const ImGuiSession&) = delete;
};

/// The desktop's one window: views at the left, the chosen view in the middle, its parameters at
/// the right, and a status line. Needs a current ImGuiSession; frame() calls nothing but Dear
/// ImGui.
class App {
 public:
  /// `textures` must belong to the renderer that draws the frames.
  App(Session& session, std::unique_ptr<TextureBackend> textures);

  /// Loads fonts and colours when the theme or the scale changed. Call before NewFrame. Returns
  /// whether the font atlas is new, so that the renderer uploads it.
  bool prepare();
  /// Everything between NewFrame and Render.
  void frame();
  void drop_file(const std::string& path);
  /// Multiplies the session's scale: the pixels a screen has to a point.
  void set_screen_scale(double scale) { screen_scale_ = scale; }

 private:
  struct Regions {
    Rect list{}, view{}, params{}, status{};
  };
  Regions regions() const;
  void draw_list(const Rect& area, const Ui& ui);
  void draw_view(const Rect& area, const Ui& ui);
  void draw_heading(const Rect& area, const Ui& ui);
  void draw_params(const Rect& area, const Ui& ui);

  Session& session_;
  TextureCache textures_;
  std::vector<std::unique_ptr<View>> views_{};  ///< one an experiment of the session
  ParamPanel params_{};
  std::optional<Fonts> fonts_{};
  FigureStyle style_{};
  std::optional<Theme> theme_{};  ///< that style_ is of
  double scale_{};                ///< that fonts_ and style_ are of
  double screen_scale_{1.0};
};

}  // namespace orrery
