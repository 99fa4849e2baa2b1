#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/encoding.h"
#include "core/transformer/edit.h"
#include "core/transformer/pass_edits.h"
#include "experiments/model/figure.h"

namespace orrery {

/// A summand of a head's logits.
struct HeadTerm {
  std::string name{};                  ///< "pairs 0–7", "linear_bias", "softcap"
  std::size_t first_pair{}, pairs{0};  ///< that it is of; none for the others
  bool is_softcap{};
  bool is_plural{};  ///< the name
  Array logits{};    ///< [N, N]
};

/// A head over a text, its logits as a sum.
struct HeadTerms {
  /// Of RoPE four runs of neighbouring pairs, the fastest first, and other channels; else the terms
  /// of the layer's encoding. Last what the softcap takes away, where there is one.
  std::vector<HeadTerm> terms{};
  double softcap{};  ///< c: the logits are c·tanh(Σ/c) of the terms before the last; 0 for none
  Array logits{};    ///< final but for the mask. [N, N]
  std::size_t channels{};  ///< d_head
  std::string encoding{};  ///< that the terms are of: "rope", "alibi"
};

/// What a pass has of one head.
template <class T>
class SeenHead {
 public:
  /// @param kv_head  the head's keys
  SeenHead(const HeadPlace& place, int kv_head) : place_(place), kv_head_(kv_head) {}

  const HeadPlace& place() const { return place_; }
  bool wants(const Site& site) const;
  void see(const Site& site, Index first, const MatrixIn<T>& rows);

  const Matrix<T>& q() const { return q_; }
  const Matrix<T>& k() const { return k_; }

  /// The logits split into four runs of neighbouring pairs, channels that do not turn, and what a
  /// softcap takes away.
  /// @param scale    multiplies q·k
  /// @param softcap  c; 0 for none
  HeadTerms terms(const TurningPairs& pairs, double scale, double softcap) const;
  /// The same by the terms of an encoding.
  HeadTerms terms(std::string_view encoding, const std::vector<ScoreTerm<T>>& terms,
                  double softcap) const;

 private:
  struct Summand {
    HeadTerm term{};  ///< without its logits
    Matrix<T> logits{};
  };
  HeadTerms sum_of(std::string_view encoding, std::vector<Summand> summands, double softcap) const;

  HeadPlace place_;
  int kv_head_;
  Matrix<T> q_{}, k_{}, logits_{};
};

}  // namespace orrery
