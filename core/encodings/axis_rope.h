#pragma once

#include <vector>

#include "core/encodings/rope.h"
#include "core/types.h"

namespace orrery {

/// Positions with several axes, such as time, row and column of a patch. [N, axes]
using AxisPositions = Matrix<Position>;

/// Which axis turns which pair, pairs in the order of their frequencies.
enum class AxisDesign {
  chunked,      ///< M-RoPE, Qwen2-VL: the sections one after another
  interleaved,  ///< M-RoPE, Qwen3-VL: axis a ≥ 1 has pairs a, a + A, … below A·section_a; axis 0
                ///< the rest, A the axes
  time_last,   ///< VideoRoPE: axes 1, 2, … in turn on the fast pairs, time on the slow ones
  time_still,  ///< HoPE: as VideoRoPE, and time has frequency 0
  axial,       ///< ViTs: sections one after another, and each has frequencies of its own
};

struct AxisRopeConfig {
  Index d_head{};
  double base{10000.0};
  RopePairing pairing{RopePairing::half_split};
  AxisDesign design{AxisDesign::chunked};
  std::vector<Index> sections{};  ///< pairs of each axis; they sum to d_head/2
  StageRounding rounding{};
};

/// The axis of each pair. [Σ sections]. Throws UsageError for sections that leave pairs of an
/// interleaved design to no axis: those of an axis a ≥ 1 beyond A·section_a ≤ pairs.
std::vector<std::size_t> axes_of_pairs(AxisDesign design, const std::vector<Index>& sections);

/// RoPE at positions with several axes: pair t turns by p_{a(t)}·theta_t, a(t) its axis. theta_t =
/// base^(-2t/d), t = 0 … d/2 − 1, whatever its axis, but for AxisDesign::axial, where each section
/// of s pairs restarts: base^(-2t/(2s)), and for time_still, whose pairs of axis 0 stay. Scores
/// depend on the differences of positions, axis by axis. Where all axes agree it is RoPE, but for
/// axial and time_still. Accuracy: cos and sin of the exact product position·theta, as Rope.
/// Sources: Wang et al. 2024 (Qwen2-VL) §2.1; arXiv 2510.23095 (interleaved); Wei et al. 2025
/// (VideoRoPE), arXiv 2502.05173; Li et al. 2025 (HoPE), arXiv 2505.20444; Heo et al. 2024 (RoPE
/// for vision transformers), naver-ai/rope-vit; Transformers, modeling_qwen2_vl and
/// modeling_qwen3_vl.
template <class T>
class AxisRope {
 public:
  /// Throws UsageError: d_head odd or not positive, base ≤ 1, or sections that do not sum to its
  /// pairs.
  explicit AxisRope(const AxisRopeConfig& config);

  /// x [N, d_head] in place, queries and keys alike. Throws UsageError for positions of other axes
  /// or rows, or beyond ±2^53.
  void rotate(const AxisPositions& positions, MatrixOut<T> x) const;

  const std::vector<double>& theta() const { return theta_; }     ///< rad per step of its axis
  const std::vector<std::size_t>& axes() const { return axes_; }  ///< of each pair

 private:
  AxisRopeConfig config_;
  std::vector<std::size_t> axes_;
  std::vector<double> theta_;
};

}  // namespace orrery
