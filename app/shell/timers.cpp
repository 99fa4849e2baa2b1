#include "app/shell/timers.h"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

constexpr double note_seconds = 6.0;  // long enough to read a path

constexpr double rest_seconds = 3.0;

constexpr double seconds_to_double = 1.5;
// Near the start, where twice as far is no distance, it moves at this rate, in tokens per second.
constexpr double least_rate = 4;
constexpr double longest_frame = 0.1;  // a frame that took longer does not make it jump

/// The value of the parameter of a role; `otherwise` where the experiment reads none.
double number_of_role(const Session& session, ParamRole role, double otherwise) {
  const ParamSet& params = session.current().params;
  const ParamSpec* spec = params.with_role(role);
  return spec && params.is_used(spec->key) ? static_cast<double>(params.integer(spec->key))
                                           : otherwise;
}

double longest(const Session& session) {
  return number_of_role(session, ParamRole::longest_distance, 256);
}

/// The distance on screen: held, or else the one that is set.
double present(const Session& session) {
  if (session.links.held()) return *session.links.held();
  return number_of_role(session, ParamRole::distance, 1);
}

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

void RestTimer::update(Point mouse, bool busy, double seconds) {
  const bool moved = mouse.x != mouse_.x || mouse.y != mouse_.y;
  if (last_ < 0 || busy || moved) last_ = seconds;
  mouse_ = mouse;
  resting_ = seconds - last_ >= rest_seconds;
}

double RestTimer::due_in(double seconds) const {
  return resting_ ? -1.0 : std::max(0.0, last_ + rest_seconds - seconds);
}

void GrowingDistance::step(Session& session, double tokens) {
  turning_ = false;
  session.links.hold(std::clamp(present(session) + tokens, 1.0, longest(session)));
}

void GrowingDistance::update(Session& session, double seconds) {
  if (!turning_) return;
  // Whoever points or holds elsewhere goes on from there.
  const double shown = present(session);
  if (std::round(at_) != shown) at_ = shown;
  const double time = std::min(seconds, longest_frame);
  at_ = std::max(at_ * std::exp2(time / seconds_to_double), at_ + least_rate * time);
  if (at_ > longest(session)) at_ = 1.0;
  session.links.hold(std::round(at_));
}

}  // namespace orrery
