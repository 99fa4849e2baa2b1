#include "core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace orrery {

void in_parallel(Index count, int threads,
                 const std::function<std::function<void(Index item)>()>& make_worker) {
  std::atomic<Index> next{0};
  std::exception_ptr failure;
  std::mutex failed;
  const auto work = [&] {
    try {
      const std::function<void(Index)> worker = make_worker();
      for (Index item = next++; item < count; item = next++) worker(item);
    } catch (...) {
      const std::lock_guard lock(failed);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      const Index helpful = std::min<Index>(threads, count) - 1;
      for (Index i = 0; i < helpful; ++i) others.emplace_back(work);
    } catch (const std::system_error&) {  // no room for another thread
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace orrery
