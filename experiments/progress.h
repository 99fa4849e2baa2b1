#pragma once

#include <exception>
#include <string_view>

namespace orrery {

/// Thrown by checkpoint() when the caller asked to stop; ends a job quietly.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped on request"; }
};

/// How long work talks to whoever waits for it. Implementations are called from the job's thread.
class Progress {
 public:
  virtual ~Progress() = default;
  /// fraction in [0, 1] of the whole; stage is a short phrase such as "logits".
  virtual void update(double fraction, std::string_view stage) = 0;
  virtual bool stop_requested() const = 0;
};

/// Reports, and throws Stopped when a stop was requested. Call it every few milliseconds of work.
inline void checkpoint(Progress& progress, double fraction, std::string_view stage) {
  if (progress.stop_requested()) throw Stopped();
  progress.update(fraction, stage);
}

/// For callers who do not care.
class SilentProgress : public Progress {
 public:
  void update(double, std::string_view) override {}
  bool stop_requested() const override { return false; }
};

}  // namespace orrery
