#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/encoding.h"
#include "core/transformer/norm.h"

namespace orrery {

/// A linear layer as files hold it: y = x Wᵀ + b. An empty b adds nothing.
template <class T>
struct LinearWeights {
  Matrix<T> W{};  ///< [out, in]
  Matrix<T> b{};  ///< [1, out]
  /// W's numbers lie in the order in which this machine's kernels read them, see packed().
  bool is_packed{false};
};

/// Head h of the queries owns rows h·d_head … of q, kv head g rows g·d_head … of k and v.
template <class T>
struct AttentionWeights {
  LinearWeights<T> q{}, k{}, v{}, o{};
  NormWeights<T> q_norm{}, k_norm{};
  std::vector<double> sinks{};  ///< a logit per head that takes weight and has no value; or empty
};

template <class T>
struct FeedForwardWeights {
  LinearWeights<T> gate{}, up{}, down{};
};

/// A convolution over tokens: y_m = Σ_t W_t x_{m+t−(k−1)/2} + b, x 0 beyond both ends, and a norm.
template <class T>
struct ConvolutionWeights {
  std::vector<Matrix<T>> W{};  ///< k of [out, in]
  Matrix<T> b{};               ///< [1, out], or empty
  NormWeights<T> norm{};
};

/// A layer's weights. Its norms are named by the sub-layer and the side of it on which they stand;
/// those that the design has no place for are empty.
template <class T>
struct LayerWeights {
  /// Acts through all of its doors but the first; null for none.
  std::shared_ptr<const Encoding> encoding{};
  NormWeights<T> before_attention{}, after_attention{};
  NormWeights<T> before_memory{};
  NormWeights<T> before_feed_forward{}, after_feed_forward{};
  AttentionWeights<T> attention{};
  AttentionWeights<T> memory{};  ///< attends to an encoder's output
  FeedForwardWeights<T> feed_forward{};
  ConvolutionWeights<T> convolution{};  ///< where the design has one
};

/// What becomes of token vectors before the first layer.
template <class T>
struct EmbeddingWeights {
  /// Adds positions to the token vectors; null for none.
  std::shared_ptr<const Encoding> positions{};
  /// The token that positions do not count, where there is one, and what it has in their place. [1, d_embedding]
  std::optional<std::int32_t> pad{};
  Matrix<T> pad_position{};
  Matrix<T> segments{};           ///< [segments, d_embedding], of token types; or empty
  NormWeights<T> norm{};          ///< where the design has an embedding norm
  LinearWeights<T> projection{};  ///< d_embedding to d_model, where they differ
};

/// What becomes of hidden states behind the last layer, before the vocabulary's matrix.
template <class T>
struct HeadWeights {
  NormWeights<T> norm{};            ///< where the design has a final_norm
  LinearWeights<T> transform{};     ///< where the design has a head_transform
  NormWeights<T> transform_norm{};  ///< the same
};

/// Where a pass reads its weights from: a layer at a time, each once per pass and in order, and the
/// vocabulary some tokens at a time, so that a model may be larger than memory.
template <class T>
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  virtual Index vocabulary_size() const = 0;
  /// Vectors of tokens, which are of the vocabulary. [N, d_embedding]
  virtual Matrix<T> token_vectors(std::span<const std::int32_t> ids) = 0;
  virtual std::shared_ptr<const EmbeddingWeights<T>> embedding() = 0;
  virtual std::shared_ptr<const LayerWeights<T>> layer(int layer) = 0;
  virtual std::shared_ptr<const HeadWeights<T>> head() = 0;
  /// The vocabulary's matrix for the tokens first … first + count − 1. [count, d_model]
  virtual std::shared_ptr<const LinearWeights<T>> vocabulary(Index first, Index count) = 0;
};

}  // namespace orrery
