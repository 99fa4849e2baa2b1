#pragma once

#include <cstdint>
#include <string>

namespace orrery::bench {

struct GrowthOptions {
  std::int64_t largest{65536};  ///< sequences from 256 tokens to so many, doubling
  std::string folder{};         ///< for a result with its figures; empty for none
};

/// Prints what attention costs with N: milliseconds, and MiB beyond its inputs. Each measurement
/// runs alone in a process. `folder` becomes a result like those of `orrery run`, which `orrery
/// redraw` draws again.
void print_growth(const GrowthOptions& options);

}  // namespace orrery::bench
