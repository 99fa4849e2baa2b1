#include "experiments/files/memory_limit.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "experiments/text/number_text.h"

namespace orrery {

std::uintmax_t memory_limit() {
  const auto pages = static_cast<std::uintmax_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  const auto page = static_cast<std::uintmax_t>(std::max(0L, ::sysconf(_SC_PAGESIZE)));
  rlimit limit{};
  const bool limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? std::min<std::uintmax_t>(limit.rlim_cur, pages * page) : pages * page;
}

IoError too_little_memory(double bytes, const std::string& what, const std::string& remedy) {
  return IoError(
      what,
      fmt::format("{} of memory is needed, and {} may be used",
                  bytes_text(static_cast<std::uintmax_t>(bytes)), bytes_text(memory_limit())),
      remedy);
}

void require_memory(double bytes, const std::string& what, const std::string& remedy) {
  if (bytes > static_cast<double>(memory_limit())) throw too_little_memory(bytes, what, remedy);
}

}  // namespace orrery
