#pragma once

#include <string>
#include <vector>

#include "core/types.h"
#include "experiments/checkpoints/family.h"
#include "experiments/checkpoints/tensor_store.h"

namespace orrery::checkpoints {

/// Rows of a matrix.
struct RowRange {
  Index first{};
  Index count{};
};

/// A tensor and what it is called; null where a model has none.
struct PlacedTensor {
  std::string name{};
  const StoredTensor* tensor{nullptr};
  explicit operator bool() const { return tensor != nullptr; }
};

/// Where a linear layer lies.
struct PlacedLinear {
  PlacedTensor W{}, b{};
  /// Which outputs of W and b are its own, in this order; empty for all.
  std::vector<RowRange> outputs{};
  bool transposed{};               ///< W is [in, out]
  std::vector<RowRange> biases{};  ///< of b, where they lie otherwise than those of W
  Index in{}, out{};
};

struct PlacedNorm {
  PlacedTensor gain{}, bias{};
};

struct PlacedAttention {
  PlacedLinear q{}, k{}, v{}, o{};
  PlacedNorm q_norm{}, k_norm{};
};

/// Where what a layer's encoding has learned lies.
struct PlacedPositions {
  PlacedTensor table{};         ///< Shaw's vectors by distance: BERT's relative_key
  PlacedLinear query{}, key{};  ///< DeBERTa's W_qr and W_kr; Transformer-XL's W_kR is `key`
  PlacedTensor content_bias{}, position_bias{};  ///< u and v of Transformer-XL and XLNet
  PlacedTensor segment_bias{}, segment_table{};  ///< s and g of XLNet
};

struct PlacedLayer {
  PlacedNorm before_attention{}, after_attention{};
  PlacedNorm before_memory{};
  PlacedNorm before_feed_forward{}, after_feed_forward{};
  PlacedAttention attention{}, memory{};
  PlacedPositions relative{};
  PlacedLinear gate{}, up{}, down{};
  PlacedTensor convolution{}, convolution_bias{};  ///< [out, in, taps], [out]
  PlacedNorm convolution_norm{};
};

/// A part of the vocabulary: E_i P_iᵀ, E_i [tokens, channels], P_i [d_model, channels].
struct PlacedPart {
  PlacedTensor table{}, projection{};
};

/// Where all weights of a stack of layers lie.
struct Places {
  std::vector<PlacedPart> parts{};  ///< in place of `tokens`, where there are several
  PlacedTensor tokens{}, positions{}, segments{};
  PlacedNorm embedding_norm{};
  PlacedLinear projection{};
  PlacedTensor relative_table{};  ///< T5's biases, DeBERTa's vectors by distance: of all layers
  PlacedNorm relative_norm{};
  std::vector<PlacedLayer> layers{};
  PlacedNorm final_norm{};
  PlacedLinear transform{}, vocabulary{};
  PlacedNorm transform_norm{};
};

/// Finds tensors by a family's names.
class TensorFinder {
 public:
  /// Both must outlive it.
  TensorFinder(const TensorStore& store, const TensorNames& names);

  /// The first of the names that the file has, behind a prefix or without.
  /// @param suffix  ".weight", or "" for a tensor that has none
  PlacedTensor find(std::string_view names, std::string_view suffix) const;
  /// Throws DataError where the file has none of them.
  PlacedTensor need(std::string_view names, std::string_view suffix) const;
  const TensorStore& store() const { return store_; }

 private:
  const TensorStore& store_;
  std::vector<std::string> prefixes_{};  ///< "" is the last
};

/// The places of a stack's weights. Sets the number of kv heads in the design, where it has none.
/// @param tied  whether the head has the tokens' vectors where the file has no matrix for it
/// Throws DataError, naming the tensor: one that is missing, or of another shape than the others
/// imply.
Places find_places(const TensorStore& store, const TensorNames& names, TransformerDesign& design,
                   bool tied);

/// The tensors of the file that no place names and that are no buffers of the code, as
/// "attn.masked_bias" is: a part of the model that the family does not have.
std::vector<std::string> unread_tensors(const TensorStore& store,
                                        const std::vector<const Places*>& places);

}  // namespace orrery::checkpoints
