#pragma once

#include <cstddef>
#include <functional>

namespace orrery {

/// Does work on the items 0 … count − 1, each once, on up to `threads` threads, the calling one
/// among them. make_worker is called once per thread that takes part, on that thread; the worker
/// then gets one item after the other. What an item leaves behind must not depend on which worker
/// did it. An exception ends the work, and is thrown again here; a system without room for another
/// thread leaves the items to the others. Workers may call it in turn. The threads stay for later
/// calls and are never joined; after fork() the child does its work on the calling thread alone.
void in_parallel(std::ptrdiff_t count, int threads,
                 const std::function<std::function<void(std::ptrdiff_t item)>()>& make_worker);

/// The number of threads that was asked for; as many as the machine runs at once for 0 or less.
int threads_or_all(int asked);

}  // namespace orrery
