#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace orrery {

/// How many tasks of this process are at work, dropped ones included. See leave().
inline std::atomic<int> running_tasks{0};

/// A piece of work on a thread of its own, whose value is taken when it is there. Nothing waits for
/// it but wait(): a task that is dropped leaves its work to end by itself, as reading a folder of a
/// server that does not answer may take forever.
template <class T>
class BackgroundTask {
 public:
  /// The value, or the error that prevented it.
  struct Outcome {
    std::optional<T> value{};
    std::string error{};
  };

  BackgroundTask() = default;
  /// `wake` is called from the thread once the outcome is there.
  BackgroundTask(std::function<T()> work, std::function<void()> wake)
      : shared_(std::make_shared<Shared>()) {
    ++running_tasks;
    std::thread([shared = shared_, work = std::move(work), wake = std::move(wake)] {
      shared->publish(run(work));
      if (wake) wake();
      --running_tasks;
    }).detach();
  }

  bool is_running() const {
    if (!shared_) return false;
    const std::lock_guard lock(shared_->mutex);
    return !shared_->done;
  }
  /// The outcome, once.
  std::optional<Outcome> take() {
    if (!shared_) return std::nullopt;
    const std::lock_guard lock(shared_->mutex);
    return std::exchange(shared_->outcome, std::nullopt);
  }
  void wait() const {
    if (!shared_) return;
    std::unique_lock lock(shared_->mutex);
    shared_->changed.wait(lock, [this] { return shared_->done; });
  }

 private:
  struct Shared {
    std::mutex mutex{};
    std::condition_variable changed{};
    bool done{false};
    std::optional<Outcome> outcome{};

    void publish(Outcome made) {
      {
        const std::lock_guard lock(mutex);
        outcome = std::move(made);
        done = true;
      }
      changed.notify_all();
    }
  };

  static Outcome run(const std::function<T()>& work) {
    try {
      return {.value = work()};
    } catch (const std::exception& error) {
      return {.error = error.what()};
    }
  }

  std::shared_ptr<Shared> shared_{};
};

}  // namespace orrery
