#pragma once

#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/session.h"
#include "app/views/figure_stage.h"

namespace orrery {

/// The references in the row above the figures: a chip for each, which names what sets it apart and
/// removes it when it is clicked; a button that pins the result, and one that shows the difference.
class ReferenceChips {
 public:
  /// Lays them out in at most `room`, shortening names; where that is too little, the chips are
  /// left out.
  ReferenceChips(const Session& session, FigureOrigin origin, double room, const Ui& ui);
  double width() const { return width_; }
  /// Draws them from the cursor to the right. Changes session.shown().
  void draw(Session& session, const Ui& ui) const;

 private:
  struct Chip {
    std::string name{};   ///< whole
    std::string words{};  ///< as much of it as fits, with ×
  };
  void add_chips(const ExperimentState& state, double room, const Ui& ui);
  void draw_difference(Session& session, const Ui& ui) const;

  std::vector<Chip> chips_{};
  bool any_{};
  bool flipped_{};
  double width_{};
};

}  // namespace orrery
