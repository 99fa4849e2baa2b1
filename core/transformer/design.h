#pragma once

#include <optional>
#include <vector>

#include "core/logit_rule.h"
#include "core/transformer/activation.h"
#include "core/transformer/norm.h"

namespace orrery {

/// Where a block normalises. x is the residual stream, f attention or feed-forward, N a norm.
enum class NormPlace {
  before,   ///< x + f(N(x)): GPT-2, Llama
  after,    ///< N(x + f(x)): Vaswani et al. 2017, BERT, RoFormer
  inside,   ///< x + N(f(x)): OLMo 2
  around,   ///< x + N'(f(N(x))): Gemma 2
  through,  ///< N(x) + f(N(x)): Bloom's apply_residual_connection_post_layernorm
};

/// Where token vectors are normalised before the first layer reads them.
enum class EmbeddingNorm {
  none,
  before_projection,  ///< at d_embedding: BERT, RoFormer, Bloom
  behind_projection,  ///< at d_model: DeBERTa
};

/// How the two halves of a block follow each other.
enum class BlockOrder {
  sequential,      ///< feed-forward reads what attention has added
  parallel,        ///< both read x, each through a norm of its own: GPT-NeoX
  parallel_shared  ///< both read N(x): GPT-J
};

struct AttentionDesign {
  Index heads{};
  Index kv_heads{};
  Index d_head{};     ///< of queries and keys
  Index d_value{};    ///< of values
  double softcap{0};  ///< c: logits l become c tanh(l/c), before the mask; 0 for none
  QkNormDesign qk_norm{};
  bool causal{true};
};

struct FeedForwardDesign {
  Activation activation{Activation::silu};
  bool gated{true};  ///< (f(x W_gate) ∘ x W_up) W_down: Shazeer 2020; else f(x W_up) W_down
};

/// What differs from layer to layer.
struct LayerDesign {
  Position window{0};  ///< keys with |m − n| < window; 0 for all
  LogitRule rule{};    ///< a factor of the query's logits, by its position
  /// Multiplies q·k; empty for that of the layer's encoding, 1/√d_head where it has none of its own.
  std::optional<double> scale{};
  /// x ← N(x + f(conv(x_l))) behind the layer, x_l what the layer has read: DeBERTa v2's first.
  std::optional<Activation> convolution{};
  bool attention_norm{true};  ///< false where attention reads x itself: layer 0 of ModernBERT
};

/// A transformer: everything about it but its weights and encodings.
struct TransformerDesign {
  std::vector<LayerDesign> layers{};
  NormDesign norm{};
  NormPlace norm_place{NormPlace::before};
  BlockOrder order{BlockOrder::sequential};
  AttentionDesign attention{};
  FeedForwardDesign feed_forward{};
  double embedding_scale{1};  ///< √d_model in Gemma
  EmbeddingNorm embedding_norm{EmbeddingNorm::none};
  bool final_norm{true};
  bool reads_memory{false};  ///< layers attend to an encoder's output, too: T5's decoder
  /// The head reads N(f(x W_tᵀ + b_t)) of the hidden states x: masked language models.
  std::optional<Activation> head_transform{};
  double residual_scale{1};  ///< multiplies what a block adds: Granite
  double logit_scale{1};     ///< multiplies the vocabulary's logits
  double logit_softcap{0};   ///< of the vocabulary's logits, after the scale: Gemma 2
};

}  // namespace orrery
