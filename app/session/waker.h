#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace orrery {

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

}  // namespace orrery
