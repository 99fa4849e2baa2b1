#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/session.h"
#include "app/session/view_state.h"
#include "app/views/figure_set.h"

namespace orrery::views {

/// The property by which small multiples are chosen and aligned.
enum class Grouping {
  none,
  by_kind,      ///< the weights of every encoding beside each other
  by_encoding,  ///< the terms of one encoding beside their sum
  by_page,      ///< the figures of one kind alone, which belong on a page
  stacked       ///< curves above a map of the same distances, everything else beside them
};

/// The default arrangement of an experiment, until its user changes it.
struct ViewPlan {
  ViewLayout layout{ViewLayout::single};
  std::string left{};   ///< kinds of two figures that belong side by side, ids where one of a kind
  std::string right{};  ///< empty: the first two
  Grouping grouping{Grouping::none};
  std::vector<std::string> controls{};  ///< the parameters that matter most, that first
  bool live{true};                      ///< whether settings can be changed
  /// Settings on which figures at a distance do not depend, and which save time.
  std::vector<std::pair<std::string, std::string>> preview_overrides{};
};

/// The figures of any result: one at a time, two side by side, or all as small multiples; compared
/// with a pinned reference, and turned to the distance pointed at. It only draws: all that it
/// remembers is where the mouse was.
class ResultView {
 public:
  explicit ResultView(ViewPlan plan);
  ResultView(ResultView&&) noexcept;
  ResultView& operator=(ResultView&&) noexcept;
  ~ResultView();

  /// Draws the current experiment's result, which must exist, into `area` of the current window,
  /// and the choice of figures and layout into `bar`, one line high; without a height there is
  /// none.
  void draw(Session& session, const Rect& bar, const Rect& area, const Ui& ui);

 private:
  class Arrangement;
  std::unique_ptr<Arrangement> arrangement_;
};

}  // namespace orrery::views
