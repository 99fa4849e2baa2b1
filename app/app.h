#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/actions.h"
#include "app/canvas/textures.h"
#include "app/equation_view.h"
#include "app/export_dialog.h"
#include "app/file_dialog.h"
#include "app/fonts.h"
#include "app/history.h"
#include "app/jobs_panel.h"
#include "app/opened_path.h"
#include "app/palette.h"
#include "app/param_panel.h"
#include "app/places.h"
#include "app/result_browser.h"
#include "app/session.h"
#include "app/session_file.h"
#include "app/shortcut_sheet.h"
#include "app/target_dialog.h"
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
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  /// Loads fonts and colours when the theme or the scale changed. Call before NewFrame. Returns
  /// whether the font atlas is new, so that the renderer uploads it.
  bool prepare();
  /// Everything between NewFrame and Render.
  void frame();
  /// Files and folders that were dropped on the window. One file that several parameters could read
  /// is asked about; several files fill the parameters in turn.
  void drop(const std::vector<std::string>& paths);
  /// A file, to the parameter that suits it best.
  void drop_file(const std::string& path);
  /// Looks at a path in the background and shows what it is: a result or a sweep in the browser, a
  /// file in the parameter that it suits.
  void open_path(const std::filesystem::path& path);
  const ResultBrowser& browser() const { return browser_; }
  bool is_browsing() const { return session_.saved.on_screen; }
  /// Whether anything that will be shown is being computed or read.
  bool busy() const {
    return session_.busy() || session_.is_previewing() || browser_.busy() || opening_.is_running();
  }
  /// Does what an action says, as its key would.
  void perform(ActionId id);
  /// Keeps the session in this file from now on, and at the end.
  void keep_session(const std::filesystem::path& path) { keeper_.emplace(session_, path); }
  /// Seconds until something happens without an event; negative when nothing will.
  double due_in() const;
  /// Where glyphs are looked for; installed_fonts unless a test says otherwise.
  void find_fonts_with(std::function<std::vector<InstalledFont>()> finder) {
    find_fonts_ = std::move(finder);
  }
  ExportDialog& exports() { return export_; }
  /// Where things lay in the last frame.
  const Places& places() const { return places_; }
  const History& history() const { return history_; }
  /// Multiplies the session's scale: the pixels a screen has to a point.
  void set_screen_scale(double scale) { screen_scale_ = scale; }

 private:
  struct Regions {
    Rect list{}, view{}, params{}, status{};
  };
  Regions regions() const;
  double shown_scale() const;
  void press_keys();
  void fade_note();
  bool find_glyphs();
  void drag_findings(const Rect& gap, double shown, const Ui& ui);
  void remember();
  void travel(const std::optional<DesktopState>& state, std::string_view verb,
              const std::string& change);
  void copy(const std::string& text, std::string note);
  void paste();
  void step_view(int by);
  void step_figure(int by);
  void fit_figures();
  void take(const PaletteEntry& entry);
  bool is_covered() const;
  void draw_overlays(const Ui& ui);
  void draw_menu(const Ui& ui);
  /// What is on screen: the live session, or that of the browser.
  Session& shown() { return is_browsing() ? browser_.session() : session_; }
  void show_view(std::size_t index);
  void take_opened();
  void bring_saved_back();
  void grant(ResultBrowser::Wish wish);
  std::optional<ExperimentState> shown_settings();
  void assign(const std::string& path);
  void ask_export();
  void draw_list(const Rect& area, const Ui& ui);
  void draw_view(const Rect& area, const Ui& ui);
  void draw_heading(const Rect& area, const Ui& ui);
  void draw_view_choice(const Rect& area);
  double draw_above_figures(const Rect& inner, double top, const Ui& ui);
  void draw_empty(const Rect& area, const Ui& ui);
  void draw_params(const Rect& area, const Ui& ui);

  Session& session_;
  TextureCache textures_;
  Places places_{};
  std::vector<std::unique_ptr<View>> views_{};  ///< one an experiment of the session
  ParamPanel params_{};
  EquationView equations_{};
  SymbolLink link_{};       ///< what was pointed at in the frame before
  SymbolLink next_link_{};  ///< what is pointed at in this one
  Palette palette_{};
  ShortcutSheet sheet_{};
  ExportDialog export_;
  FileDialog files_;
  TargetDialog target_{};
  JobsPanel jobs_{};
  ChecksSheet checks_{};
  Task<OpenedPath> opening_{};
  ResultBrowser browser_;
  bool restoring_{false};  ///< whether the browser does not show yet what the session says
  History history_{};
  std::optional<SessionKeeper> keeper_{};
  std::uint64_t notes_seen_{0};
  double note_until_{-1};      ///< of ImGui's clock; below 0 when there is no note
  bool export_wanted_{false};  ///< of what this frame draws
  int hand_frames_{0};         ///< for so many frames what changes is the hand's doing
  bool travelled_{false};      ///< whether undo or redo was this frame's doing
  std::optional<Fonts> fonts_{};
  std::function<std::vector<InstalledFont>()> find_fonts_{installed_fonts};
  std::set<std::string> said_{};  ///< packages that were named
  Characters foreign_{};          ///< what has been looked for in other fonts
  GlyphPlan glyphs_{};            ///< where it was found
  FigureStyle style_{};
  std::optional<Theme> theme_{};  ///< that style_ is of
  double scale_{};                ///< that fonts_ and style_ are of
  bool projected_{false};         ///< whether style_ is the projector's
  double screen_scale_{1.0};
};

}  // namespace orrery
