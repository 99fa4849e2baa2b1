#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/references.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/experiment.h"
#include "experiments/text/model_names.h"

namespace orrery {

/// How a figure is seen: as it is where its view was not changed.
FigureView view_in(const std::map<std::string, FigureView>& views, const std::string& figure);

/// The settings of one experiment.
struct ExperimentSettings {
  std::string experiment{};  ///< its name
  ParamSet params{{}};
  std::string figure{};                       ///< id of the figure on top; empty: the first
  std::map<std::string, FigureView> views{};  ///< by figure id; only those that were changed
  ViewState shown{};                          ///< layout, marks and references
  friend bool operator==(const ExperimentSettings&, const ExperimentSettings&) = default;
};

/// The appearance of the window.
struct Look {
  Theme theme{Theme::dark};
  double scale{1.0};      ///< scale of everything on screen
  bool projector{false};  ///< large type, thick lines, nothing but the figure
  // Whether the columns of views and of parameters are shown; empty: where the window is so wide
  // that the figure does not miss the room.
  std::optional<bool> show_list{};
  std::optional<bool> show_panel{};
  std::optional<double> findings{};  ///< height of the checks at scale 1; 0 hides them; empty: only
                                     ///< those that fail are shown
  friend bool operator==(const Look&, const Look&) = default;
};

/// The state of the browser of saved results.
struct SavedShown {
  bool on_screen{};      ///< instead of a live view
  std::string folder{};  ///< folder of a sweep or a result; empty: none is open
  std::string point{};   ///< the folder of the chosen result
  std::string hue{};     ///< setting that the colours of points drawn together tell; empty: chosen
  std::string facet{};   ///< setting that has a panel per value
  friend bool operator==(const SavedShown&, const SavedShown&) = default;
};

/// How far a lesson was read.
struct LessonProgress {
  std::size_t step{};  ///< the furthest that was shown, from 1
  friend bool operator==(const LessonProgress&, const LessonProgress&) = default;
};

inline constexpr double min_scale = 0.5, max_scale = 4.0;

/// The state that undo restores and the next start finds again.
struct DesktopState {
  std::size_t selected{};
  std::vector<ExperimentSettings> experiments{};
  Look look{};
  SavedShown saved{};
  friend bool operator==(const DesktopState&, const DesktopState&) = default;
};

/// Describes the difference: "dim = 256", "base = 5e5 and 2 more", "view of decay_bound". Empty
/// without one.
std::string change_text(const DesktopState& before, const DesktopState& after);

/// How many paths are remembered, the newest first.
inline constexpr std::size_t max_recent = 12;

/// Two lists that grew apart from `before`: what either got since comes first, `mine` before
/// `other`, each path once.
std::vector<std::string> united_paths(const std::vector<std::string>& before,
                                      const std::vector<std::string>& other,
                                      const std::vector<std::string>& mine);

/// Undo and redo. It compares the state from frame to frame, so that no change can be missed.
class History {
 public:
  /// The cause of a difference from the previous frame.
  enum class Cause {
    user,      ///< a new step
    gesture,   ///< still going on (a button held, a wheel turning): part of the step
    automatic  ///< followed by itself (a result arrived): part of the present, not a step
  };

  /// Call once per frame with the state after it, at `seconds` of any steady clock. Changes by the
  /// user less than `pause_seconds` apart, of the same thing, are one step.
  void observe(const DesktopState& state, Cause cause, double seconds);

  bool can_undo() const { return !past_.empty(); }
  bool can_redo() const { return !future_.empty(); }
  /// The state to go back to; empty when there is none. Observe it as automatic.
  std::optional<DesktopState> undo() { return travel(past_, future_); }
  std::optional<DesktopState> redo() { return travel(future_, past_); }
  /// Describes the change that undo() would undo and redo() would redo.
  std::string undo_text() const;
  std::string redo_text() const;

  static constexpr double pause_seconds = 0.6;
  static constexpr std::size_t max_steps = 500;

 private:
  bool continues(const DesktopState& state, double seconds) const;
  /// Takes the newest of `from` for the present, which goes to `to`.
  std::optional<DesktopState> travel(std::deque<DesktopState>& from, std::deque<DesktopState>& to);

  std::optional<DesktopState> present_{};
  std::deque<DesktopState> past_{}, future_{};  ///< the nearest at the end
  std::string last_change_{};  ///< the setting that the newest step changes, without its value
  double last_seconds_{};
  bool in_gesture_{false};
};

}  // namespace orrery
