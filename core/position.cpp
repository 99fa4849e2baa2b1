#include "core/position.h"

#include <fmt/format.h>

#include <numeric>

namespace orrery {

Positions consecutive_positions(std::ptrdiff_t count, Position first) {
  Positions positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), first);
  return positions;
}

UsageError position_out_of_range(std::string_view position) {
  return {fmt::format("position {}", position),
          "must lie within ±2^53, where fp64 holds every whole number",
          "subtract a common offset from all positions"};
}

void check_positions(PositionsIn positions) {
  for (const Position p : positions)
    if (p > max_position || p < -max_position) throw position_out_of_range(fmt::format("{}", p));
}

void check_positions(PositionsIn positions, std::ptrdiff_t rows) {
  if (std::ssize(positions) != rows)
    throw UsageError(fmt::format("{} positions for {} rows", positions.size(), rows),
                     "every row has one position", "give as many positions as rows");
  check_positions(positions);
}

}  // namespace orrery
