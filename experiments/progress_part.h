#pragma once

#include <cstddef>
#include <string>

#include "experiments/progress.h"

namespace orrery {

/// The part of a run's progress that one of its stretches takes, from `from` to `to` of 1.
struct ProgressPart {
  Progress& progress;
  double from;
  double to;

  /// Before step i of `count`. Throws Stopped as checkpoint does.
  void at(std::size_t i, std::size_t count, const std::string& what) const {
    checkpoint(progress, from + (to - from) * static_cast<double>(i) / static_cast<double>(count),
               what);
  }
};

}  // namespace orrery
