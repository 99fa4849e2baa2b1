#pragma once

#include "core/attention/softmax_attention.h"

namespace orrery {

/// Projections of one head, applied from the right: q = x W_q + b_q. Each W is [d_model, d_head],
/// each b one row [1, d_head]; an empty b adds nothing (DeBERTa v1 has b_q and b_v only).
template <class T>
struct Projections {
  Matrix<T> W_q;
  Matrix<T> W_k;
  Matrix<T> W_v;
  Matrix<T> b_q{};
  Matrix<T> b_k{};
  Matrix<T> b_v{};

  // [N, d_head] of contents [N, d_model]. Throw UsageError for a b that is not as wide as its W.
  Matrix<T> queries(const MatrixIn<T>& x) const;
  Matrix<T> keys(const MatrixIn<T>& x) const;
  Matrix<T> values(const MatrixIn<T>& x) const;

  /// q = k = v = x.
  static Projections identity(Index d_model);
};

/// Independent normals with variance 1/d_model, so that projections keep the variance of x. The
/// numbers depend on seed and head only.
template <class T>
Projections<T> random_projections(std::int64_t seed, int head, Index d_model, Index d_head);

/// Contents of tokens, before the projections: of those with queries and of those with keys.
template <class T>
struct LayerContents {
  MatrixIn<T> x_q;    ///< [N_q, d_model]
  MatrixIn<T> x_k;    ///< [N_k, d_model]
  PositionsIn m;      ///< [N_q]
  PositionsIn n;      ///< [N_k]
  int first_head{0};  ///< the head that attends, the first of several
  SegmentsIn segments{};
};

/// A whole attention head from contents, with any encoding through any of its doors. Self-attention
/// gives the same x and positions twice; decoding with cached keys gives one query and all keys.
/// An InputTerm adds p to x before the projections, eq. (3); its logits then come as the four terms
/// of eq. (6): content, content_to_position, position_to_content, position_to_position, each over
/// √d. The biases b_q and b_k, which eq. (6) does not have, count as content. A mask that adds to
/// the logits is one more term. Throws UsageError on shapes that do not fit, and for segments that
/// the encoding does not read.
template <class T>
AttentionOutput<T> attention_head(const Encoding& encoding, const Projections<T>& projections,
                                  const LayerContents<T>& in, const Mask& mask = {},
                                  const Scoring& scoring = {});

/// The same for some queries at a time.
template <class T>
void attention_head_by_rows(const Encoding& encoding, const Projections<T>& projections,
                            const LayerContents<T>& in, const Mask& mask, const Scoring& scoring,
                            const RowReader<T>& reader);

/// Attention from projected q, k, v. Throws UsageError when the encoding has an InputTerm: it would
/// have to act before the projections, which are not known here; and for segments that it does not
/// read.
template <class T>
AttentionOutput<T> attention_from_qkv(const Encoding& encoding, const AttentionInputs<T>& in,
                                      const Mask& mask = {}, const Scoring& scoring = {});

/// The same for some queries at a time.
template <class T>
void attention_from_qkv_by_rows(const Encoding& encoding, const AttentionInputs<T>& in,
                                const Mask& mask, const Scoring& scoring,
                                const RowReader<T>& reader);

}  // namespace orrery
