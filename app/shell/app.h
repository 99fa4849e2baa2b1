#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gui/textures.h"
#include "app/gui/ui.h"
#include "app/panels/param_panel.h"
#include "app/player/director.h"
#include "app/player/figure_overlay.h"
#include "app/player/lesson_pane.h"
#include "app/session/session.h"
#include "app/session/session_file.h"
#include "app/shell/action_handler.h"
#include "app/shell/appearance.h"
#include "app/shell/overlays.h"
#include "app/shell/path_opener.h"
#include "app/shell/timers.h"
#include "app/shell/view_pane.h"
#include "app/shell/workspace.h"

namespace orrery {

/// The desktop's one window: the chosen view, controls and status below it and, where there is room
/// or they are asked for, the list of views at the left and all parameters at the right. It only
/// connects its parts. Needs a current ImGuiContextGuard; frame() calls nothing but Dear ImGui.
class App {
 public:
  /// `textures` must belong to the renderer that draws the frames.
  App(Session& session, std::unique_ptr<TextureBackend> textures);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Loads fonts and colours when the theme or the scale changed. Call before NewFrame. Returns
  /// whether the font atlas is new, so that the renderer uploads it.
  bool prepare() { return appearance_.update(live(), workspace_.shown()); }
  /// Everything between NewFrame and Render.
  void frame();

  /// Opens files and folders as if they were dropped on the window; see PathOpener.
  void drop(const std::vector<std::string>& paths) { opener_.drop(paths); }
  /// Assigns a file to the best-matching parameter.
  void drop_file(const std::string& path) { opener_.drop_file(path); }
  /// Opens a path in the background; see PathOpener.
  void open_path(const std::filesystem::path& path) { opener_.open(path); }

  /// Opens a lesson at a step from 0. Throws UsageError, IoError.
  void open_lesson(const std::string& name, std::size_t step = 0) { director_.open(name, step); }
  Director& director() { return director_; }

  /// Tells what happened in the status line, for some seconds.
  void note(std::string text) { live().note(std::move(text)); }
  /// After the context that held them was lost: images are uploaded again when they are drawn.
  void forget_textures() { textures_.forget(); }

  const Actions& actions() const { return actions_.actions(); }
  /// Performs an action by its name, as its shortcut would. Throws UsageError when there is none.
  void perform(std::string_view name) { actions_.perform(name); }

  /// Keeps the session in this file from now on, and at the end.
  void keep_session(const std::filesystem::path& path) { keeper_.emplace(live(), path); }
  /// Whether anything that will be shown is being computed or loaded.
  bool busy() const { return workspace_.busy() || opener_.busy() || director_.is_computing(); }
  /// Seconds until something happens without an event; negative when nothing will.
  double due_in() const;

  const ResultBrowser& browser() const { return workspace_.browser(); }
  bool is_browsing() const { return workspace_.is_browsing(); }
  ExportDialog& exports() { return overlays_.exports; }
  const History& history() const { return undo_.history(); }
  /// Where items lay in the last frame.
  const ItemRects& item_rects() const { return item_rects_; }

  /// Replaces installed_fonts, for tests.
  void find_fonts_with(std::function<std::vector<InstalledFont>()> finder) {
    appearance_.find_fonts_with(std::move(finder));
  }
  /// Multiplies the session's scale: the pixels that a screen has per point.
  void set_screen_scale(double scale) { appearance_.set_screen_scale(scale); }

 private:
  Session& live() { return workspace_.live(); }
  void update();
  void draw(const Ui& ui);
  Regions regions(const Ui& ui) const;
  void draw_lesson(const Rect& area, const Ui& ui);
  std::optional<NextStep> next_step() const;
  double next_step_width(const Ui& ui) const;
  void draw_next_step(bool behind_controls, const Ui& ui);
  /// How many doors a bar of this width has.
  std::size_t doors_in(double width, const Ui& ui) const;
  void draw_doors(std::size_t count, float top, const Ui& ui);
  bool step_has_no_controls() const;
  std::optional<Scoreboard> projected_board() const;
  void draw_projected_board(const Scoreboard& board, const Rect& area, const Ui& ui);
  std::optional<double> projected_height(const Ui& ui) const;
  void draw_controls(double width, const Ui& ui);
  void announce();
  void draw_params(const Rect& area, const Ui& ui);
  void draw_bar(const Rect& area, bool with_controls, const Ui& ui);
  void draw_overlays(const Ui& ui);
  void guide_first();
  void record();

  TextureCache textures_;
  ItemRects item_rects_{};
  Appearance appearance_{};
  Workspace workspace_;
  Overlays overlays_;
  ParamPanel params_{};
  LinkedFormulas formulas_{};
  UndoRecorder undo_{};
  PathOpener opener_;
  ExportRequester exports_;
  GrowingDistance growing_distance_{};
  Director director_;
  LessonPane lesson_pane_{};
  FigureOverlay figure_overlay_{};
  ActionHandler actions_;
  ViewPane view_pane_;
  NoteTimer note_timer_{};
  RestTimer rest_{};
  bool projects_{false};
  std::optional<SessionKeeper> keeper_{};
};

}  // namespace orrery
