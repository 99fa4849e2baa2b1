#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/transformer/design.h"
#include "core/transformer/pass_edits.h"
#include "core/transformer/weights.h"

namespace orrery {

/// A sequence as a model reads it.
struct TokenSequence {
  std::span<const std::int32_t> ids{};       ///< [N]
  PositionsIn positions{};                   ///< [N]; empty for 0 … N − 1
  std::span<const std::int32_t> segments{};  ///< [N], token types; empty for all 0
};

/// Keys, after their norm and position, and values of the tokens that passes have read so far.
template <class T>
struct KeyValueCache {
  std::vector<Matrix<T>> keys{};    ///< by layer: [tokens, kv_heads·d_head]
  std::vector<Matrix<T>> values{};  ///< by layer: [tokens, kv_heads·d_value]
  Positions positions{};
  std::vector<std::int32_t> segments{};  ///< empty where none were given
};

/// What a pass may be given beside its tokens.
template <class T>
struct PassOptions {
  Probe<T> probe{};                      ///< sees what its readers want on the way
  int threads{1};                        ///< any number gives the same bits
  std::function<void()> before_layer{};  ///< called in front of each; what it throws ends the pass
  /// Queries also see the keys in it, and the pass appends its own: a causal model then computes
  /// for the next tokens alone what a pass over all of them would, but for rounding.
  KeyValueCache<T>* cache{nullptr};
  const Matrix<T>* memory{nullptr};    ///< [N_k, d_model], an encoder's output, for a decoder
  const PassEdits<T>* edits{nullptr};  ///< what is otherwise than in the model
  /// A pass that goes on from the residual stream of an earlier one [N, d_model], in front of this
  /// layer; without it all is computed.
  const Matrix<T>* hidden{nullptr};
  int first_layer{0};
  /// The pass ends in front of this layer, and returns the residual stream there; −1: it ends behind
  /// the last norm.
  int end_layer{-1};
  /// Of Quantity::moved_logits: key j has the content of key moved_keys[j] at its own position. The
  /// pass goes on with the model's own. [N], without a cache, or empty.
  std::span<const Index> moved_keys{};
};

/// The forward pass of a transformer: x₀ = E[token] (and positions), x_{l+1} = x_l + A(x_l) + F(…)
/// as the design places norms, and the last norm. [N, d_model]
///   A(x) = concat_h(softmax(l_h) v_h) W_oᵀ, l_h by the layer's encoding, eq. (2)
///   F(x) = (f(x W_gateᵀ) ∘ x W_upᵀ) W_downᵀ
///
/// Throws UsageError for a token outside of the vocabulary, segments or positions of another
/// number, a last layer that the model does not have, moved keys that the sequence does not have, or
/// behind a cache, a memory that the design
/// does not read, and weights of shapes that do not fit the design; an edit that the model has no
/// place for, or that changes nothing (pass_edits.h); what the
/// source throws. Throws NotFiniteError, naming layer, quantity and token: the first infinity or NaN.
/// Cost: O(N·weights + layers·heads·N²·d_head) time; memory for one layer's weights and
/// O(N·d_model), and a map for each head that the probe wants one of.
template <class T>
Matrix<T> forward(const TransformerDesign& design, WeightSource<T>& weights,
                  const TokenSequence& tokens, const PassOptions<T>& options = {});

/// Logits of the vocabulary from hidden states that forward returned. [N, vocabulary]
template <class T>
Matrix<T> vocabulary_logits(const TransformerDesign& design, WeightSource<T>& weights,
                            const MatrixIn<T>& hidden, int threads = 1);

/// −ln p of each next token, in nats: [N − 1]. Exponentials in T, off by at most 2 units in the last
/// place, summed in fp64 over blocks of a panel; some tokens of the vocabulary at a time, so that no
/// row of all of it is held, but for `last`.
/// Throws UsageError for another number of tokens than of hidden states.
/// @param last  gets the logits behind the last token, [1, vocabulary]; null for none
template <class T>
std::vector<double> next_token_losses(const TransformerDesign& design, WeightSource<T>& weights,
                                      const MatrixIn<T>& hidden, std::span<const std::int32_t> ids,
                                      int threads = 1, Matrix<T>* last = nullptr);

}  // namespace orrery
