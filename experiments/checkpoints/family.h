#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/transformer/design.h"
#include "experiments/model_files/words.h"

namespace orrery {

/// How a file holds the rows of W_q, W_k and W_v.
enum class QkvLayout {
  separate,  ///< a tensor for each
  stacked,   ///< [Q | K | V] in one: GPT-2, Phi-3
  grouped,   ///< of each kv head its queries, its key and its value: GPT-NeoX, Bloom, Falcon
};

/// Which matrices a file holds as [in, out], where others have [out, in].
enum class Transposed {
  none,
  layers,              ///< all of the layers: GPT-2's Conv1D
  queries_keys_values  ///< those alone, as [d_model, heads, d_head]: XLNet
};

/// The names of a model's tensors, without ".weight" and ".bias". "{}" is the number of a layer;
/// names between spaces are alternatives, of which the first that a file has counts; empty where the
/// family has no such tensor.
struct TensorNames {
  std::string_view prefixes{};  ///< may precede all names but those of the head
  std::string_view tokens{"embed_tokens"};
  /// Tables for parts of the vocabulary, each with a projection: Transformer-XL's adaptive input. "{}"
  /// is the number of the part.
  std::string_view token_parts{}, part_projections{};
  std::string_view positions{}, segments{}, embedding_norm{}, projection{};
  std::string_view layer{"layers.{}."};  ///< precedes the names of a layer
  QkvLayout layout{QkvLayout::separate};
  Transposed transposed{};
  std::string_view qkv{};
  std::string_view q{"self_attn.q_proj"}, k{"self_attn.k_proj"}, v{"self_attn.v_proj"};
  std::string_view o{"self_attn.o_proj"};
  std::string_view q_bias{}, v_bias{};  ///< where they are tensors of their own: DeBERTa
  std::string_view q_norm{}, k_norm{};
  std::string_view before_attention{"input_layernorm"}, after_attention{};
  std::string_view before_feed_forward{"post_attention_layernorm"}, after_feed_forward{};
  std::string_view gate_up{};  ///< [gate | up] in one
  std::string_view gate{"mlp.gate_proj"}, up{"mlp.up_proj"}, down{"mlp.down_proj"};
  std::string_view final_norm{"norm"};
  std::string_view vocabulary{"lm_head"};
  std::string_view vocabulary_bias{};  ///< where it is a tensor of its own: BERT
  std::string_view transform{}, transform_norm{};
  // Of encodings: a table by distance that all layers share, and what a layer has of its own.
  std::string_view relative_table{}, relative_norm{};
  std::string_view layer_table{};
  std::string_view
      rotations{};  ///< sines and cosines of all angles, which are computed here: RoFormer
  std::string_view relative_query{}, relative_key{};
  std::string_view shared_content_bias{}, shared_position_bias{};  ///< where layers share them
  std::string_view content_bias{}, position_bias{}, segment_bias{}, segment_table{};
  std::string_view convolution{}, convolution_norm{};  ///< behind the first layer
  // Of an encoder-decoder's decoder.
  std::string_view before_memory{}, memory_q{}, memory_k{}, memory_v{}, memory_o{};
};

/// Whether the models of a family have a tensor.
enum class Presence {
  as_stored,  ///< if the file has it, in every layer or in none
  needed,
  none,
};

/// Presence of what not every model has.
struct OptionalTensors {
  Presence attention_bias{};  ///< of W_q, W_k and W_v
  Presence output_bias{};     ///< of W_o
  Presence inner_bias{};      ///< of the feed-forward
  Presence norm_bias{};       ///< where norms are layer norms
  Presence projection_bias{}, transform_bias{}, head_bias{};
  Presence query_bias{}, key_bias{};  ///< of DeBERTa's W_qr and W_kr
  Presence positions{}, segments{};
};

/// A family of models: what its code does, where no key of a file says it. Keys are those of a
/// config.json.
struct Family {
  /// Keys of a config.json that one family alone has.
  enum class OwnKeys {
    none,
    t5,
    falcon,
    neox,
    bloom,
    modernbert,
    gemma,
    gemma3,
    deberta,
    deberta_v2,
    xlnet,
    transformer_xl
  };
  /// The nonlinearity of a masked language model's head.
  enum class HeadTransform { none, as_feed_forward, gelu };

  std::string_view name{};           ///< "GPT-2"
  std::string_view types{};          ///< its values of model_type, between spaces
  std::string_view architectures{};  ///< its values of general.architecture in a GGUF
  NormKind norm{NormKind::rms};
  std::string_view epsilon_key{"rms_norm_eps"};
  double epsilon{1e-6};  ///< where a file has no such key
  bool adds_one{};       ///< gains are stored as differences from 1; never in a GGUF
  NormPlace place{NormPlace::before};
  BlockOrder order{BlockOrder::sequential};
  EmbeddingNorm embedding_norm{EmbeddingNorm::none};
  bool final_norm{true};
  std::string_view activation_key{"hidden_act"};
  Activation activation{Activation::silu};
  bool gated{true};
  QkNormSpan qk_norm{QkNormSpan::none};
  double attention_softcap{};  ///< where a file has no attn_logit_softcapping; 0 for none
  double logit_softcap{};      ///< where a file has no final_logit_softcapping
  OwnKeys own_keys{OwnKeys::none};
  bool scales_embedding{};       ///< by √d_model
  bool norms_embedding_alone{};  ///< attention of layer 0 reads what the embedding has normalised
  bool tied{};                   ///< where a file has no tie_word_embeddings
  HeadTransform head_transform{HeadTransform::none};
  bool counts_behind_pad{};  ///< positions: row pad_token_id + 1 of the table is that of position 0
  OptionalTensors has{};
  /// Keys that say whether biases are there: of attention with W_o, and of the feed-forward.
  std::string_view attention_bias_key{}, inner_bias_key{};
  std::string_view inner_key{"intermediate_size"};  ///< of the feed-forward's width
  const TensorNames* names{};
  const TensorNames* decoder{};  ///< of an encoder-decoder
};

/// THE table of families: assets/families/checkpoints.json. Throws DataError.
std::span<const Family> families();

/// Null for a model_type, or an architecture of a GGUF, of which no family is known.
const Family* find_family_of_type(std::string_view model_type);
const Family* find_family_of_architecture(std::string_view architecture);

/// The nonlinearity that files call so: "gelu_new".
std::optional<Activation> activation_called(std::string_view name);

/// The names of tensors in a GGUF of the family, to which llama.cpp's converter translates those of
/// files: the same for all, but for an encoder-decoder, whose encoder's they are.
const TensorNames& gguf_names(const Family& family);
/// Those of an encoder-decoder's decoder; null for other families.
const TensorNames* gguf_decoder_names(const Family& family);

}  // namespace orrery
