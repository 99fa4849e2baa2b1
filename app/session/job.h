#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/session/layers.h"
#include "experiments/model/progress.h"
#include "experiments/model/result.h"

namespace orrery::session {

/// Runs work in the background, one piece at a time, of which only the newest matters. No call
/// waits for work except the destructor, which asks it to stop first.
class Job {
 public:
  using Work = std::function<Result(Progress&)>;
  using Clock = std::chrono::steady_clock;

  struct Outcome {
    std::uint64_t ticket{};                  ///< what submit() returned for it
    std::shared_ptr<const Result> result{};  ///< null when it failed or was stopped
    std::exception_ptr failure{};            ///< null unless it failed
    std::string error{};                     ///< its message
    double seconds{};
  };
  struct Status {
    bool busy{};  ///< running, or about to
    double fraction{};
    std::string stage{};
    double seconds{};  ///< since the running work began
  };

  /// `wake` is called from the worker's thread whenever there is something new to show. Work that
  /// is overtaken by newer work is asked to stop once it has run for `patience`: short work
  /// finishes, so that a picture follows a dragged slider; long work makes room.
  explicit Job(std::function<void()> wake,
               Clock::duration patience = std::chrono::milliseconds(150));
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Replaces work that has not begun. Tickets grow.
  std::uint64_t submit(Work work);
  /// Drops what has not begun and asks what runs to stop.
  void stop();
  Status status() const;
  /// The newest outcome, once. Failures and stops of overtaken work are dropped.
  std::optional<Outcome> take();

 private:
  class JobProgress;
  struct Request {
    std::uint64_t ticket{};
    Work work{};
  };

  void loop();
  void run(const Request& request);
  void publish(Outcome outcome);
  void report(double fraction, std::string_view stage);
  bool should_stop(std::uint64_t ticket) const;

  const std::function<void()> wake_;
  const Clock::duration patience_;
  mutable std::mutex mutex_{};
  std::condition_variable wanted_{};
  // Everything below is guarded by mutex_.
  std::optional<Request> pending_{};
  std::optional<Outcome> outcome_{};
  std::uint64_t last_ticket_{0};
  std::uint64_t stopped_ticket_{0};  ///< this and older ones are to stop at once
  bool running_{false};
  bool quitting_{false};
  double fraction_{};
  std::string stage_{};
  Clock::time_point began_{};
  Clock::time_point woken_{};
  std::thread thread_;  ///< last: starts when all else is there
};

}  // namespace orrery::session
