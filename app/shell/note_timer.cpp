#include "app/shell/note_timer.h"

#include <algorithm>

namespace orrery {
namespace {

constexpr double note_seconds = 6.0;  // long enough to read a path

}  // namespace

void NoteTimer::update(Session& session, double seconds) {
  if (session.notes() != seen_) removal_time_ = seconds + note_seconds;
  if (removal_time_ && seconds >= *removal_time_) {
    session.note({});
    removal_time_.reset();
  }
  seen_ = session.notes();
}

double NoteTimer::due_in(double seconds) const {
  return removal_time_ ? std::max(0.0, *removal_time_ - seconds) : -1.0;
}

}  // namespace orrery
