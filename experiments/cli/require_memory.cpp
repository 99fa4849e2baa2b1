#include "experiments/cli/require_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/errors.h"
#include "experiments/cli/console.h"
#include "experiments/files/memory_limit.h"
#include "experiments/text/number_text.h"

namespace orrery::cli {
namespace {

std::string size_text(double bytes) { return bytes_text(static_cast<std::uintmax_t>(bytes)); }

}  // namespace

int threads_that_fit(const Experiment& experiment, const std::vector<const ParamSet*>& runs,
                     int wanted) {
  const auto allowed = static_cast<double>(memory_limit());
  std::vector<MemoryEstimate> estimates;
  for (const ParamSet* run : runs) estimates.push_back(memory_of(experiment, *run));
  std::sort(estimates.begin(), estimates.end(),
            [](const MemoryEstimate& a, const MemoryEstimate& b) { return a.bytes > b.bytes; });
  if (!estimates.empty() && estimates.front().bytes > allowed)
    say(fmt::format("orrery: a point of {}\n",
                    files::too_little_memory(estimates.front().bytes, experiment.info.name,
                                             estimates.front().remedy)
                        .what()));
  double together = 0;
  int fitting = 0;
  while (fitting < wanted && static_cast<std::size_t>(fitting) < estimates.size()) {
    together += estimates[static_cast<std::size_t>(fitting)].bytes;
    if (together > allowed) break;
    ++fitting;
  }
  if (fitting == wanted || static_cast<std::size_t>(fitting) == estimates.size()) return wanted;
  fitting = std::max(fitting, 1);
  tell(
      fmt::format("computing {} of {} points at once: more would need about {} of memory, and {} "
                  "may be used\n",
                  fitting, wanted, size_text(together), size_text(allowed)));
  return fitting;
}

}  // namespace orrery::cli
