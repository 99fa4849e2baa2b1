#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/view_state.h"
#include "app/views/figure_set.h"
#include "app/views/view.h"

namespace orrery {

/// What small multiples are chosen and lined up by.
enum class Grouping {
  none,
  by_kind,     ///< what ids begin with: the weights of every encoding beside each other
  by_encoding  ///< whose logits they are: the terms of one encoding beside their sum
};

/// What suits an experiment until its user says otherwise.
struct ViewPlan {
  ViewLayout layout{ViewLayout::single};
  std::string left{};   ///< beginnings of the ids of two figures that belong side by side
  std::string right{};  ///< empty: the first two
  Grouping grouping{Grouping::none};
  std::vector<BoundRule> rules{};
  /// Settings on which figures at a distance do not depend, and which save time.
  std::vector<std::pair<std::string, std::string>> cheaper{};
};

/// The figures of any result: one at a time, two side by side, or all as small multiples; compared
/// with a pinned reference, and turned to the distance pointed at.
std::unique_ptr<View> make_result_view(ViewPlan plan);

}  // namespace orrery
