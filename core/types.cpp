#include "core/types.h"

#include <fmt/format.h>

#include <numeric>

#include "core/errors.h"

namespace orrery {

Positions consecutive_positions(Index count, Position first) {
  Positions positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

void check_positions(PositionsIn positions, Index rows) {
  if (static_cast<Index>(positions.size()) != rows)
    throw UsageError(fmt::format("{} positions for {} rows", positions.size(), rows),
                     "every row has one position", "give as many positions as rows");
  for (const Position p : positions)
    if (p > max_position || p < -max_position)
      throw UsageError(fmt::format("position {}", p),
                       "must lie within ±2^53, where fp64 holds every whole number",
                       "subtract a common offset from all positions");
}

}  // namespace orrery
