#pragma once

#include <string>
#include <vector>

#include "experiments/sweeps/sweep_spec.h"

namespace orrery::test {

/// What each point of a sweep states, as words.
inline std::vector<std::vector<std::string>> overrides_of(const SweepSpec& spec) {
  std::vector<std::vector<std::string>> all;
  for (const Combination& point : combinations_of(spec).points)
    all.push_back(point.params.overrides());
  return all;
}

}  // namespace orrery::test
