#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/views/figure_set.h"

namespace orrery {

/// Curves above a map of the same distances, their axes in line, and everything else in a column
/// beside them. Of several maps one is shown, with the wavelengths of its rows beside it where they
/// are pairs.
class StackedFigures {
 public:
  /// Places the figures in `room`, with the choice of the map in `bar`. `set` says how much room
  /// axes and titles took in the last frame.
  std::vector<PlacedFigure> place(Session& session, const Figures& figures, const Rect& bar,
                                  const Rect& room, const Result& result, const FigureSet& set,
                                  const Ui& ui);
  /// Draws what belongs to the map beside it, after the figures.
  void draw_beside(Session& session, const Result& result, const FigureSet& set, bool live,
                   const Ui& ui) const;

 private:
  void align(std::vector<PlacedFigure>& column, const FigureSet& set);

  FigurePtr map_{};                        ///< the map shown in this frame
  std::map<std::string, Range> insets_{};  ///< of the axes in the last frame, by figure
  Rect wavelengths_{};                     ///< beside it; without a width there are none
};

}  // namespace orrery
