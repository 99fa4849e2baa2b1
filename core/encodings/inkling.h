#pragma once

#include <memory>
#include <vector>

#include "core/encoding.h"
#include "core/encodings/relative_index.h"
#include "core/encodings/settings.h"

namespace orrery {

/// Inkling's content-mixed relative bias: each query mixes profiles of bias against distance by
/// its content.
///   logits_mn = q_m·k_n/√d + r_m·P[:, m − n] for 0 ≤ m − n < extent, and q_m·k_n/√d elsewhere
///   r_m = q_mᵀ W_h
///
/// P [profiles, extent] serves all heads, W_h [d_head, profiles] one. The released model reads r_m
/// from the layer's input, by 16 numbers a head; here it reads q_m = W_q x_m, since the door has
/// queries only. Keys ahead of the query, and those from `extent` on, have no bias: in the model's
/// layers with a window the extent is the window. The model's temperature of long texts multiplies
/// q and the bias alike: see LogitRule. The encoding is relative: P[:, m − n] is a vector per
/// distance as in Shaw, of low rank.
///
/// Terms: content, mixed_bias.
/// Cost: extent·profiles numbers per query.
/// Source: Transformers, modeling_inkling, InklingRelativeLogits.
template <class T>
class Inkling final : public Encoding, public TableTerms<T> {
 public:
  /// mixing [heads·d_head, profiles], head by head; profiles [profiles, extent]. Rounding is of
  /// both. Throws UsageError for shapes that do not fit.
  Inkling(Matrix<T> mixing, Matrix<T> profiles, Index d_head, const StageRounding& rounding = {});

  static EncodingInfo info();
  static std::unique_ptr<Inkling> make(const EncodingSettings& settings);
  static void check(const EncodingSettings& settings);

  EncodingTraits traits() const override { return {.relative = true}; }

 private:
  std::vector<TableTerm<T>> table_terms(const ScoreInputs<T>& in) const override;
  /// W_h P, the vectors that multiply a query at each distance, as rows, and a row of zeros behind
  /// them. [extent + 1, d_head]. Throws UsageError for a head that is not there, or another width.
  Matrix<T> vectors_of(const ScoreInputs<T>& in) const;
  /// The derivative of vectors_of: d_rows are ∂loss by its rows from `first` on.
  void add_vector_gradients(int head, Index first, const Matrix<T>& d_rows, Tables& d_tables) const;
  /// The row for a distance m − n.
  Index row_of(Position distance) const;

  Matrix<T> mixing_;
  Matrix<T> profiles_;
  Index d_head_;
};

}  // namespace orrery
