#include "app/link_state.h"

#include <utility>

namespace orrery {

void LinkState::begin_frame(int number) {
  if (number == frame_) return;
  frame_ = number;
  shown_ = std::exchange(next_, {});
}

std::optional<double> LinkState::distance() const {
  return shown_.distance ? shown_.distance : held_;
}

}  // namespace orrery
