#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <string_view>

namespace orrery {

struct Result;

/// Thrown by checkpoint() when the caller asked to stop; ends a job quietly.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped on request"; }
};

/// Receives the progress of long work and asks it to stop. Called from the thread of the work.
class Progress {
 public:
  virtual ~Progress() = default;
  /// fraction in [0, 1] of the whole; stage is a short phrase such as "logits".
  virtual void update(double fraction, std::string_view stage) = 0;
  virtual bool stop_requested() const = 0;
  /// A sentence about work that has only begun: how long it will take.
  virtual void tell(std::string_view) {}
  /// Whether it would look at what was found so far. Work that takes seconds asks now and then, and
  /// shows it: a result of status "stopped", with the figures that it will have in the end.
  virtual bool wants_to_see() const { return false; }
  virtual void see(std::shared_ptr<Result>) {}  // NOLINT(performance-unnecessary-value-param)
};

/// Reports, and throws Stopped when a stop was requested. Call it every few milliseconds of work.
inline void checkpoint(Progress& progress, double fraction, std::string_view stage) {
  if (progress.stop_requested()) throw Stopped();
  progress.update(fraction, stage);
}

/// The same before step `step` of `count`, counted from 0.
inline void checkpoint(Progress& progress, std::size_t step, std::size_t count,
                       std::string_view stage) {
  checkpoint(progress, static_cast<double>(step) / static_cast<double>(count), stage);
}

/// For callers that show no progress.
class SilentProgress : public Progress {
 public:
  void update(double, std::string_view) override {}
  bool stop_requested() const override { return false; }
};

}  // namespace orrery
