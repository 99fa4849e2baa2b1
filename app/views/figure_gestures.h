#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/references.h"
#include "app/views/figures.h"
#include "app/views/gestures.h"
#include "app/views/subtraction.h"
#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/figure.h"
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

/// A figure as it lies under the mouse in one frame; gestures change its view and its marks.
struct FigureInput {
  const Figure& figure;
  FigureView& view;
  const FigureReach& reach;
  const FigureLayout& frame;
  const Ui& ui;
  Point cursor;
  bool hovered;
};

bool has_plot(const FigureLayout& frame);
/// The point of `area` that is nearest to `p`.
Point clamped(Point p, const Rect& area);

/// Turns mouse and keyboard into changes of a figure: pans, zooms, fits, pins, drags cursors,
/// reference lines and the colour range. figure_shortcuts() lists all of it.
class FigureGestures {
 public:
  /// Begins a press of a mouse button on the figure.
  void press(const FigureInput& input);
  /// Follows the drag that a press began, until the button is released. Call once per frame.
  void follow(const FigureInput& input);
  /// Handles wheel and double click of a mouse over the figure.
  void hover(const FigureInput& input);
  /// Does what a key asks for.
  void obey(const FigureInput& input, FigureCommand command);

  /// Whether a button is held that was pressed on the figure.
  bool is_held() const { return drag_ != Drag::none; }
  /// Whether nothing is being dragged, so that the readout is shown.
  bool is_resting() const { return drag_ == Drag::none || drag_ == Drag::press; }
  /// The direction of the line that is being dragged; empty without one.
  std::optional<Rule::Direction> dragged_rule() const {
    return drag_ == Drag::rule ? std::optional(rule_.direction) : std::nullopt;
  }
  /// The box being dragged to zoom into; empty without one.
  std::optional<Rect> box(const FigureInput& input) const;
  /// Where the menu was opened last.
  Point menu_position() const { return menu_at_; }

 private:
  enum class Drag { none, press, pan, box, cursor, color, rule };

  bool press_on_marks(const FigureInput& input);
  void follow_pan(const FigureInput& input);
  void follow_cursor(const FigureInput& input);
  void follow_rule(const FigureInput& input) const;
  void shape_mouse(const FigureInput& input) const;
  void release(const FigureInput& input);
  void click(const FigureInput& input);
  /// Sets the parameters of a map's two lines, a row's and a column's, to the cell that was clicked.
  bool choose_cell(const FigureInput& input) const;
  void double_click(const FigureInput& input);
  void finish_box(const FigureInput& input);
  void open_menu(Point at);

  Drag drag_{Drag::none};
  bool along_x_{true};  ///< which axes a pan moves
  bool along_y_{true};
  std::size_t grabbed_{};  ///< which of the two cursors is dragged
  Rule rule_{};            ///< the line that is dragged, as it was
  ColorGrip grip_{ColorGrip::none};
  Point anchor_{};           ///< where the drag began
  FigureLayout anchored_{};  ///< the frame in which it began
  Point menu_at_{};
  std::optional<double> clicked_{};  ///< pinned by the last click; a double click removes it again
  bool swallows_release_{false};
};

}  // namespace orrery
