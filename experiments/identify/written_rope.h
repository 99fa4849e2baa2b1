#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/encodings/axis_layout.h"
#include "core/encodings/rope_convention.h"
#include "core/precision.h"
#include "core/types.h"

namespace orrery {

/// How the two channels of a pair meet the table of cosines and sines.
enum class Wiring {
  rotation,         ///< (a cos − b sin, a sin + b cos)
  other_table,      ///< the same, with cos and sin laid out for the other pairing
  no_negation,      ///< (a cos + b sin, a sin + b cos): rotate_half without its minus
  misprinted_last,  ///< the last pair is (a cos − a sin, b cos + b sin): old copies of eq. (34)
};

/// The position that a row of a tensor gets, as a function of its right one.
enum class PositionRule {
  stated,      ///< p
  doubled,     ///< 2p: what is cached is counted twice, or a tensor is rotated twice
  zero_from,   ///< p, but 0 from a row on: each decoded token is taken for the first
  next_from,   ///< p, but p + 1 from a row on: the cache counts the new token as its own past
  past_twice,  ///< p, but p + P from row P on, P rows: the past is added to positions that have it
  head_index,  ///< the number of the head: [N, H, d] read as [H, N, d]
  none,        ///< 0 everywhere: the tensor is not rotated
  restarts,    ///< counted from 0 in each text of the tensor, which begins at a row
  row_number,  ///< the number of the row, whatever is stated: padding is counted
};

/// What the angle p·theta is measured in, where cos and sin take radians.
enum class AngleUnit {
  radians,
  degrees,     ///< 180/π times as large: degrees were passed on
  as_degrees,  ///< π/180 times as large: it was taken for degrees
  turns,       ///< 2π times as large: a position of 1 is a whole turn
};

/// Channels that the attention factor multiplies.
enum class FactorReach { rotated, all };

/// From which series the pairs of an axis have their frequencies, where the design does not say it.
enum class AxisSeries {
  designed,  ///< as AxisDesign has it
  own,       ///< the s pairs of an axis have base^(−j/s), j = 0 … s − 1: MoonViT
  in_turn,   ///< pair j of axis a among A has base^(−(A·j + a)/pairs): Pixtral
};

/// A rope as one program has written it: its convention, and every mistake that was found in
/// programs. Row n of head h becomes y = a·R x, each pair t turning by p_n·theta_t.
struct WrittenRope : RopeConvention {
  Wiring wiring{Wiring::rotation};
  bool reordered{false};  ///< channels of y are in the order of the other pairing
  Index denominator{0};   ///< D of base^(−2t/D); 0: r, or d_head of p-RoPE
  bool inverted{false};   ///< base^(+2t/D): the minus is missing
  AngleUnit unit{AngleUnit::radians};
  std::optional<double> amplitude{};  ///< a, in place of the scaling's own
  FactorReach reach{FactorReach::rotated};
  PositionRule rule{PositionRule::stated};
  Position offset{0};           ///< added to every position
  Index from_row{0};            ///< of the rules that begin at a row
  std::vector<Index> starts{};  ///< restarts: first row of each text, ascending
  Position padding{0};          ///< restarts: position of the rows before the first text
  std::vector<Index>
      paddings{};                ///< restarts: rows of padding of each sequence, in place of starts
  Index heads_of_sequence{1};    ///< with paddings: heads that share each
  bool unbounded_stride{false};  ///< interleaved sections go on to the last pair
  AxisSeries series{AxisSeries::designed};
  /// The axis of the positions that each section turns by; empty: the first by the first, …
  std::vector<std::size_t> axis_order{};
  StageRounding rounding{};                            ///< position, inv_freq, angle, cos_sin
  bool operator==(const WrittenRope&) const = delete;  // computes_same
};

/// By which number the angle is too large: 1, 180/π, π/180 or 2π.
double size_of(AngleUnit unit);

/// theta, rad per token, in the order of pairs. [pairs_of]. Throws UsageError as
/// scaled_frequencies does.
std::vector<double> frequencies_of(const WrittenRope& rope);

/// The same counter-clockwise: negative where the rope turns clockwise.
std::vector<double> turning_frequencies(const WrittenRope& rope);

/// The factor a on rotated channels.
double amplitude_of(const WrittenRope& rope);

/// The axis of each pair among `axes` axes of the positions. [pairs_of]
std::vector<std::size_t> axes_of(const WrittenRope& rope, std::size_t axes);

/// The position that row `row` of head `head` is turned by, from the stated one.
Position written_position(const WrittenRope& rope, Position stated, Index row, Index head);

/// Two rotated channels of x, and where their images lie in y.
struct WrittenPair {
  Index a, b;
  Index out_a, out_b;
};
WrittenPair pair_at(const WrittenRope& rope, Index t);

/// The pair whose angle turns that channel of pair t: t but with Wiring::other_table.
Index table_pair(const WrittenRope& rope, Index t, Index channel);

/// Rows of heads whose place in the tensor is known: a sample, or the whole.
struct RowPlaces {
  std::vector<Index> heads{};  ///< [H]
  std::vector<Index> rows{};   ///< [N]
  AxisPositions positions{};   ///< [N, axes], as stated
  double unit{1};              ///< what 1 of them is worth: coordinates may be fractions
};

/// The positions at which the rope turns rows of the first head. [N, axes]
AxisPositions turned_positions(const WrittenRope& rope, const RowPlaces& places);

/// Applies the rope in fp64 arithmetic with the roundings of its table. x and the result
/// [H·N, d_head], head by head. Throws UsageError for other shapes.
Matrix<double> apply_written(const WrittenRope& rope, const RowPlaces& places,
                             const Eigen::Ref<const Matrix<double>, 0, Eigen::OuterStride<>>& x);

/// Whether two ropes turn alike: all that is computed is equal, however it is written. A factor of
/// 1 is the same on all channels, and twice the positions are twice the frequencies.
bool computes_same(const WrittenRope& a, const WrittenRope& b);
/// Whether two ropes turn alike once the stages of both are given the same precision.
bool same_but_for_precision(const WrittenRope& a, const WrittenRope& b);

}  // namespace orrery
