#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace orrery {

using Index = Eigen::Index;

/// Row-major: rows are positions, columns are channels.
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// A matrix that is read: a Matrix, a block of rows or columns, or a map of the caller's memory.
template <class T>
using MatrixIn = Eigen::Ref<const Matrix<T>, 0, Eigen::OuterStride<>>;
/// A matrix that is changed in place.
template <class T>
using MatrixOut = Eigen::Ref<Matrix<T>, 0, Eigen::OuterStride<>>;

/// The position of a token. Positions are data, one per row, never a length: offsets, gaps, memory
/// and cached decoding need no special case. Magnitude at most 2^53, so that fp64 holds it exactly.
using Position = std::int64_t;
using Positions = std::vector<Position>;
using PositionsIn = std::span<const Position>;

inline constexpr Position max_position = Position{1} << 53;

/// first, first + 1, …, count of them.
Positions consecutive_positions(Index count, Position first = 0);

/// THE relative position of the project: query minus key, m − n, positive when the key precedes the
/// query. Encodings whose paper counts the other way say so in their docstring.
constexpr Position relative_position(Position query, Position key) { return query - key; }

/// One position a row and none beyond ±2^53. Throws UsageError.
void check_positions(PositionsIn positions, Index rows);

}  // namespace orrery
