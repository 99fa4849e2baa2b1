#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/spectrum.h"
#include "core/types.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// One set of frequencies and what follows from it.
struct Tuning {
  std::string key{};    ///< in names of columns and scalars; empty for the one that is asked about
  std::string label{};  ///< in legends
  std::string brief{};  ///< in titles, where that is too long
  std::vector<double> theta{};
  int color{};
  std::optional<double> shade{};  ///< in place of it, of what is no encoding of its own
  LineStyle style{LineStyle::solid};
  Series B{};  ///< mean cos(m θ_t) by distance, binned
  std::optional<Position> first_negative{};

  std::vector<double> lambda() const { return wavelengths(theta); }
  /// Pairs with a frequency of their own: p-RoPE sets the last ones to 0.
  std::size_t turning() const {
    return static_cast<std::size_t>(std::ranges::count_if(theta, [](double f) { return f != 0; }));
  }
  const std::string& words() const { return brief.empty() ? label : brief; }
  double longest() const { return lambda()[turning() - 1]; }
  std::string named(const std::string& what) const { return key.empty() ? what : what + "_" + key; }
};

/// RoPE as the parameters have it but for its scaling.
Tuning unscaled_tuning(const ParamSet& params);

/// RoPE as the parameters have it, and the spectra that "compare" puts beside it.
std::vector<Tuning> tunings_of(const ParamSet& params);

/// Fills in B_m/(d/2) from m = 1 to `last`, and where B_m is first negative. Throws Stopped.
void follow_B(Tuning& tuning, Index last, Progress& progress);

}  // namespace orrery
