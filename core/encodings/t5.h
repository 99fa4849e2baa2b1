#pragma once

#include <memory>

#include "core/encoding.h"
#include "core/encodings/relative_index.h"
#include "core/encodings/settings.h"

namespace orrery {

struct T5Buckets {
  int buckets{32};
  Position max_distance{128};
  bool bidirectional{
      true};  ///< half the buckets for keys ahead; otherwise those all fall into bucket 0
};

/// T5's bucket of r = m − n: near distances have a bucket each, far ones share buckets whose width
/// grows logarithmically. Of the s buckets per side, distances below e = s/2 have one each, and
/// far ones share the other w = s − e. The place on the logarithmic scale is rounded down, so that
/// the last bucket begins before max_distance, at e·(max_distance/e)^((w−1)/w): 91 bidirectional
/// and 113 causal for 32 buckets to 128. T5's code counts n − m; a key ahead of the query (r < 0)
/// has its buckets in the upper half, of which the first is never used.
///
/// Throws UsageError: fewer than 2 buckets (4, and even, when bidirectional), or max_distance not
/// above half the buckets of a direction.
/// Accuracy: integers up to the logarithm, which is taken in fp64 unless `rounding` has another
/// format: in bf16 some distances fall into the wrong bucket.
/// Source: Raffel et al. 2020 §2.1; mesh_tensorflow, _relative_position_bucket.
Index t5_bucket(Position r, const T5Buckets& config, const StageRounding& rounding = {});

/// T5's relative bias: a trained number per bucket of the distance and head, added to logits
/// without any scale. logits_mn = q_m·k_n + b_{bucket(m−n), h}: T5 divides by no √d (its
/// initialisation does). Terms: content, relative_bias. Source: Raffel et al. 2020 §2.1; RoFormer
/// eq. (8).
template <class T>
class T5 final : public Encoding, public BiasTerm<T>, public TableIndex {
 public:
  /// table [buckets, heads]. Rounding is of the table and of the logarithm.
  T5(const T5Buckets& config, Matrix<T> table, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<T5> make(const EncodingSettings& settings);
  static void check(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = true}; }
  IndexMatrix table_index(PositionsIn m, PositionsIn n) const override;
  Index table_rows() const override { return table_.rows(); }
  std::optional<Position> stated_reach() const override { return config_.max_distance; }

 private:
  ScoreTerm<T> bias(const ScoreInputs<T>& in) const override;
  int products() const override { return 0; }
  void add_bias_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                          Tables& d_tables) const override;

  T5Buckets config_;
  Matrix<T> table_;
  StageRounding rounding_;
};

}  // namespace orrery
