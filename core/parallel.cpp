#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace orrery {
namespace {

/// Looks whether it is done for about as long as a sleeper takes to wake on an idle core, twice.
/// Without the CPU's pause, at which a virtual machine may take the core away.
template <class Done>
void watch(const Done& done) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::microseconds(200);
  while (!done() && Clock::now() < until) continue;
}

/// A number that a thread watches, alone in its cache lines: what others write beside it would make
/// both wait.
struct alignas(128) Watched {
  std::atomic<int> number{0};
};

/// Threads that stay for the next work: starting one, and waiting for its end, takes as long as
/// some hundred thousand cells of attention. They are never joined, so that a process may end at
/// any time.
class Crew {
 public:
  /// Does `work` here, and on up to `helpers` other threads at the same time. It must not throw.
  void run(std::ptrdiff_t helpers, const std::function<void()>& work) {
    Call call{.work = work, .wanted = helpers};
    ask(call, helpers);
    work();
    withdraw(call);
    std::atomic<int>& working = call.working->number;
    watch([&] { return working == 0; });
    for (int left = working; left > 0; left = working) working.wait(left);
  }

 private:
  struct Call {
    const std::function<void()>& work;
    std::ptrdiff_t wanted;  ///< threads that have not come yet
    /// Those that have and work still. A thread looks at it last, when the call may be gone.
    std::shared_ptr<Watched> working{std::make_shared<Watched>()};
  };

  /// What others do with the lock takes less time than to sleep and wake.
  std::unique_lock<std::mutex> locked() {
    std::unique_lock lock(mutex_, std::defer_lock);
    watch([&] { return lock.try_lock(); });
    if (!lock) lock.lock();
    return lock;
  }

  void ask(Call& call, std::ptrdiff_t helpers) {
    {
      const auto lock = locked();
      calls_.push_back(&call);
      std::ptrdiff_t wanted = 0;
      for (const Call* open : calls_) wanted += open->wanted;
      try {
        for (; idle_ < wanted; ++idle_) std::thread([this] { serve(); }).detach();
      } catch (const std::system_error&) {  // no room for another thread
      }
    }
    ++open_.number;
    for (std::ptrdiff_t i = 0; i < helpers; ++i) called_.notify_one();
  }

  void withdraw(Call& call) {
    const auto lock = locked();
    open_.number -= static_cast<int>(std::erase(calls_, &call));
  }

  void serve() {
    while (true) {
      watch([this] { return open_.number > 0; });
      auto lock = locked();
      called_.wait(lock, [this] { return !calls_.empty(); });
      Call& call = *calls_.front();
      if (--call.wanted == 0) {
        calls_.pop_front();
        --open_.number;
      }
      const auto working = call.working;
      ++working->number;
      --idle_;
      lock.unlock();
      call.work();
      lock = locked();
      ++idle_;
      lock.unlock();
      if (--working->number == 0) working->number.notify_one();
    }
  }

  std::mutex mutex_{};
  std::condition_variable called_{};
  std::deque<Call*> calls_{};  ///< that want more threads
  Watched open_{};             ///< their number, and some that are being added
  std::ptrdiff_t idle_{0};     ///< threads without work, or about to be
};

}  // namespace

void in_parallel(std::ptrdiff_t count, int threads,
                 const std::function<std::function<void(std::ptrdiff_t item)>()>& make_worker) {
  std::atomic<std::ptrdiff_t> next{0};
  std::exception_ptr failure;
  std::mutex failed;
  const auto work = [&] {
    try {
      const std::function<void(std::ptrdiff_t)> worker = make_worker();
      for (std::ptrdiff_t item = next++; item < count; item = next++) worker(item);
    } catch (...) {
      const std::lock_guard lock(failed);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  const std::ptrdiff_t helpers = std::min<std::ptrdiff_t>(threads, count) - 1;
  if (helpers > 0) {
    static Crew& crew = *new Crew;  // never destroyed: its threads outlive main()
    crew.run(helpers, work);
  } else {
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

int threads_or_all(int asked) {
  if (asked > 0) return asked;
  const unsigned all = std::thread::hardware_concurrency();  // 0: it does not tell
  return all == 0 ? 1 : static_cast<int>(all);
}

}  // namespace orrery
