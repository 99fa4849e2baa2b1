#include "experiments/model_files/receptive_field.h"

#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

using Influence = std::vector<double>;  // by position

/// Each position's influence, shared among the keys that it sees. Ranges are added by their ends,
/// from the last position on, so that what gathers at the first tokens is added last; the rounding
/// of each addition is kept and added too (Neumaier 1974).
Influence shared(const Influence& influence, const Reach& reach) {
  const auto last = std::ssize(influence) - 1;
  Influence begins(influence.size() + 1, 0.0);  // by position + 1
  for (std::int64_t i = 0; i <= last; ++i) {
    const std::int64_t from = i > reach.behind ? i - reach.behind : 0;
    const std::int64_t to = last - i > reach.ahead ? i + reach.ahead : last;
    const double each = influence[static_cast<std::size_t>(i)] / static_cast<double>(to - from + 1);
    begins[static_cast<std::size_t>(to) + 1] += each;
    begins[static_cast<std::size_t>(from)] -= each;
  }
  Influence sums(influence.size());
  double sum = 0, lost = 0;
  for (std::size_t j = sums.size(); j > 0; --j) {
    const double next = sum + begins[j];
    lost +=
        std::abs(sum) >= std::abs(begins[j]) ? (sum - next) + begins[j] : (begins[j] - next) + sum;
    sum = next;
    sums[j - 1] = sum + lost;
  }
  return sums;
}

/// The distance from the last token within which that share of the influence lies.
double within(const Influence& influence, double share) {
  double sum = 0;
  for (std::size_t r = 0; r < influence.size(); ++r) {
    sum += influence[influence.size() - 1 - r];
    if (sum >= share) return static_cast<double>(r);
  }
  return static_cast<double>(influence.size() - 1);
}

}  // namespace

Reach reach_of(const LayerPlan& layer, std::int64_t context) {
  if (layer.encoding == "not_attention") return {};
  const std::int64_t all = context - 1;
  const bool windowed = layer.window && *layer.window <= all;
  // A window of 0 hides the query's own key, too: what comes through is the residual stream.
  const std::int64_t side = windowed ? std::max<std::int64_t>(*layer.window - 1, 0) : all;
  return {.behind = side, .ahead = layer.causal ? 0 : side};
}

ReceptiveField receptive_field(const PositionPlan& plan, std::int64_t context, double residual) {
  Influence influence(static_cast<std::size_t>(context), 0.0);
  influence.back() = 1.0;
  ReceptiveField field{.reach = {0}, .half = {0}, .most = {0}, .influence = {}};
  std::int64_t reached = 0;
  for (auto layer = plan.layers.rbegin(); layer != plan.layers.rend(); ++layer) {
    const Reach reach = reach_of(*layer, context);
    const Influence passed = shared(influence, reach);
    for (std::size_t j = 0; j < influence.size(); ++j)
      influence[j] = residual * influence[j] + (1 - residual) * passed[j];
    reached = reach.behind < context - 1 - reached ? reached + reach.behind : context - 1;
    field.reach.push_back(static_cast<double>(reached));
    field.half.push_back(within(influence, 0.5));
    field.most.push_back(within(influence, 0.95));
  }
  field.influence.assign(influence.rbegin(), influence.rend());
  return field;
}

}  // namespace orrery
