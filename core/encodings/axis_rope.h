#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/axis_layout.h"
#include "core/encodings/rope_convention.h"
#include "core/encodings/rotation_table.h"
#include "core/types.h"

namespace orrery {

struct AxisRopeOptions {
  AxisLayout layout{};  ///< where the tokens of transform_queries and _keys lie
  StageRounding rounding{};
};

/// RoPE at positions with several axes: pair t rotates by the position on its own axis a(t).
///   angle = p_{a(t)}·theta_t,  theta_t = base^(-2t/r),  t = 0 … r/2 − 1
///
/// The frequency does not depend on the axis; convention.scaling changes it. Two designs differ: in
/// AxisDesign::axial each section of s pairs restarts, base^(-2t/(2s)), and in time_still the
/// pairs of axis 0 do not rotate. MHRoPE, where each head rotates by one axis, is a design whose
/// other sections are 0. options.layout maps the position m of a token to its place on the axes.
///
/// Scores depend on the differences of positions, axis by axis. They depend on m − n alone for
/// text only, where all axes agree; there it is RoPE, but for axial and time_still.
///
/// Accuracy: cos and sin of the exact product position·theta, as Rope.
/// Cost: 6 N·r flops.
/// Source: Wang et al. 2024 (Qwen2-VL) §2.1; arXiv 2510.23095 (interleaved, MHRoPE); Wei et al.
/// 2025 (VideoRoPE), arXiv 2502.05173; Li et al. 2025 (HoPE), arXiv 2505.20444; Heo et al. 2024
/// (RoPE for vision transformers), naver-ai/rope-vit; Transformers, modeling_qwen2_vl and
/// modeling_qwen3_vl.
template <class T>
class AxisRope final : public Encoding, public QkTransform<T> {
 public:
  /// Throws UsageError: d_head or rotary_dims odd or not positive, base ≤ 1, sections that do not
  /// sum to its pairs, or a scaling that scaled_frequencies refuses.
  explicit AxisRope(RopeConvention convention, AxisRopeOptions options = {});

  static EncodingInfo info();
  static std::unique_ptr<AxisRope> make(const EncodingSettings& settings);

  EncodingTraits traits() const override;
  void transform_queries(PositionsIn m, MatrixOut<T> q) const override { turn(m, q); }
  void transform_keys(PositionsIn n, MatrixOut<T> k) const override { turn(n, k); }
  void pull_queries_back(PositionsIn m, const MatrixIn<T>&, MatrixOut<T> d_q,
                         Tables&) const override {
    turn_back(m, d_q);
  }
  void pull_keys_back(PositionsIn n, const MatrixIn<T>&, MatrixOut<T> d_k, Tables&) const override {
    turn_back(n, d_k);
  }

  /// x [N, d_head] in place, queries and keys alike. Throws UsageError for positions of other axes
  /// or rows, or beyond ±2^53.
  void rotate(const AxisPositions& positions, MatrixOut<T> x) const;

  const RopeConvention& convention() const { return convention_; }
  const AxisRopeOptions& options() const { return options_; }
  /// rad per step of its axis, of each pair; negative when clockwise.
  const std::vector<double>& theta() const { return theta_; }
  const std::vector<std::size_t>& axes() const { return axes_; }  ///< of each pair
  /// a: cos and sin are multiplied by it.
  double attention_factor() const { return attention_factor_; }

 private:
  /// The pairs of one axis.
  struct AxisPairs {
    std::vector<std::size_t> pairs;
    RotationTable table;
  };

  ChannelPair channels(std::size_t t) const {
    return channels_of(convention_, static_cast<Index>(t));
  }
  void turn(PositionsIn positions, MatrixOut<T> x) const;
  void turn_back(PositionsIn positions, MatrixOut<T> d_x) const;
  void rotate_axis(const AxisPairs& axis, const Positions& positions, MatrixOut<T> x) const;
  void check_shape(const AxisPositions& positions, const MatrixIn<T>& x) const;
  void rotate_exactly(const AxisPositions& positions, MatrixOut<T> x) const;
  void rotate_rounded(const AxisPositions& positions, MatrixOut<T> x) const;

  RopeConvention convention_;
  AxisRopeOptions options_;
  std::vector<std::size_t> axes_;
  std::vector<double> theta_;
  double attention_factor_;
  std::vector<std::optional<AxisPairs>> by_axis_;  ///< none for an axis without pairs
};

}  // namespace orrery
