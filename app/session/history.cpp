#include "app/session/history.h"

#include <utility>

namespace orrery {
namespace {

/// The changed setting without its value: "dim" of "dim = 256".
std::string subject(const std::string& change) { return change.substr(0, change.find(" = ")); }

/// A view that is drawn for the first time stores its first figure, which is not a choice by the
/// user. Copies those figures from `state` into `present`.
void take_first_figures(DesktopState& present, const DesktopState& state) {
  if (present.experiments.size() != state.experiments.size()) return;
  for (std::size_t i = 0; i < state.experiments.size(); ++i) {
    ExperimentSettings& mine = present.experiments[i];
    const ExperimentSettings& its = state.experiments[i];
    if (mine.figure.empty()) mine.figure = its.figure;
    if (mine.shown.second_figure.empty()) mine.shown.second_figure = its.shown.second_figure;
  }
}

}  // namespace

bool History::continues(const DesktopState& state, double seconds) const {
  if (past_.empty() || last_change_.empty()) return false;
  if (in_gesture_) return true;
  return seconds - last_seconds_ < pause_seconds &&
         subject(change_text(*present_, state)) == last_change_;
}

void History::observe(const DesktopState& state, Cause cause, double seconds) {
  if (present_) take_first_figures(*present_, state);
  const bool changed = !present_ || !(*present_ == state);
  if (!present_ || (changed && cause == Cause::automatic)) {
    present_ = state;
  } else if (changed) {
    future_.clear();
    if (!continues(state, seconds)) {
      last_change_ = subject(change_text(*present_, state));
      past_.push_back(std::move(*present_));
      if (past_.size() > max_steps) past_.pop_front();
    }
    present_ = state;
    last_seconds_ = seconds;
    in_gesture_ = cause == Cause::gesture;
  }
  if (cause != Cause::gesture) in_gesture_ = false;
}

std::optional<DesktopState> History::undo() {
  if (past_.empty()) return std::nullopt;
  future_.push_front(std::move(*present_));
  present_ = std::move(past_.back());
  past_.pop_back();
  last_change_.clear();
  in_gesture_ = false;
  return present_;
}

std::optional<DesktopState> History::redo() {
  if (future_.empty()) return std::nullopt;
  past_.push_back(std::move(*present_));
  present_ = std::move(future_.front());
  future_.pop_front();
  last_change_.clear();
  in_gesture_ = false;
  return present_;
}

std::string History::undo_text() const {
  return past_.empty() ? std::string() : change_text(past_.back(), *present_);
}

std::string History::redo_text() const {
  return future_.empty() ? std::string() : change_text(*present_, future_.front());
}

}  // namespace orrery
