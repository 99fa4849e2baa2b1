#include "app/session/linked_cursor.h"

#include <utility>

namespace orrery {

void LinkedCursor::begin_frame(int number) {
  if (number == frame_) return;
  frame_ = number;
  shown_ = std::exchange(next_, {});
}

std::optional<double> LinkedCursor::distance() const {
  return shown_.distance ? shown_.distance : held_;
}

}  // namespace orrery
