#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/view_state.h"
#include "experiments/experiment.h"
#include "experiments/figure/layout.h"
#include "experiments/figure/style.h"

namespace orrery {

/// What is set of one experiment.
struct ExperimentSettings {
  std::string experiment{};  ///< its name
  ParamSet params{{}};
  std::string figure{};                       ///< id of the figure on top; empty: the first
  std::map<std::string, FigureView> views{};  ///< by figure id; only those that were changed
  ViewState shown{};                          ///< layout, marks and the reference
  friend bool operator==(const ExperimentSettings&, const ExperimentSettings&) = default;
};

/// How everything looks.
struct Look {
  Theme theme{Theme::dark};
  double scale{1.0};                 ///< of everything on screen
  bool projector{false};             ///< large type, thick lines, nothing but the figure
  bool list{true};                   ///< whether the column of views is shown
  bool panel{true};                  ///< whether the column of parameters is shown
  std::optional<double> findings{};  ///< height of the checks at scale 1; 0: hidden; none: suits
  friend bool operator==(const Look&, const Look&) = default;
};

/// What the browser of saved results shows.
struct SavedShown {
  bool on_screen{};      ///< instead of a live view
  std::string folder{};  ///< of a sweep or a result; empty: none is open
  std::string point{};   ///< the folder of the chosen result
  friend bool operator==(const SavedShown&, const SavedShown&) = default;
};

inline constexpr double kLeastScale = 0.5, kLargestScale = 4.0;

/// All that undo brings back and the next start finds again.
struct DesktopState {
  std::size_t selected{};
  std::vector<ExperimentSettings> experiments{};
  Look look{};
  SavedShown saved{};
  friend bool operator==(const DesktopState&, const DesktopState&) = default;
};

// Names as they stand in text; a find_ is empty when there is none such.
std::string_view axis_scale_name(AxisScale scale);
std::optional<AxisScale> find_axis_scale(std::string_view name);
std::string_view layout_name(ViewLayout layout);
std::optional<ViewLayout> find_layout(std::string_view name);

/// What differs, in a few words: "dim = 256", "base = 5e5 and 2 more", "view of decay_bound".
/// Empty when nothing does.
std::string change_text(const DesktopState& before, const DesktopState& after);

}  // namespace orrery
