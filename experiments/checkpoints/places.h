#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"
#include "experiments/checkpoints/family.h"
#include "experiments/checkpoints/keys.h"
#include "experiments/checkpoints/tensor_store.h"

namespace orrery {

/// A tensor and what it is called; null where a model has none.
struct PlacedTensor {
  std::string name{};
  const StoredTensor* tensor{nullptr};
  explicit operator bool() const { return tensor != nullptr; }
};

/// Where a linear layer lies.
struct PlacedLinear {
  /// Rows of a matrix.
  struct Rows {
    Index first{};
    Index count{};
  };

  PlacedTensor W{}, b{};
  /// Which outputs of W and b are its own, in this order; empty for all.
  std::vector<Rows> outputs{};
  bool transposed{};           ///< W is [in, out]
  std::vector<Rows> biases{};  ///< of b, where they lie otherwise than those of W
  bool adds_b{true};           ///< false where the code leaves it out
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

/// Where all weights of a stack of layers lie.
struct Places {
  /// A part of the vocabulary: E_i P_iᵀ, E_i [tokens, channels], P_i [d_model, channels].
  struct Part {
    PlacedTensor table{}, projection{};
  };

  std::vector<Part> parts{};  ///< in place of `tokens`, where there are several
  PlacedTensor tokens{}, positions{}, segments{};
  PlacedNorm embedding_norm{};
  PlacedLinear projection{};
  PlacedTensor rotations{};       ///< [positions, d_head], sines before cosines
  PlacedTensor relative_table{};  ///< T5's biases, DeBERTa's vectors by distance: of all layers
  PlacedNorm relative_norm{};
  std::vector<PlacedLayer> layers{};
  PlacedNorm final_norm{};
  PlacedLinear transform{}, vocabulary{};
  PlacedNorm transform_norm{};
};

inline constexpr std::string_view of_weights = ".weight";
inline constexpr std::string_view of_biases = ".bias";

// Each calls use(tensor) for the tensors in the same order, whether they are there or not.

template <class Use>
void for_each_tensor(const PlacedLinear& linear, const Use& use) {
  use(linear.W);
  use(linear.b);
}
template <class Use>
void for_each_tensor(const PlacedNorm& norm, const Use& use) {
  use(norm.gain);
  use(norm.bias);
}
template <class Use>
void for_each_tensor(const PlacedAttention& attention, const Use& use) {
  for (const PlacedLinear* linear : {&attention.q, &attention.k, &attention.v, &attention.o})
    for_each_tensor(*linear, use);
  for_each_tensor(attention.q_norm, use);
  for_each_tensor(attention.k_norm, use);
}
template <class Use>
void for_each_tensor(const PlacedLayer& layer, const Use& use) {
  for (const PlacedNorm* norm :
       {&layer.before_attention, &layer.after_attention, &layer.before_memory,
        &layer.before_feed_forward, &layer.after_feed_forward})
    for_each_tensor(*norm, use);
  for_each_tensor(layer.attention, use);
  for_each_tensor(layer.memory, use);
  for_each_tensor(layer.relative.query, use);
  for_each_tensor(layer.relative.key, use);
  for (const PlacedTensor* tensor :
       {&layer.relative.table, &layer.relative.content_bias, &layer.relative.position_bias,
        &layer.relative.segment_bias, &layer.relative.segment_table})
    use(*tensor);
  for (const PlacedLinear* linear : {&layer.gate, &layer.up, &layer.down})
    for_each_tensor(*linear, use);
  use(layer.convolution);
  use(layer.convolution_bias);
  for_each_tensor(layer.convolution_norm, use);
}
template <class Use>
void for_each_tensor(const Places& places, const Use& use) {
  for (const PlacedTensor* tensor : {&places.tokens, &places.positions, &places.segments,
                                     &places.rotations, &places.relative_table})
    use(*tensor);
  for (const PlacedNorm* norm :
       {&places.embedding_norm, &places.relative_norm, &places.final_norm, &places.transform_norm})
    for_each_tensor(*norm, use);
  for (const PlacedLinear* linear : {&places.projection, &places.transform, &places.vocabulary})
    for_each_tensor(*linear, use);
  for (const Places::Part& part : places.parts) {
    use(part.table);
    use(part.projection);
  }
  for (const PlacedLayer& layer : places.layers) for_each_tensor(layer, use);
}

/// "h.3." of "h.{}.".
std::string numbered(std::string_view name, int number);

/// Finds tensors by a family's names.
class TensorFinder {
 public:
  /// A dimension that a tensor must have, and what of a model it is; 0: any but 0.
  struct Dimension {
    Index size{};
    std::string_view name{};
  };
  using Shape = std::vector<Dimension>;

  /// Both must outlive it.
  TensorFinder(const TensorStore& store, const TensorNames& names);

  /// The first of the names that the file has, behind a prefix or without.
  /// @param suffix  ".weight", or "" for a tensor that has none
  PlacedTensor find(std::string_view names, std::string_view suffix) const;
  /// The same. Throws DataError: it has another shape, a type that is not decoded, or is needed and
  /// missing.
  PlacedTensor find(std::string_view names, std::string_view suffix, const Shape& shape,
                    Presence presence = Presence::as_stored) const;
  PlacedTensor need(std::string_view names, std::string_view suffix, const Shape& shape) const {
    return find(names, suffix, shape, Presence::needed);
  }
  /// Throws DataError: the file has none of them.
  [[noreturn]] void refuse_missing(std::string_view names, std::string_view suffix) const;
  [[noreturn]] void refuse(const PlacedTensor& placed, const std::string& what,
                           const std::string& remedy) const;
  [[noreturn]] void refuse_shape(const PlacedTensor& placed, std::string_view expected) const;
  /// Throws DataError: a tensor that the first layer has and another lacks, or the other way round.
  /// @param name, first_name  of the layers, "h.3."
  /// @param norm_may_differ   the norm before attention alone may do so
  void require_like(const PlacedLayer& first, const std::string& first_name,
                    const PlacedLayer& layer, const std::string& name, int number,
                    bool norm_may_differ) const;
  const TensorStore& store() const { return store_; }

 private:
  const TensorStore& store_;
  std::vector<std::string> prefixes_{};  ///< "" is the last
};

/// The places of a stack's weights, each of the shape and presence that the keys and the plan imply.
/// Sets the number of kv heads in the design, where the files do not say it.
/// @param plan  of the layers of the stack
/// Throws DataError, naming file and tensor: one that is missing, of another shape, of a type that is
/// not decoded, or that some layers have and others lack.
Places find_places(const TensorStore& store, const TensorNames& names,
                   const std::vector<LayerPlan>& plan, ModelKeys& keys);

/// The tensors of the file that no place names and that are no buffers of the code, as
/// "attn.masked_bias" is: a part of the model that the family does not have.
std::vector<std::string> unread_tensors(const TensorStore& store,
                                        const std::vector<const Places*>& places);

}  // namespace orrery
