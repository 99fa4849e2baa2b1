#pragma once

#include <map>
#include <span>
#include <string>

#include "app/session.h"
#include "app/ui.h"
#include "app/views/figure_widget.h"

namespace orrery {

/// The figures of a result, in the two arrangements that views are made of.
class FigureSet {
 public:
  /// A row of titles with the chosen figure below; a single figure has no row.
  void draw_tabs(Session& session, std::span<const Figure> figures, const Rect& area, const Ui& ui);
  /// All of them side by side in so many columns; maps of one shape pan and zoom together.
  void draw_grid(Session& session, std::span<const Figure* const> figures, std::size_t columns,
                 const Rect& area, const Ui& ui);
  /// The widget of a figure that was drawn; null before.
  const FigureWidget* widget(const std::string& figure_id) const;

 private:
  void draw_one(Session& session, const Figure& figure, const Rect& area, const Ui& ui);

  std::map<std::string, FigureWidget> widgets_{};
};

/// A row of words of which one is chosen, over several lines if need be. Returns the height used;
/// a click changes `chosen`.
double draw_tab_row(std::span<const std::string> labels, std::size_t& chosen, const Rect& area,
                    const Ui& ui);

/// Columns that make `count` cells of the given shape largest in `area`.
std::size_t best_columns(std::size_t count, double width, double height);

}  // namespace orrery
