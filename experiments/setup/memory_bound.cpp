#include "experiments/setup/memory_bound.h"

#include <fmt/format.h>

#include <cstdint>

#include "experiments/files/memory_limit.h"
#include "experiments/text/number_text.h"

namespace orrery::setup {

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

void require_memory(const Experiment& experiment, const ParamSet& run) {
  const MemoryEstimate estimate = memory_of(experiment, run);
  require_memory(estimate.bytes, experiment.info.name, estimate.remedy);
}

}  // namespace orrery::setup
