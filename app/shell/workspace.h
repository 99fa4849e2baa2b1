#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "app/panels/result_browser.h"
#include "app/session/desktop_state.h"
#include "app/session/session.h"

namespace orrery {

/// The live session and the browser of saved results, one of which is on screen.
class Workspace {
 public:
  explicit Workspace(Session& live) : live_(live), browser_(live.wake()) {}

  Session& live() { return live_; }
  const Session& live() const { return live_; }
  ResultBrowser& browser() { return browser_; }
  const ResultBrowser& browser() const { return browser_; }
  bool is_browsing() const { return live_.saved.on_screen; }
  /// The session on screen.
  Session& shown() { return is_browsing() ? browser_.session() : live_; }
  /// Whether anything that will be shown is being computed or loaded.
  bool busy() const {
    return live_.busy() || live_.is_previewing() || live_.is_sweeping() || browser_.busy();
  }

  /// Takes what has been computed and loaded. Call once per frame.
  void update();
  void show_live() { live_.saved.on_screen = false; }
  void show_saved() { live_.saved.on_screen = true; }
  /// Shows the live view of an experiment.
  void show_view(std::size_t index);
  /// Shows the view or figure `by` places further in its list, which has no ends.
  void step_view(int by);
  void step_figure(int by);
  /// A question whose answer stands above the figures as long as its view is on screen, and whose
  /// control leads those below.
  void guide(std::size_t view, const Question& question) {
    guided_ = view;
    guide_ = question;
  }
  /// That of the view on screen; empty without one.
  const Question& guide() const {
    static const Question none;
    return !is_browsing() && live_.selected() == guided_ ? guide_ : none;
  }
  /// What is said in place of the question above the figures: nothing, or one sentence.
  void announce(std::optional<std::string> sentence) { announced_ = std::move(sentence); }
  const std::optional<std::string>& announced() const { return announced_; }
  /// Resets the zoom of all figures on screen.
  void fit_figures();
  /// The settings on screen; for a saved result those that it was computed with. Without any, says
  /// why and returns nothing.
  std::optional<ExperimentState> shown_settings();
  /// Does what a button of the browser asks for.
  void perform(ResultBrowser::Request request);

 private:
  Session& live_;
  ResultBrowser browser_;
  std::size_t guided_{};  ///< the view that guide_ is about
  Question guide_{};
  std::optional<std::string> announced_{};
};

/// Records the session's states for undo, telling changes by the user from those that follow by
/// themselves.
class UndoRecorder {
 public:
  /// Looks at mouse and keyboard. Call at the beginning of a frame.
  void begin_frame();
  /// Changes in the next frames are the user's doing.
  void note_input();
  /// Changes in the next frames follow from a step that is recorded already.
  void ignore_input() { input_frames_ = 0; }
  /// Changes from here on belong to this place, "" or a step of a lesson: undo stays within a step,
  /// and back at "" it is as it was before the lesson.
  void enter(const std::string& place);
  /// Records the session as it is at the end of a frame, at `seconds` of any steady clock.
  void record(const Session& session, double seconds);

  /// The state to bring back; empty when there is none.
  std::optional<DesktopState> undo();
  std::optional<DesktopState> redo();
  const History& history() const { return history_; }

 private:
  std::optional<DesktopState> travelled(std::optional<DesktopState> state);

  History history_{};
  std::string place_{};
  History outside_{};      ///< that of "" while a lesson is open
  int input_frames_{0};    ///< frames left in which changes are the user's doing
  bool travelled_{false};  ///< whether undo or redo changed this frame
};

}  // namespace orrery
