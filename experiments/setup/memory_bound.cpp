#include "experiments/setup/memory_bound.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/errors.h"
#include "experiments/files/memory_limit.h"
#include "experiments/text/number_text.h"

namespace orrery::setup {

void require_memory(double bytes, const std::string& what, const std::string& remedy) {
  const std::uintmax_t limit = memory_limit();
  if (bytes <= static_cast<double>(limit)) return;
  throw UsageError(what,
                   fmt::format("take {}, and {} may be used",
                               bytes_text(static_cast<std::uintmax_t>(bytes)), bytes_text(limit)),
                   remedy);
}

}  // namespace orrery::setup
