#include "app/shell/rest_timer.h"

#include <algorithm>

namespace orrery {
namespace {

constexpr double rest_seconds = 3.0;

}  // namespace

void RestTimer::update(Point mouse, bool busy, double seconds) {
  const bool moved = mouse.x != mouse_.x || mouse.y != mouse_.y;
  if (last_ < 0 || busy || moved) last_ = seconds;
  mouse_ = mouse;
  resting_ = seconds - last_ >= rest_seconds;
}

double RestTimer::due_in(double seconds) const {
  return resting_ ? -1.0 : std::max(0.0, last_ + rest_seconds - seconds);
}

}  // namespace orrery
