#pragma once

namespace orrery {

/// An encoding whose terms are the scaled content and numbers per relative position: ALiBi, T5,
/// KERPLE. Attention at consecutive positions then needs N_q + N_k − 1 of those numbers, which
/// score_terms gives for one query, and each row of the map is a shifted view of them.
class DistanceBias {
 public:
  /// Whether no term beside the content depends on anything but m − n: not where a rounding of the
  /// positions themselves moves them.
  virtual bool adds_distance_bias() const = 0;

 protected:
  ~DistanceBias() = default;
};

}  // namespace orrery
