#include "experiments/results/memory.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "experiments/files/memory_limit.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

// Never written, so never in use: at most this, and at most this part of what is allowed.
constexpr std::uintmax_t most_reserved = std::uintmax_t{64} << 20;
constexpr std::uintmax_t reserved_part = 8;

std::atomic<void*> reserve{nullptr};

[[noreturn]] void release_and_throw() {
  std::free(reserve.exchange(nullptr));
#ifdef __GLIBC__
  // The C library else takes the padding of its heaps from the reserve, and not what is asked for.
  ::mallopt(M_TOP_PAD, 0);
#endif
  throw std::bad_alloc();
}

}  // namespace

std::uintmax_t peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  constexpr std::uintmax_t kib = 1024;
  return static_cast<std::uintmax_t>(usage.ru_maxrss) * kib;
}

void reserve_memory_for_errors() {
  const std::uintmax_t bytes = std::min(most_reserved, memory_limit() / reserved_part);
  std::free(reserve.exchange(std::malloc(static_cast<std::size_t>(bytes))));
  std::set_new_handler(release_and_throw);
}

std::string memory_shortage(std::string_view also) {
  return fmt::format(
      "there is not enough memory: {} were in use, and {} may be; lower the settings that make "
      "arrays large, such as dim, max_distance, max_length, max_tokens or the number of "
      "positions{}",
      bytes_text(peak_memory()), bytes_text(memory_limit()), also);
}

void require_memory(const Experiment& experiment, const ParamSet& run) {
  const MemoryEstimate estimate = memory_of(experiment, run);
  require_memory(estimate.bytes, experiment.info.name, estimate.remedy);
}

void keep_freed_memory([[maybe_unused]] int most) {
#ifdef __GLIBC__
  constexpr int largest_kept = 32 << 20;
  constexpr int heap_of_a_thread = 64 << 20;  // less than this, and heaps that empty are returned
  ::mallopt(M_MMAP_THRESHOLD, largest_kept);
  ::mallopt(M_TRIM_THRESHOLD, most);
  ::mallopt(M_TOP_PAD, heap_of_a_thread);
#endif
}

}  // namespace orrery
