#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <filesystem>
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

/// Wakes a window from any thread for as long as the window is there. The work of a dropped task
/// may end after it, and then wakes nobody.
class Waker {
 public:
  explicit Waker(std::function<void()> wake) : shared_(std::make_shared<Shared>()) {
    shared_->wake = std::move(wake);
  }
  /// Waits for a call that is under way; later ones do nothing.
  ~Waker() {
    const std::lock_guard lock(shared_->mutex);
    shared_->wake = nullptr;
  }
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;

  /// What others call; it may outlive the Waker.
  std::function<void()> function() const {
    return [shared = shared_] {
      const std::lock_guard lock(shared->mutex);
      if (shared->wake) shared->wake();
    };
  }

 private:
  struct Shared {
    std::mutex mutex{};
    std::function<void()> wake{};
  };

  std::shared_ptr<Shared> shared_;
};

/// Ends the program, once all that must be kept is kept. While the work of a dropped task still
/// runs, static objects are not destroyed, since that work may be using them.
[[noreturn]] void leave(int status);

/// Watches a file, or the newest tensor in a folder, from a thread of its own, so that a window that
/// draws on events hears of a change at once and costs nothing otherwise.
class FileWatch {
 public:
  /// `wake` is called from the thread after a change.
  FileWatch(std::filesystem::path file, std::function<void()> wake);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Whether it has changed since this was asked last.
  bool take_change();
  /// The file or the folder.
  const std::filesystem::path& path() const { return file_; }

 private:
  void watch();

  std::filesystem::path file_;
  std::function<void()> wake_;
  std::mutex mutex_{};
  std::condition_variable ends_{};
  bool changed_{false};
  bool ending_{false};
  std::thread thread_;
};

}  // namespace orrery
