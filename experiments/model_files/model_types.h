#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace orrery {

/// What a model of this type does where its file does not say otherwise: the defaults of its
/// configuration class and the code of its attention in Transformers 5.24.
struct ModelType {
  /// How the types of layers follow from their numbers where a file has no `layer_types`. Counting is
  /// from 0; n is the row's `period`, or the key `period_key` of the file.
  enum class LayerTypes {
    one_type,     ///< every layer is full_attention, and the class reads no layer_types
    listed,       ///< every layer is full_attention
    nth_is_full,  ///< layers n − 1, 2n − 1, … are full_attention, the others sliding
    nth_is_full_after_dense,  ///< the same, counted from layer first_k_dense_replace; before it n is
                              ///< prefix_dense_sliding_window_pattern
    nth_and_last_are_full,    ///< the last is full_attention, too
    first_and_nth_are_full,   ///< the first is full_attention, too
    multiples_are_full,       ///< layers 0, n, 2n, … are full_attention
    counted_from_last,        ///< the last and every nth before it are full_attention
    all_sliding,              ///< while sliding_window is not null
    after_max_window_layers,  ///< sliding from layer max_window_layers on, if use_sliding_window
    max_window_layers_alone,  ///< the same without the switch
    odd_below_max_window_layers,  ///< sliding at 0, 2, … below it, if use_sliding_window
    sliding_without_rope,         ///< sliding where no_rope_layers is 0, if use_sliding_window
    chunked_where_rope,           ///< chunked_attention where no_rope_layers is 1
    nth_is_full_rest_linear,      ///< the others are linear_attention
    nth_or_last_rest_linear,      ///< the same; the last is full_attention where there is no nth
    first_of_two_is_full,  ///< layers 0, 2, … are full_attention, the others linear_attention
    block_types,           ///< the list `block_types`, repeated
    ends_and_second_of_n_are_full,  ///< the first two, the last, and of each n the second
    linear_between,                 ///< linear, sliding, linear, full, sliding, repeated
    convolutions_between  ///< full at 2, 6, …, sliding at 4, 8, …, convolutions elsewhere
  };

  /// On which layers `sliding_window` acts.
  enum class WindowRule {
    by_type,          ///< those of type sliding_attention: none where every layer is of one type
    both_ways_below,  ///< by type; masks that look both ways have |m − n| less than their number
    every_layer,      ///< all, unless it is null
    with_flag,        ///< all, if use_sliding_window
    zero_without_flag,  ///< by type; 0, which hides every key, without use_sliding_window
    window_size,        ///< by type; its key is window_size
    each_side,          ///< by type; |m − n| up to their number
    half_local          ///< by type; half of local_attention, which sliding_window overrides
  };

  /// Which attention layers have no position encoding.
  enum class NopeRule {
    never,
    on_full,                 ///< those of type full_attention
    on_full_with_windows,    ///< the same, unless sliding_window is null
    on_full_unless_dense,    ///< the same, but for dense ones of mlp_layer_types while
                             ///< prefix_dense_sliding_window_pattern is 1
    no_rope_layers,          ///< where that list has 0; by default every fourth
    layer_rope_theta,        ///< where that list has 0; its other numbers are bases
    zero_layer_rope_theta,   ///< where that list has 0; by default every fourth from the last
    null_rope_theta,         ///< all, if rope_theta is null or in nested dictionaries alone
    position_embedding_type  ///< all, unless it is rope
  };

  /// The keys of a file that set RoPE's base, scaling and width, beside rope_parameters.
  enum class RopeKeys {
    standard,    ///< rope_theta, rope_scaling, partial_rotary_factor
    dual_gemma,  ///< rope_theta and rope_scaling of full layers, rope_local_base_freq of sliding ones
    dual_bert,    ///< global_rope_theta, local_rope_theta; rope_scaling of both
    dual_olmo,    ///< rope_theta of both, rope_scaling of full layers
    nested_only,  ///< one dictionary per type, and nothing beside it
    neox,         ///< rotary_emb_base, rotary_pct
    phi3,         ///< as standard; types su and yarn mean longrope
    rotary_dim,   ///< as standard, with rotary_dim channels
    gptj,         ///< rotary_dim channels, base 10000
    compressed    ///< dictionaries main and compress; the last channels turn, and values with them
  };

  /// By what q·k is multiplied.
  enum class ScaleRule {
    head_dim,
    inverse_head_dim,
    half_head_dim,
    query_pre_attn_scalar,
    attention_multiplier,
    one
  };

  /// A factor on queries that grows with their position.
  enum class TemperatureRule { none, llama4, beta, scalable, learned };

  /// Positions with three axes: how pairs are shared out by mrope_section.
  enum class Sections { none, chunked, in_turns };

  struct Sizes {
    int layers, hidden, heads, head_dim, context;  ///< 0: the class has none
  };
  std::string_view name{};            ///< `model_type`
  std::string_view encoding{"rope"};  ///< or what stands in its place, see other_encodings.cpp
  Sizes sizes{};
  bool interleaved{};  ///< pairs (2t, 2t+1), else (t, t + r/2)
  LayerTypes layers{LayerTypes::one_type};
  int period{};
  std::string_view period_key{};
  WindowRule window{WindowRule::by_type};
  NopeRule nope{NopeRule::never};
  RopeKeys keys{RopeKeys::standard};
  ScaleRule scale{ScaleRule::head_dim};
  TemperatureRule temperature{TemperatureRule::none};
  Sections sections{Sections::none};
  bool latent{};               ///< q and k are [nope | rope]: qk_nope_head_dim and qk_rope_head_dim
  bool bidirectional{};        ///< no causal mask
  bool clockwise{};            ///< turns by −m·theta
  bool norm_after_rotation{};  ///< of q and k, unless use_qk_norm is false: no attention factor
                               ///< remains
  bool last_is_full{};         ///< the last layer is full_attention, whatever layer_types says
  bool counted_by_list{};      ///< as many layers as layer_types or its pattern has
  bool two_per_block{};        ///< num_layers counts blocks of two layers
  bool frequencies_by_head_dim{};  ///< head_dim is the width of which frequencies are a part; heads
                                   ///< are hidden_size / num_attention_heads wide
  double unscaled_part{};  ///< of the head that turns in layers without a scaling whose dictionary
                           ///< names none; 0: as in other layers
  std::string_view indexer{};  ///< pairing of the attention that picks keys; empty: there is none
  bool indexer_turns_last{};   ///< the last channels of its heads, else the first
  /// Values of further keys; null: none. A type reads partial_rotary_factor where it has a value
  /// here or takes another key for it.
  const nlohmann::ordered_json* defaults{};
  std::string_view unread{};  ///< keys between spaces that other types read and this one does not
};

/// Every type that is known: assets/families/model_types.json. Throws DataError.
std::span<const ModelType> model_types();
/// Null for an unknown name.
const ModelType* find_model_type(std::string_view name);

/// Whether the code of a type that is not in the table reads partial_rotary_factor where no scaling
/// does; empty where that is not known.
std::optional<bool> unlisted_type_reads_part(std::string_view name);

/// The type whose keys a type of another name has: "qwen2_vl_text" for a flat "qwen2_vl". The name
/// itself where there is none.
std::string_view text_type_of(std::string_view name);

/// The name of a class of Transformers without what it is for: "gptneox" of GPTNeoXForCausalLM.
std::string stem_of_class(std::string_view name);
/// Whether a class is one of the type's: their names begin alike, but for case and strokes.
bool is_class_of(std::string_view name, std::string_view type);
/// The known type that a class is named after; empty where there is none.
std::string_view type_of_class(std::string_view name);

}  // namespace orrery
