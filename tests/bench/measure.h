#pragma once

#include <functional>
#include <vector>

namespace orrery::bench {

/// Of one run: as many as fit into 30 ms, at least one, after one that is not counted.
double seconds(const std::function<void()>& run);

struct Spread {
  double least{}, median{}, most{};
};
Spread spread(std::vector<double> values);

/// What one run costs in a process of its own, with nothing but its contents in memory.
struct Cost {
  double seconds{};
  double bytes{};  ///< the most that was held beyond the contents, the output among it
};
/// `prepare` makes the contents and returns what one run is. Throws std::runtime_error where the
/// process ends without an answer.
Cost cost_alone(const std::function<std::function<void()>()>& prepare);

}  // namespace orrery::bench
