#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/view_state.h"
#include "app/views/subtraction.h"
#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/result.h"

namespace orrery {

/// The largest count that is copied; more belong into a file.
inline constexpr std::size_t max_copied = 1'000'000;

/// The number of values in values_text.
std::size_t value_count(const Figure& figure, const FigureView& view, const FigureLayout& frame);

/// The visible numbers as tab-separated lines that a spreadsheet can paste: the visible
/// curves (x once where they share it), the visible cells of a map, the arrows, the table. Every
/// digit is kept; a masked cell is empty, and NaN is written out.
std::string values_text(const Figure& figure, const FigureView& view, const FigureLayout& frame);

/// The state that a figure's gestures change or need besides its zoom.
struct FigureReach {
  FigureMarks& marks;
  LinkedCursor& links;
  std::shared_ptr<const void> owner{};  ///< keeps the figure's arrays alive; may be null
  const Result* result{};               ///< holds the terms of a cell; may be null
  std::function<void(const std::string& extension)> export_as{};  ///< empty: not offered
  /// Lines of the figure, of which those that show a parameter are dragged to set it.
  std::span<const Rule> rules{};
  std::function<void(const std::string& param, double at)> set_param{};
  /// What may be subtracted from the figure, with what is; empty: nothing is offered.
  std::function<std::vector<MinusChoice>()> minus_choices{};
  std::optional<Subtrahend> minus{};
  std::function<void(const std::optional<Subtrahend>&)> subtract{};
};

/// The right-click menu of a figure, opened by ImGui::OpenPopup(figure_menu) in the same window:
/// scales and thresholds, fit, curves, pins and cursors, minification, copies, export. `at` is
/// where it was opened. Returns whether it is open.
inline constexpr const char* figure_menu = "figure menu";
bool draw_figure_menu(const Figure& figure, FigureView& view, const FigureReach& reach,
                      const FigureLayout& frame, Point at, const Ui& ui);

}  // namespace orrery
