#pragma once

#include <string_view>
#include <vector>

#include "core/encoding.h"
#include "core/transformer/edit.h"
#include "core/transformer/pass_edits.h"
#include "experiments/heads/head_terms.h"

namespace orrery {

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
