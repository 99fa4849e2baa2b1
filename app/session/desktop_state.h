#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/view_state.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/experiment.h"
#include "experiments/text/model_names.h"

namespace orrery {

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

}  // namespace orrery
