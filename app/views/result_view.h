#pragma once

#include <memory>
#include <string>

#include "app/view_state.h"
#include "app/views/view.h"

namespace orrery {

/// What suits an experiment until its user says otherwise.
struct ViewPlan {
  ViewLayout layout{ViewLayout::single};
  std::string left{};   ///< beginnings of the ids of two figures that belong side by side
  std::string right{};  ///< empty: the first two
  bool by_kind{false};  ///< small multiples are of kinds, which ids begin with ("weights_rope")
};

/// The figures of any result: one at a time, two side by side, or all as small multiples; compared
/// with a pinned reference, and turned to the distance pointed at.
std::unique_ptr<View> make_result_view(ViewPlan plan);

}  // namespace orrery
