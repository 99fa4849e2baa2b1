#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/errors.h"

namespace orrery {

/// The position of a token. Positions are data, one per row, never a length: offsets, gaps, memory
/// and cached decoding need no special case. Magnitude at most 2^53, so that fp64 holds it exactly;
/// a distance between two of them is at most 2^54.
using Position = std::int64_t;
using Positions = std::vector<Position>;
using PositionsIn = std::span<const Position>;

inline constexpr Position max_position = Position{1} << 53;

/// first, first + 1, …, count of them.
Positions consecutive_positions(std::ptrdiff_t count, Position first = 0);

/// THE relative position of the project: query minus key, m − n, positive when the key precedes the
/// query. Encodings whose paper counts the other way say so in their docstring.
constexpr Position relative_position(Position query, Position key) { return query - key; }

/// The error for a position beyond ±2^53, as it was written.
UsageError position_out_of_range(std::string_view position);

/// None beyond ±2^53. Throws UsageError.
void check_positions(PositionsIn positions);

/// One position a row and none beyond ±2^53. Throws UsageError.
void check_positions(PositionsIn positions, std::ptrdiff_t rows);

}  // namespace orrery
