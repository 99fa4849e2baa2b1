#include "experiments/files/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace orrery::files {

std::uintmax_t memory_limit() {
  const auto pages = static_cast<std::uintmax_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  const auto page = static_cast<std::uintmax_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
  rlimit limit{};
  const bool limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? std::min<std::uintmax_t>(limit.rlim_cur, pages * page) : pages * page;
}

}  // namespace orrery::files
