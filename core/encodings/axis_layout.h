#pragma once

#include <cstddef>
#include <vector>

#include "core/encodings/rope_convention.h"
#include "core/encodings/settings.h"
#include "core/params.h"
#include "core/types.h"

namespace orrery {

/// Positions with several axes, such as time, row and column of a patch. [N, axes]
using AxisPositions = Matrix<Position>;

/// How the tokens of a sequence are placed on the axes time, row and column.
enum class AxisLayoutKind {
  text,      ///< (m, m, m)
  grid,      ///< text, a grid of patches, text again: Qwen2-VL
  diagonal,  ///< the same with rows and columns centred on the time of their frame: VideoRoPE
};

/// A sequence of text_before tokens of text, frames·rows·columns patches, frame by frame and row
/// by row, and text without end. Text has the same position on every axis. With b = text_before:
///   grid: patch (f, r, c) is at (b + δf, b + r, b + c), and the text continues one past the
///     largest number of all axes, as the authors have it. Transformers 5 leaves time out there,
///     which differs where δ(frames − 1) reaches past rows and columns.
///   diagonal: (τ, τ + r − ⌊(rows − 1)/2⌋, τ + c − ⌊(columns − 1)/2⌋), τ = b + δf, and the text
///     continues at the last τ + 1.
///
/// Source: Wang et al. 2024 (Qwen2-VL) §2.1, get_rope_index of Transformers; Wei et al. 2025
/// (VideoRoPE) §3, JJJYmmm/Multimodal-RoPEs.
struct AxisLayout {
  AxisLayoutKind kind{AxisLayoutKind::grid};
  Position text_before{4};
  Position frames{2};
  Position rows{4};
  Position columns{4};
  Position time_step{1};  ///< δ
  /// Positions of tokens 0, 1, …, in place of all others where it has rows: [N, axes].
  AxisPositions given{};
};

/// Positions of tokens on the axes: [tokens, 3], or as many axes as are given. Throws UsageError
/// for a token before 0 or past the last where positions are given, and for tokens beyond ±2^53.
AxisPositions axis_positions(const AxisLayout& layout, PositionsIn tokens);

/// The first token from which on every token has one position on all axes: −2^53 where the layout
/// is text alone, and empty where positions are given.
std::optional<Position> text_from(const AxisLayout& layout);

/// axis_rope.layout and what its choices read.
std::vector<ParamSpec> axis_layout_params();
/// The table axis_rope.positions.
TableSpec axis_positions_table();
/// As these settings have it. Throws UsageError for given positions that are not whole, lie beyond
/// ±2^53 or have other than three axes.
AxisLayout axis_layout_of(const EncodingSettings& settings);

/// The design as axis_rope.design names it.
std::string_view name(AxisDesign design);

/// The axis of each pair. [Σ sections]. Throws UsageError for sections that leave pairs of an
/// interleaved design to no axis: those of an axis a ≥ 1 beyond A·section_a ≤ pairs.
std::vector<std::size_t> axes_of_pairs(AxisDesign design, const std::vector<Index>& sections);

/// axis_rope.design and what its choices read.
std::vector<ParamSpec> axis_design_params();
/// MHRoPE, axis_rope.design=per_head, is chunked: all pairs are in one section.
AxisDesign axis_design_of(const ParamSet& params);
/// Pairs of time, row and column: what the parameters ask for, or the shares that the design's
/// source has. [3] Throws UsageError when they ask for more pairs than there are.
std::vector<Index> axis_sections_of(const ParamSet& params, Index pairs);

}  // namespace orrery
