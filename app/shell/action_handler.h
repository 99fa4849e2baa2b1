#pragma once

#include <string>
#include <string_view>

#include "app/dialogs/palette.h"
#include "app/panels/param_panel.h"
#include "app/player/director.h"
#include "app/session/actions.h"
#include "app/shell/overlays.h"
#include "app/shell/path_opener.h"
#include "app/shell/timers.h"
#include "app/shell/workspace.h"

namespace orrery {

/// The heading of the actions whose keys come first while a lesson is open.
inline constexpr std::string_view lessons_group = "Lessons";

/// Performs actions, each by the function in its line of the table.
class ActionHandler {
 public:
  /// The parts of the desktop that actions change.
  struct Targets {
    Workspace& workspace;
    Overlays& overlays;
    ParamPanel& params;
    UndoRecorder& undo;
    PathOpener& opener;
    ExportRequester& exports;
    GrowingDistance& growing_distance;
    Director& director;
  };

  explicit ActionHandler(const Targets& targets);
  ActionHandler(const ActionHandler&) = delete;
  ActionHandler& operator=(const ActionHandler&) = delete;

  const Actions& actions() const { return actions_; }
  /// Performs an action as its shortcut would. Does nothing without experiments.
  void perform(const Action& action);
  /// Throws UsageError when there is no action of that name.
  void perform(std::string_view name);
  /// Performs the action whose shortcut was pressed in this frame.
  void press_keys();
  /// Which columns are on screen, so that they can be switched.
  void note_columns(bool list, bool params) {
    list_shown_ = list;
    params_shown_ = params;
  }
  /// Shows the view that answers a question, by its number in questions().
  void ask(std::size_t question);
  /// Opens a lesson, see lessons_named, at a step from 0; says why where that is not possible.
  void open_lesson(const std::string& name, std::size_t step = 0);
  /// Follows a link of a lesson: "experiment:rotation", "preset:roformer_figure_2".
  void follow(const std::string& link);
  /// Does what was chosen in the palette.
  void take(const PaletteEntry& entry);

 private:
  Actions make_table();

  bool close_by_key();
  void sweep(const PaletteEntry& entry);
  void show_preset(const std::string& name);
  void undo();
  void redo();
  void travel(const std::optional<DesktopState>& state, std::string_view verb,
              const std::string& change);
  void copy_settings();
  void paste_settings();
  void copy_step();
  void turn_page(bool on);
  void pause();
  void press_space();
  void scroll_lesson(double pages);
  void leave_lesson();
  void open_manual();
  void copy_command();
  void copy(const std::string& text, std::string note);
  void reset_parameters();
  void recompute();
  void toggle_findings();
  void pin_shown();
  void unpin_all();
  void toggle_difference();
  Look& look() { return to_.workspace.live().look; }

  Targets to_;
  Actions actions_;
  Actions lesson_actions_;        ///< those that come first while a lesson is open
  std::string_view opened_by_{};  ///< the action that opened the sheet on screen
  bool list_shown_{};
  bool params_shown_{};
};

}  // namespace orrery
