#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/link_state.h"
#include "app/ui.h"
#include "app/view_state.h"
#include "experiments/figure/layout.h"
#include "experiments/result.h"

namespace orrery {

/// What a figure under the mouse reaches besides its own view.
struct FigureReach {
  FigureMarks& marks;
  LinkState& links;
  std::shared_ptr<const void> owner{};  ///< keeps the figure's numbers; null: nothing is kept
  const Result* result{};               ///< whose arrays hold the terms of a cell; may be null
  std::function<void(const std::string& extension)> export_as{};  ///< empty: not offered
  const Rule* rule{};  ///< a reference line that can be dragged; or null
  std::function<void(double at)> move_rule{};
};

/// The right-click menu of a figure, opened by ImGui::OpenPopup(kFigureMenu) in the same window:
/// scales and thresholds, fit, curves, pins and cursors, minification, copies, export. `at` is
/// where it was opened. Returns whether it is open.
inline constexpr const char* kFigureMenu = "figure menu";
bool draw_figure_menu(const Figure& figure, FigureView& view, const FigureReach& reach,
                      const FigureFrame& frame, Point at, const Ui& ui);

}  // namespace orrery
