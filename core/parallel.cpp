#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace orrery {

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
  {
    std::vector<std::jthread> others;
    try {
      const std::ptrdiff_t helpful = std::min<std::ptrdiff_t>(threads, count) - 1;
      for (std::ptrdiff_t i = 0; i < helpful; ++i) others.emplace_back(work);
    } catch (const std::system_error&) {  // no room for another thread
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace orrery
