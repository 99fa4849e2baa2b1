#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "core/attention/logit_factors.h"
#include "core/attention/mask.h"
#include "core/attention/tiles.h"
#include "core/attention/weight_rules.h"
#include "core/encoding.h"
#include "core/precision.h"

namespace orrery {

/// Where attention itself rounds, whatever the encoding: the queries and keys that come in, the
/// product behind each term, the scaled term, and so on to the output.
inline constexpr std::array<Stage, 7> attention_stages{Stage::qk,    Stage::value,  Stage::term,
                                                       Stage::scale, Stage::logits, Stage::weights,
                                                       Stage::output};

/// The doors that softmax attention can honour after the projections. An InputTerm acts before
/// them: see head.h.
template <class T>
struct SoftmaxDoors {
  const QkTransform<T>* qk_transform{nullptr};
  const ScoreTerms<T>* score_terms{nullptr};
  const ValueTerm<T>* value_term{nullptr};

  static SoftmaxDoors of(const Encoding& encoding);
};

template <class T>
struct AttentionInputs {
  MatrixIn<T> q;  ///< [N_q, d]
  MatrixIn<T> k;  ///< [N_k, d]
  MatrixIn<T> v;  ///< [N_k, d_v]
  PositionsIn m;  ///< [N_q]
  PositionsIn n;  ///< [N_k]
  int head{0};
  SegmentsIn segments{};
  const Matrix<T>* x{nullptr};  ///< [N_k, d_model], what k and v were projected from, where known
};

/// The values that a mask adds to the logits, as the term "mask". Only for a mask that adds.
template <class T>
ScoreTerm<T> mask_term(const Mask& mask);

/// Softmax over the keys each query may see. Subtracts the row's maximum first, so that logits of
/// any size are safe; sums in fp64. A −inf logit weighs exactly 0 beside a finite one. A query
/// whose keys are all masked has zero weights; one that sees keys of which every logit is −inf has
/// NaN weights, as it has in PyTorch. weights [N_q, N_k]; counts go to fully_masked_rows and
/// nan_rows.
/// @param sink  one more logit of every query that sees a key: it takes weight, and has no value
template <class T>
void masked_softmax(const Mask& mask, AttentionOutput<T>& out, std::optional<double> sink = {});

/// Eq. (2): a_mn = exp(q_m·k_n/√d) / Σ_j exp(q_m·k_j/√d), o_m = Σ_n a_mn v_n, with position by the
/// given doors. Without a ScoreTerms door the only term is "content" with the scale 1/√d; a mask
/// that adds to the logits appends the term "mask". Rounds at the stages qk, value, scale, logits,
/// weights and output; an encoding rounds what is its own. scoring.scale replaces the scale of
/// every product. Throws UsageError on shapes that do not fit, for fewer sinks than heads, and for
/// sinks with stick-breaking. Cost: O(N_q·N_k·(d + d_v)) time,
/// O(N_q·N_k) memory.
template <class T>
AttentionOutput<T> softmax_attention(const AttentionInputs<T>& in, const SoftmaxDoors<T>& doors,
                                     const Mask& mask = {}, const Scoring& scoring = {});

/// The terms and logits of softmax_attention without a mask; weights and output are left empty, and
/// in.v is not read. Cost: O(N_q·N_k·d) time, O(N_q·N_k) memory.
template <class T>
AttentionOutput<T> attention_logits(const AttentionInputs<T>& in, const SoftmaxDoors<T>& doors,
                                    const Scoring& scoring = {});

/// Receives the attention of a head, some queries at a time.
template <class T>
struct RowReader {
  /// Gets the number of the first query and what softmax_attention gives for it and those after it,
  /// from the first query to the last. It may take the part's matrices.
  std::function<void(Index first, AttentionOutput<T>& part)> use;
  Index rows{tile_queries};  ///< queries at a time
  bool map{true};            ///< false for attention_output, of all queries at once
  int threads{1};            ///< as many times `rows` are computed at once; any number: same bits
  /// Leaves out of a part's matrices the keys behind the last that one of its queries sees, where
  /// all values are finite and no encoding reads AttentionInputs::x.
  bool in_sight{false};
  /// Other keys in the places of the given ones, whose logits a part has too. [N_k, d]
  const MatrixIn<T>* other_k{nullptr};
};

/// softmax_attention for some queries at a time, with the same bits for any number of them. Without
/// keys out of sight what a ValueTerm adds may differ in its last place; nothing else does.
/// Memory: O(threads·rows·N_k).
template <class T>
void attention_by_rows(const AttentionInputs<T>& in, const SoftmaxDoors<T>& doors, const Mask& mask,
                       const Scoring& scoring, const RowReader<T>& reader);

/// The output of softmax_attention without its map: terms, logits and weights are left empty.
/// Where the terms have factors (ScoreTerms::logit_factors at consecutive positions, or no
/// ScoreTerms) and nothing is rounded after q, k and v, the softmax is computed block of keys by
/// block of keys: with each block, the sums so far are scaled to the largest logit so far.
/// Otherwise it is computed by rows, with a mask that adds for instance.
///
/// Accuracy: by blocks, the sums run in another order, which changes the last bits. Any number of
/// threads gives the same bits.
/// Cost: by blocks, O(N_q + N_k) numbers per channel in memory, and the factors of a part of them;
/// by rows, O(N_k) per thread.
/// Source: Milakov and Gimelshein 2018; Dao et al. 2022, algorithm 1.
template <class T>
AttentionOutput<T> attention_output(const AttentionInputs<T>& in, const SoftmaxDoors<T>& doors,
                                    const Mask& mask = {}, const Scoring& scoring = {},
                                    int threads = 1);

}  // namespace orrery
