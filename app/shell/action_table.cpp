// The table of all actions: to add one, add a line here.
#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "app/shell/action_handler.h"

namespace orrery {
namespace {

constexpr std::string_view edit = "Settings", files = "Files and figures",
                           navigation = "Navigation", comparing = "Comparing",
                           computation = "Computation", appearance = "Appearance";

constexpr std::array zoom_sizes{0.5, 0.6,  0.75, 0.85, 1.0, 1.1, 1.25,
                                1.5, 1.75, 2.0,  2.5,  3.0, 4.0};

Shortcut key(int code) { return {.key = code}; }
Shortcut shifted(int code) { return {.key = code, .shift = true}; }
Shortcut control(int code) { return {.key = code, .control = true}; }
Shortcut control_shift(int code) { return {.key = code, .control = true, .shift = true}; }
Shortcut held(Shortcut shortcut) {
  shortcut.repeats = true;
  return shortcut;
}

Shortcut silent(Shortcut shortcut) {
  shortcut.silent = true;
  return shortcut;
}

double next_size(double size) {
  const auto* found = std::upper_bound(zoom_sizes.begin(), zoom_sizes.end(), size);
  return found == zoom_sizes.end() ? zoom_sizes.back() : *found;
}

double previous_size(double size) {
  const auto* found = std::lower_bound(zoom_sizes.begin(), zoom_sizes.end(), size);
  return found == zoom_sizes.begin() ? zoom_sizes.front() : *(found - 1);
}

Theme next_theme(Theme theme) {
  switch (theme) {
    case Theme::dark:
      return Theme::light;
    case Theme::light:
      return Theme::print;
    case Theme::print:
      return Theme::dark;
  }
  return Theme::dark;
}

void toggle(bool& shown) { shown = !shown; }

}  // namespace

// A table is read by its columns.
// clang-format off
// NOLINTNEXTLINE(readability-function-size): a table, without control flow.
Actions ActionHandler::make_table() {
  Workspace& work = to_.workspace;
  Overlays& over = to_.overlays;
  return {
      {"undo", edit, "Undo", "Undoes the last change to a setting, a view or the theme.",
       [this] { undo(); }, {held(control(GLFW_KEY_Z))}},
      {"redo", edit, "Redo", "Redoes the change that was undone last.",
       [this] { redo(); }, {held(control_shift(GLFW_KEY_Z)), held(control(GLFW_KEY_Y))}},
      {"copy_settings", edit, "Copy settings", "Copies the settings as text that a sweep file can use, too.",
       [this] { copy_settings(); }, {control(GLFW_KEY_C)}},
      {"paste_settings", edit, "Paste settings", "Applies settings that were copied as text.",
       [this] { paste_settings(); }, {control(GLFW_KEY_V)}},
      {"copy_command", edit, "Copy as command", "Copies the command line that gives the same numbers.",
       [this] { copy_command(); }, {control_shift(GLFW_KEY_C)}},
      {"reset_parameters", edit, "Reset to defaults", "Resets every parameter of this view to its default.",
       [this] { reset_parameters(); }},

      {"export", files, "Export figure …", "Saves the figure as shown (PNG, SVG or PDF) or its numbers (CSV).",
       [this] { to_.exports.request(); }, {control(GLFW_KEY_E)}},
      {"open", files, "Open …", "Opens a model, tensors (.npy, .npz, .safetensors), text, or a folder of results.",
       [&over] { over.files.ask(); }, {control(GLFW_KEY_O)}},
      {"saved_results", files, "Saved results", "Shows the saved results of runs and sweeps.",
       [&work] { work.show_saved(); }, {control_shift(GLFW_KEY_R)}},

      {"palette", navigation, "Command palette", "Finds views, figures, parameters and actions by name.",
       [&over] { over.palette.open(); }, {control(GLFW_KEY_K), control_shift(GLFW_KEY_P)}, true},
      {"manual", navigation, "Manual", "Shows the pages of the manual.",
       [this] { open_manual(); }, {key(GLFW_KEY_F1)}},
      {"questions", navigation, "Questions", "Shows the questions that the views answer.",
       [&over] { over.questions.open(); }, {key(GLFW_KEY_F2)}},
      {"shortcuts", navigation, "Shortcuts and gestures", "Lists keyboard shortcuts and mouse gestures.",
       [&over] { over.shortcuts.open(); }, {{.character = U'?'}}},
      {"next_view", navigation, "Next view", "Shows the next view in the list.",
       [&work] { work.step_view(1); }, {held(control(GLFW_KEY_PAGE_DOWN))}},
      {"previous_view", navigation, "Previous view", "Shows the previous view in the list.",
       [&work] { work.step_view(-1); }, {held(control(GLFW_KEY_PAGE_UP))}},
      {"next_figure", navigation, "Next figure", "Shows the next figure of this view.",
       [&work] { work.step_figure(1); }, {held(key(GLFW_KEY_PAGE_DOWN))}},
      {"previous_figure", navigation, "Previous figure", "Shows the previous figure of this view.",
       [&work] { work.step_figure(-1); }, {held(key(GLFW_KEY_PAGE_UP))}},
      {"grow_distance", navigation, "Let the distance grow", "Lets the distance that all figures show grow, or stops it; pauses a computation, or lets it go on.",
       [this] { press_space(); }, {key(GLFW_KEY_SPACE)}},
      {"farther", navigation, "One token farther", "Shows all figures at the next distance.",
       [&work, this] { to_.growing_distance.step(work.shown(), 1); }, {held({.character = U'.'})}},
      {"nearer", navigation, "One token nearer", "Shows all figures at the distance before.",
       [&work, this] { to_.growing_distance.step(work.shown(), -1); }, {held({.character = U','})}},
      {"fit", navigation, "Reset zoom", "Resets the zoom of every figure in this view.",
       [&work] { work.fit_figures(); }, {key(GLFW_KEY_HOME)}},

      {"pin_reference", comparing, "Pin as reference", "Keeps this result to compare others with: its curves stay in grey, up to four.",
       [this] { pin_shown(); }, {key(GLFW_KEY_P)}},
      {"unpin_references", comparing, "Unpin all references", "Removes every reference of this view.",
       [this] { unpin_all(); }, {shifted(GLFW_KEY_P)}},
      {"difference", comparing, "Difference from the reference", "Shows the result minus the reference pinned last, or the result again.",
       [this] { toggle_difference(); }, {key(GLFW_KEY_D)}},
      {"sweep_parameter", comparing, "Sweep a parameter …", "Draws the curves at several values of a number together: sweep base 100 1e6.",
       [&over] { over.palette.open_with("Sweep "); }, {key(GLFW_KEY_S)}},
      {"layout_single", comparing, "Layout: one figure", "Shows one figure of this view at a time.",
       [&work] { work.shown().shown().layout = ViewLayout::single; }, {key(GLFW_KEY_1)}},
      {"layout_side_by_side", comparing, "Layout: two figures side by side", "Shows two figures of this view side by side.",
       [&work] { work.shown().shown().layout = ViewLayout::side_by_side; }, {key(GLFW_KEY_2)}},
      {"layout_small_multiples", comparing, "Layout: all figures", "Shows all figures of this view at once, as small multiples.",
       [&work] { work.shown().shown().layout = ViewLayout::small_multiples; }, {key(GLFW_KEY_3)}},

      {"lessons", lessons_group, "Lessons", "Shows the lessons of the course.",
       [&over] { over.lessons.open(); }, {key(GLFW_KEY_F4)}},
      {"lesson_next", lessons_group, "Next step", "Reveals what the step hides, then goes on to the next step.",
       [this] { turn_page(true); }, {key(GLFW_KEY_SPACE), held(key(GLFW_KEY_RIGHT))}},
      {"lesson_back", lessons_group, "Step before", "Goes back to the step before.",
       [this] { turn_page(false); }, {key(GLFW_KEY_BACKSPACE), held(key(GLFW_KEY_LEFT))}},
      {"lesson_down", lessons_group, "Scroll the text down", "Scrolls the text of a long step.",
       [this] { scroll_lesson(0.8); }, {held(key(GLFW_KEY_PAGE_DOWN))}},
      {"lesson_up", lessons_group, "Scroll the text up", "Scrolls the text of a long step back.",
       [this] { scroll_lesson(-0.8); }, {held(key(GLFW_KEY_PAGE_UP))}},
      {"lesson_reveal", lessons_group, "Reveal", "Shows what the step hides.",
       [this] { to_.director.reveal(); }, {key(GLFW_KEY_ENTER)}},
      {"lesson_board", lessons_group, "Scoreboard", "Shows the scoreboard of the course, as far as it is settled.",
       [this] { if (to_.director.is_open()) to_.overlays.scoreboard.open(); }, {key(GLFW_KEY_B)}},
      {"lesson_restart", lessons_group, "Start the step again", "Sets what the step of the lesson set.",
       [this] { to_.director.restart(); }},
      {"lesson_explore", lessons_group, "Explore freely", "Opens a sandbox beside the step of the lesson; the step waits.",
       [this] { to_.director.explore(); }, {key(GLFW_KEY_E)}},
      {"lesson_leave", lessons_group, "Leave the lesson", "Leaves the sandbox, then the lesson; everything is as it was before.",
       [this] { leave_lesson(); }, {key(GLFW_KEY_ESCAPE)}},
      {"copy_step", lessons_group, "Copy as step", "Copies what is on screen as a step of a lesson, in Markdown.",
       [this] { copy_step(); }},

      {"recompute", computation, "Recompute", "Computes the current settings again.",
       [this] { recompute(); }, {control(GLFW_KEY_R)}},
      {"pause", computation, "Pause", "Pauses the computation of this view, or lets it go on: Space.",
       [this] { pause(); }},
      {"stop", computation, "Stop", "Stops the computation of this view.",
       [&work] { work.shown().stop(); }, {control(GLFW_KEY_PERIOD)}},
      {"jobs", computation, "Jobs", "Lists running computations and exports.",
       [&over] { over.jobs.open(); }, {control(GLFW_KEY_J)}},
      {"checks", computation, "Checks", "Lists the checked claims with their measured values.",
       [&over] { over.checks.open(); }, {control(GLFW_KEY_L)}},

      {"next_theme", appearance, "Next theme", "Switches from dark to light to print colours.",
       [this] { look().theme = next_theme(look().theme); }, {control(GLFW_KEY_T)}},
      {"larger", appearance, "Larger", "Makes everything larger.",
       [this] { look().scale = next_size(look().scale); },
       {held(control(GLFW_KEY_EQUAL)), silent(held(control_shift(GLFW_KEY_EQUAL))),
        silent(held(control(GLFW_KEY_KP_ADD)))}},
      {"smaller", appearance, "Smaller", "Makes everything smaller.",
       [this] { look().scale = previous_size(look().scale); },
       {held(control(GLFW_KEY_MINUS)), silent(held(control(GLFW_KEY_KP_SUBTRACT)))}},
      {"normal_size", appearance, "Normal size", "Resets the size to 100%.",
       [this] { look().scale = 1.0; }, {control(GLFW_KEY_0), silent(control(GLFW_KEY_KP_0))}},
      {"projector", appearance, "Projector mode", "Enlarges text and lines and hides all but the figure.",
       [this] { toggle(look().projector); }, {key(GLFW_KEY_F5)}},
      {"toggle_list", appearance, "List of views", "Shows or hides the list on the left.",
       [this] { look().show_list = !list_shown_; }, {control(GLFW_KEY_B)}},
      {"toggle_panel", appearance, "Parameters", "Shows or hides the parameters on the right.",
       [this] { look().show_panel = !params_shown_; }, {control(GLFW_KEY_P)}},
      {"toggle_findings", appearance, "Checks below the figure", "Shows or hides the checks and numbers below the figure.",
       [this] { toggle_findings(); }, {control(GLFW_KEY_D)}},
  };
}
// clang-format on

}  // namespace orrery
