#include "experiments/checkpoints/family.h"

#include <utility>

namespace orrery {
namespace {

using OwnKeys = Family::OwnKeys;
using HeadTransform = Family::HeadTransform;

// Sources: Transformers 5.23, modeling_*.py and the conversions of its saved names; llama.cpp,
// gguf-py/gguf/constants.py.
constexpr std::string_view decoder_prefixes = "model. model.language_model. language_model.model.";

// clang-format would give every field a line of its own.
// clang-format off
constexpr TensorNames llama_names{.prefixes = decoder_prefixes};
constexpr TensorNames qk_norm_names{.prefixes = decoder_prefixes, .q_norm = "self_attn.q_norm",
    .k_norm = "self_attn.k_norm"};
constexpr TensorNames gemma2_names{.prefixes = decoder_prefixes, .q_norm = "self_attn.q_norm",
    .k_norm = "self_attn.k_norm", .after_attention = "post_attention_layernorm",
    .before_feed_forward = "pre_feedforward_layernorm",
    .after_feed_forward = "post_feedforward_layernorm"};
constexpr TensorNames olmo2_names{.prefixes = decoder_prefixes, .q_norm = "self_attn.q_norm",
    .k_norm = "self_attn.k_norm", .before_attention = "",
    .after_attention = "post_attention_layernorm", .before_feed_forward = "",
    .after_feed_forward = "post_feedforward_layernorm"};
constexpr TensorNames phi3_names{.prefixes = decoder_prefixes, .layout = QkvLayout::stacked,
    .qkv = "self_attn.qkv_proj", .gate_up = "mlp.gate_up_proj"};
constexpr TensorNames starcoder2_names{.prefixes = decoder_prefixes, .gate = "", .up = "mlp.c_fc",
    .down = "mlp.c_proj"};
constexpr TensorNames gpt2_names{.prefixes = "transformer.", .tokens = "wte", .positions = "wpe",
    .layer = "h.{}.", .layout = QkvLayout::stacked, .transposed = Transposed::layers,
    .qkv = "attn.c_attn", .o = "attn.c_proj", .before_attention = "ln_1",
    .before_feed_forward = "ln_2", .gate = "", .up = "mlp.c_fc", .down = "mlp.c_proj",
    .final_norm = "ln_f"};
constexpr TensorNames neox_names{.prefixes = "gpt_neox.", .tokens = "embed_in",
    .layout = QkvLayout::grouped, .qkv = "attention.query_key_value", .o = "attention.dense",
    .gate = "", .up = "mlp.dense_h_to_4h", .down = "mlp.dense_4h_to_h",
    .final_norm = "final_layer_norm", .vocabulary = "embed_out lm_head"};
constexpr TensorNames gptj_names{.prefixes = "transformer.", .tokens = "wte", .layer = "h.{}.",
    .q = "attn.q_proj", .k = "attn.k_proj", .v = "attn.v_proj", .o = "attn.out_proj",
    .before_attention = "ln_1", .before_feed_forward = "", .gate = "", .up = "mlp.fc_in",
    .down = "mlp.fc_out", .final_norm = "ln_f"};
constexpr TensorNames falcon_names{.prefixes = "transformer.", .tokens = "word_embeddings",
    .layer = "h.{}.", .layout = QkvLayout::grouped, .qkv = "self_attention.query_key_value",
    .o = "self_attention.dense", .before_attention = "ln_attn input_layernorm",
    .before_feed_forward = "ln_mlp post_attention_layernorm", .gate = "", .up = "mlp.dense_h_to_4h",
    .down = "mlp.dense_4h_to_h", .final_norm = "ln_f"};
constexpr TensorNames bloom_names{.prefixes = "transformer.", .tokens = "word_embeddings",
    .embedding_norm = "word_embeddings_layernorm", .layer = "h.{}.", .layout = QkvLayout::grouped,
    .qkv = "self_attention.query_key_value", .o = "self_attention.dense", .gate = "",
    .up = "mlp.dense_h_to_4h", .down = "mlp.dense_4h_to_h", .final_norm = "ln_f"};
constexpr TensorNames bert_names{.prefixes = "bert. roberta. roformer. xlm_roberta. camembert.",
    .tokens = "embeddings.word_embeddings", .positions = "embeddings.position_embeddings",
    .segments = "embeddings.token_type_embeddings", .embedding_norm = "embeddings.LayerNorm",
    .projection = "embeddings_project", .layer = "encoder.layer.{}.", .q = "attention.self.query",
    .k = "attention.self.key", .v = "attention.self.value", .o = "attention.output.dense",
    .before_attention = "", .after_attention = "attention.output.LayerNorm",
    .before_feed_forward = "", .after_feed_forward = "output.LayerNorm", .gate = "",
    .up = "intermediate.dense", .down = "output.dense", .final_norm = "",
    .vocabulary = "cls.predictions.decoder lm_head.decoder",
    .vocabulary_bias = "cls.predictions.bias lm_head.bias",
    .transform = "cls.predictions.transform.dense lm_head.dense",
    .transform_norm = "cls.predictions.transform.LayerNorm lm_head.layer_norm",
    .layer_table = "attention.self.distance_embedding", .rotations = "encoder.embed_positions"};
constexpr TensorNames modernbert_names{.prefixes = "model.", .tokens = "embeddings.tok_embeddings",
    .embedding_norm = "embeddings.norm", .layout = QkvLayout::stacked, .qkv = "attn.Wqkv",
    .o = "attn.Wo", .before_attention = "attn_norm_2 attn_norm", .before_feed_forward = "mlp_norm",
    .gate_up = "mlp.Wi", .down = "mlp.Wo", .final_norm = "final_norm", .vocabulary = "decoder",
    .transform = "head.dense", .transform_norm = "head.norm"};
constexpr TensorNames deberta_names{.prefixes = "deberta.", .tokens = "embeddings.word_embeddings",
    .positions = "embeddings.position_embeddings", .segments = "embeddings.token_type_embeddings",
    .embedding_norm = "embeddings.LayerNorm", .projection = "embeddings.embed_proj",
    .layer = "encoder.layer.{}.", .layout = QkvLayout::grouped, .qkv = "attention.self.in_proj",
    .o = "attention.output.dense", .q_bias = "attention.self.q_bias",
    .v_bias = "attention.self.v_bias", .before_attention = "",
    .after_attention = "attention.output.LayerNorm", .before_feed_forward = "",
    .after_feed_forward = "output.LayerNorm", .gate = "", .up = "intermediate.dense",
    .down = "output.dense", .final_norm = "", .vocabulary = "cls.predictions.decoder",
    .vocabulary_bias = "cls.predictions.bias lm_predictions.lm_head.bias",
    .transform = "cls.predictions.transform.dense lm_predictions.lm_head.dense",
    .transform_norm = "cls.predictions.transform.LayerNorm lm_predictions.lm_head.LayerNorm",
    .relative_table = "encoder.rel_embeddings", .relative_norm = "encoder.LayerNorm",
    .relative_query = "attention.self.pos_q_proj", .relative_key = "attention.self.pos_proj"};
constexpr TensorNames deberta_v2_names{.prefixes = "deberta.",
    .tokens = "embeddings.word_embeddings", .positions = "embeddings.position_embeddings",
    .segments = "embeddings.token_type_embeddings", .embedding_norm = "embeddings.LayerNorm",
    .projection = "embeddings.embed_proj", .layer = "encoder.layer.{}.",
    .q = "attention.self.query_proj", .k = "attention.self.key_proj",
    .v = "attention.self.value_proj", .o = "attention.output.dense", .before_attention = "",
    .after_attention = "attention.output.LayerNorm", .before_feed_forward = "",
    .after_feed_forward = "output.LayerNorm", .gate = "", .up = "intermediate.dense",
    .down = "output.dense", .final_norm = "", .vocabulary = "cls.predictions.decoder",
    .vocabulary_bias = "cls.predictions.bias lm_predictions.lm_head.bias",
    .transform = "cls.predictions.transform.dense lm_predictions.lm_head.dense",
    .transform_norm = "cls.predictions.transform.LayerNorm lm_predictions.lm_head.LayerNorm",
    .relative_table = "encoder.rel_embeddings", .relative_norm = "encoder.LayerNorm",
    .relative_query = "attention.self.pos_query_proj attention.self.query_proj",
    .relative_key = "attention.self.pos_key_proj attention.self.key_proj",
    .convolution = "encoder.conv.conv", .convolution_norm = "encoder.conv.LayerNorm"};
constexpr TensorNames t5_encoder_names{.tokens = "shared encoder.embed_tokens",
    .layer = "encoder.block.{}.", .q = "layer.0.SelfAttention.q", .k = "layer.0.SelfAttention.k",
    .v = "layer.0.SelfAttention.v", .o = "layer.0.SelfAttention.o",
    .before_attention = "layer.0.layer_norm", .before_feed_forward = "layer.1.layer_norm",
    .gate = "layer.1.DenseReluDense.wi_0",
    .up = "layer.1.DenseReluDense.wi layer.1.DenseReluDense.wi_1",
    .down = "layer.1.DenseReluDense.wo", .final_norm = "encoder.final_layer_norm", .vocabulary = "",
    .relative_table = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias"};
constexpr TensorNames t5_decoder_names{.tokens = "shared decoder.embed_tokens",
    .layer = "decoder.block.{}.", .q = "layer.0.SelfAttention.q", .k = "layer.0.SelfAttention.k",
    .v = "layer.0.SelfAttention.v", .o = "layer.0.SelfAttention.o",
    .before_attention = "layer.0.layer_norm", .before_feed_forward = "layer.2.layer_norm",
    .gate = "layer.2.DenseReluDense.wi_0",
    .up = "layer.2.DenseReluDense.wi layer.2.DenseReluDense.wi_1",
    .down = "layer.2.DenseReluDense.wo", .final_norm = "decoder.final_layer_norm",
    .relative_table = "decoder.block.0.layer.0.SelfAttention.relative_attention_bias",
    .before_memory = "layer.1.layer_norm", .memory_q = "layer.1.EncDecAttention.q",
    .memory_k = "layer.1.EncDecAttention.k", .memory_v = "layer.1.EncDecAttention.v",
    .memory_o = "layer.1.EncDecAttention.o"};
constexpr TensorNames xlnet_names{.prefixes = "transformer.", .tokens = "word_embedding",
    .layer = "layer.{}.", .transposed = Transposed::queries_keys_values, .q = "rel_attn.q",
    .k = "rel_attn.k", .v = "rel_attn.v", .o = "rel_attn.o", .before_attention = "",
    .after_attention = "rel_attn.layer_norm", .before_feed_forward = "",
    .after_feed_forward = "ff.layer_norm", .gate = "", .up = "ff.layer_1", .down = "ff.layer_2",
    .final_norm = "", .vocabulary = "lm_loss", .relative_key = "rel_attn.r",
    .content_bias = "rel_attn.r_w_bias", .position_bias = "rel_attn.r_r_bias",
    .segment_bias = "rel_attn.r_s_bias", .segment_table = "rel_attn.seg_embed"};
constexpr TensorNames transformer_xl_names{.prefixes = "transformer.",
    .tokens = "word_emb.emb_layers.0", .token_parts = "word_emb.emb_layers.{}",
    .part_projections = "word_emb.emb_projs.{}", .layout = QkvLayout::stacked,
    .qkv = "dec_attn.qkv_net", .o = "dec_attn.o_net", .before_attention = "dec_attn.layer_norm",
    .after_attention = "dec_attn.layer_norm", .before_feed_forward = "pos_ff.layer_norm",
    .after_feed_forward = "pos_ff.layer_norm", .gate = "", .up = "pos_ff.CoreNet.0",
    .down = "pos_ff.CoreNet.3", .final_norm = "", .vocabulary = "crit.out_layers.0",
    .relative_key = "dec_attn.r_net", .shared_content_bias = "r_w_bias",
    .shared_position_bias = "r_r_bias", .content_bias = "dec_attn.r_w_bias",
    .position_bias = "dec_attn.r_r_bias"};
constexpr TensorNames of_gguf{.tokens = "token_embd", .positions = "position_embd",
    .segments = "token_types", .embedding_norm = "token_embd_norm", .layer = "blk.{}.",
    .layout = QkvLayout::stacked, .qkv = "attn_qkv", .q = "attn_q", .k = "attn_k", .v = "attn_v",
    .o = "attn_output", .q_norm = "attn_q_norm", .k_norm = "attn_k_norm",
    .before_attention = "attn_norm_2 attn_norm",
    .after_attention = "post_attention_norm attn_output_norm",
    .before_feed_forward = "ffn_norm attn_norm",
    .after_feed_forward = "post_ffw_norm layer_output_norm", .gate_up = "", .gate = "ffn_gate",
    .up = "ffn_up", .down = "ffn_down", .final_norm = "output_norm", .vocabulary = "output"};
constexpr TensorNames gguf_encoder_names{.tokens = "token_embd", .layer = "enc.blk.{}.",
    .q = "attn_q", .k = "attn_k", .v = "attn_v", .o = "attn_o", .before_attention = "attn_norm",
    .before_feed_forward = "ffn_norm", .gate = "ffn_gate", .up = "ffn_up", .down = "ffn_down",
    .final_norm = "enc.output_norm", .vocabulary = "", .relative_table = "enc.blk.0.attn_rel_b"};
constexpr TensorNames gguf_of_decoder{.tokens = "token_embd", .layer = "dec.blk.{}.", .q = "attn_q",
    .k = "attn_k", .v = "attn_v", .o = "attn_o", .before_attention = "attn_norm",
    .before_feed_forward = "ffn_norm", .gate = "ffn_gate", .up = "ffn_up", .down = "ffn_down",
    .final_norm = "dec.output_norm", .vocabulary = "output",
    .relative_table = "dec.blk.0.attn_rel_b", .before_memory = "cross_attn_norm",
    .memory_q = "cross_attn_q", .memory_k = "cross_attn_k", .memory_v = "cross_attn_v",
    .memory_o = "cross_attn_o"};

constexpr OptionalTensors no_biases{.attention_bias = Presence::none, .output_bias = Presence::none,
    .inner_bias = Presence::none, .head_bias = Presence::none};
constexpr OptionalTensors qwen2_tensors{.attention_bias = Presence::needed,
    .output_bias = Presence::none, .inner_bias = Presence::none, .head_bias = Presence::none};
constexpr OptionalTensors layer_norms{.norm_bias = Presence::needed};
constexpr OptionalTensors biases_in_layers{.attention_bias = Presence::needed,
    .output_bias = Presence::needed, .inner_bias = Presence::needed, .norm_bias = Presence::needed,
    .head_bias = Presence::none};
constexpr OptionalTensors biases_behind_attention{.attention_bias = Presence::none,
    .output_bias = Presence::none, .inner_bias = Presence::needed, .norm_bias = Presence::needed,
    .head_bias = Presence::needed};
constexpr OptionalTensors bert_tensors{.attention_bias = Presence::needed,
    .output_bias = Presence::needed, .inner_bias = Presence::needed, .norm_bias = Presence::needed,
    .projection_bias = Presence::needed, .transform_bias = Presence::needed,
    .head_bias = Presence::needed, .segments = Presence::needed};
// W_q and W_v have biases of their own names.
constexpr OptionalTensors deberta_tensors{.attention_bias = Presence::none,
    .output_bias = Presence::needed, .inner_bias = Presence::needed, .norm_bias = Presence::needed,
    .projection_bias = Presence::none, .transform_bias = Presence::needed,
    .head_bias = Presence::needed, .query_bias = Presence::needed, .key_bias = Presence::none};
constexpr OptionalTensors deberta_v2_tensors{.attention_bias = Presence::needed,
    .output_bias = Presence::needed, .inner_bias = Presence::needed, .norm_bias = Presence::needed,
    .projection_bias = Presence::none, .transform_bias = Presence::needed,
    .head_bias = Presence::needed, .query_bias = Presence::needed, .key_bias = Presence::needed};

constexpr Family all_families[] = {
    {.name = "Llama", .types = "llama mistral", .architectures = "llama",
     .attention_bias_key = "attention_bias", .inner_bias_key = "mlp_bias", .names = &llama_names},
    {.name = "SmolLM3", .types = "smollm3", .architectures = "smollm3", .tied = true,
     .attention_bias_key = "attention_bias", .inner_bias_key = "mlp_bias", .names = &llama_names},
    {.name = "Qwen 2", .types = "qwen2", .architectures = "qwen2", .has = qwen2_tensors,
     .names = &llama_names},
    {.name = "Qwen 3", .types = "qwen3", .architectures = "qwen3", .qk_norm = QkNormSpan::head,
     .attention_bias_key = "attention_bias", .names = &qk_norm_names},
    {.name = "Gemma", .types = "gemma", .architectures = "gemma", .adds_one = true,
     .activation = Activation::gelu_tanh, .own_keys = OwnKeys::gemma, .scales_embedding = true,
     .tied = true, .attention_bias_key = "attention_bias", .names = &llama_names},
    {.name = "Gemma 2", .types = "gemma2", .architectures = "gemma2", .adds_one = true,
     .place = NormPlace::around, .activation_key = "hidden_activation",
     .activation = Activation::gelu_tanh, .attention_softcap = 50, .logit_softcap = 30,
     .scales_embedding = true, .tied = true, .attention_bias_key = "attention_bias",
     .names = &gemma2_names},
    {.name = "Gemma 3", .types = "gemma3_text", .architectures = "gemma3", .adds_one = true,
     .place = NormPlace::around, .activation_key = "hidden_activation",
     .activation = Activation::gelu_tanh, .qk_norm = QkNormSpan::head, .own_keys = OwnKeys::gemma3,
     .scales_embedding = true, .tied = true, .attention_bias_key = "attention_bias",
     .names = &gemma2_names},
    {.name = "Phi-3", .types = "phi3", .architectures = "phi3", .epsilon = 1e-5, .has = no_biases,
     .names = &phi3_names},
    {.name = "OLMo 2", .types = "olmo2", .architectures = "olmo2", .epsilon = 1e-5,
     .place = NormPlace::inside, .qk_norm = QkNormSpan::layer,
     .attention_bias_key = "attention_bias", .names = &olmo2_names},
    {.name = "StarCoder2", .types = "starcoder2", .architectures = "starcoder2",
     .norm = NormKind::layer, .epsilon_key = "norm_epsilon", .epsilon = 1e-5,
     .activation = Activation::gelu_tanh, .gated = false, .tied = true, .has = layer_norms,
     .attention_bias_key = "use_bias", .inner_bias_key = "use_bias", .names = &starcoder2_names},
    {.name = "GPT-2", .types = "gpt2", .architectures = "gpt2", .norm = NormKind::layer,
     .epsilon_key = "layer_norm_epsilon", .epsilon = 1e-5, .activation_key = "activation_function",
     .activation = Activation::gelu_tanh, .gated = false, .tied = true,
     .has = biases_in_layers, .inner_key = "n_inner", .names = &gpt2_names},
    {.name = "GPT-NeoX", .types = "gpt_neox", .architectures = "gptneox", .norm = NormKind::layer,
     .epsilon_key = "layer_norm_eps", .epsilon = 1e-5, .order = BlockOrder::parallel,
     .activation = Activation::gelu, .gated = false, .own_keys = OwnKeys::neox,
     .has = biases_in_layers, .attention_bias_key = "attention_bias", .names = &neox_names},
    {.name = "GPT-J", .types = "gptj", .norm = NormKind::layer, .epsilon_key = "layer_norm_epsilon",
     .epsilon = 1e-5, .order = BlockOrder::parallel_shared, .activation_key = "activation_function",
     .activation = Activation::gelu_tanh, .gated = false, .has = biases_behind_attention,
     .inner_key = "n_inner", .names = &gptj_names},
    {.name = "Falcon", .types = "falcon", .architectures = "falcon", .norm = NormKind::layer,
     .epsilon_key = "layer_norm_epsilon", .epsilon = 1e-5, .order = BlockOrder::parallel_shared,
     .activation_key = "activation", .activation = Activation::gelu, .gated = false,
     .own_keys = OwnKeys::falcon, .tied = true, .has = layer_norms, .attention_bias_key = "bias",
     .inner_bias_key = "bias", .inner_key = "ffn_hidden_size", .names = &falcon_names},
    {.name = "Bloom", .types = "bloom", .architectures = "bloom", .norm = NormKind::layer,
     .epsilon_key = "layer_norm_epsilon", .epsilon = 1e-5,
     .embedding_norm = EmbeddingNorm::before_projection, .activation_key = "",
     .activation = Activation::gelu_tanh_rounded, .gated = false, .own_keys = OwnKeys::bloom,
     .tied = true, .has = biases_in_layers, .inner_key = "", .names = &bloom_names},
    {.name = "BERT", .types = "bert", .architectures = "bert", .norm = NormKind::layer,
     .epsilon_key = "layer_norm_eps", .epsilon = 1e-12, .place = NormPlace::after,
     .embedding_norm = EmbeddingNorm::before_projection, .final_norm = false,
     .activation = Activation::gelu, .gated = false, .tied = true,
     .head_transform = HeadTransform::as_feed_forward, .has = bert_tensors, .names = &bert_names},
    {.name = "RoBERTa", .types = "roberta xlm-roberta camembert", .norm = NormKind::layer,
     .epsilon_key = "layer_norm_eps", .epsilon = 1e-12, .place = NormPlace::after,
     .embedding_norm = EmbeddingNorm::before_projection, .final_norm = false,
     .activation = Activation::gelu, .gated = false, .tied = true,
     .head_transform = HeadTransform::gelu, .counts_behind_pad = true, .has = bert_tensors,
     .names = &bert_names},
    {.name = "RoFormer", .types = "roformer", .norm = NormKind::layer,
     .epsilon_key = "layer_norm_eps", .epsilon = 1e-12, .place = NormPlace::after,
     .embedding_norm = EmbeddingNorm::before_projection, .final_norm = false,
     .activation = Activation::gelu, .gated = false, .tied = true,
     .head_transform = HeadTransform::as_feed_forward, .has = bert_tensors, .names = &bert_names},
    {.name = "ModernBERT", .types = "modernbert", .architectures = "modern-bert",
     .norm = NormKind::layer, .epsilon_key = "norm_eps", .epsilon = 1e-5,
     .embedding_norm = EmbeddingNorm::before_projection, .activation_key = "hidden_activation",
     .activation = Activation::gelu, .own_keys = OwnKeys::modernbert, .norms_embedding_alone = true,
     .tied = true, .head_transform = HeadTransform::as_feed_forward,
     .attention_bias_key = "attention_bias", .inner_bias_key = "mlp_bias",
     .names = &modernbert_names},
    {.name = "DeBERTa", .types = "deberta", .norm = NormKind::layer,
     .epsilon_key = "layer_norm_eps", .epsilon = 1e-7, .place = NormPlace::after,
     .embedding_norm = EmbeddingNorm::behind_projection, .final_norm = false,
     .activation = Activation::gelu, .gated = false, .own_keys = OwnKeys::deberta, .tied = true,
     .head_transform = HeadTransform::as_feed_forward, .has = deberta_tensors,
     .names = &deberta_names},
    {.name = "DeBERTa v2 and v3", .types = "deberta-v2", .norm = NormKind::layer,
     .epsilon_key = "layer_norm_eps", .epsilon = 1e-7, .place = NormPlace::after,
     .embedding_norm = EmbeddingNorm::behind_projection, .final_norm = false,
     .activation = Activation::gelu, .gated = false, .own_keys = OwnKeys::deberta_v2, .tied = true,
     .head_transform = HeadTransform::as_feed_forward, .has = deberta_v2_tensors,
     .names = &deberta_v2_names},
    {.name = "T5", .types = "t5 mt5", .architectures = "t5 t5encoder",
     .epsilon_key = "layer_norm_epsilon", .activation_key = "feed_forward_proj",
     .activation = Activation::relu, .gated = false, .own_keys = OwnKeys::t5, .tied = true,
     .has = no_biases, .inner_key = "d_ff", .names = &t5_encoder_names,
     .decoder = &t5_decoder_names},
    {.name = "XLNet", .types = "xlnet", .norm = NormKind::layer, .epsilon_key = "layer_norm_eps",
     .epsilon = 1e-12, .place = NormPlace::after, .final_norm = false,
     .activation_key = "ff_activation", .activation = Activation::gelu, .gated = false,
     .own_keys = OwnKeys::xlnet, .tied = true, .has = biases_behind_attention,
     .inner_key = "d_inner", .names = &xlnet_names},
    {.name = "Transformer-XL", .types = "transfo-xl", .norm = NormKind::layer,
     .epsilon_key = "layer_norm_epsilon", .epsilon = 1e-5, .place = NormPlace::after,
     .final_norm = false, .activation_key = "", .activation = Activation::relu, .gated = false,
     .own_keys = OwnKeys::transformer_xl, .scales_embedding = true, .tied = true,
     .has = biases_behind_attention, .inner_key = "d_inner", .names = &transformer_xl_names},
};
// clang-format on

// ACT2FN of Transformers, activations.py.
constexpr std::pair<std::string_view, Activation> activation_names[] = {
    {"gelu", Activation::gelu},
    {"gelu_new", Activation::gelu_tanh},
    {"gelu_pytorch_tanh", Activation::gelu_tanh},
    {"gelu_fast", Activation::gelu_tanh},
    {"gelu_python", Activation::gelu},
    {"quick_gelu", Activation::gelu_quick},
    {"relu", Activation::relu},
    {"relu2", Activation::squared_relu},
    {"silu", Activation::silu},
    {"swish", Activation::silu},
    {"tanh", Activation::tanh},
};

const Family* find(std::string_view Family::*list, std::string_view word) {
  for (const Family& family : all_families)
    if (lists_word(family.*list, word)) return &family;
  return nullptr;
}

}  // namespace

std::span<const Family> families() { return all_families; }

const Family* find_family_of_type(std::string_view model_type) {
  return find(&Family::types, model_type);
}

const Family* find_family_of_architecture(std::string_view architecture) {
  return find(&Family::architectures, architecture);
}

std::optional<Activation> activation_called(std::string_view name) {
  for (const auto& [known, activation] : activation_names)
    if (known == name) return activation;
  return std::nullopt;
}

const TensorNames& gguf_names(const Family& family) {
  return family.decoder ? gguf_encoder_names : of_gguf;
}

const TensorNames* gguf_decoder_names(const Family& family) {
  return family.decoder ? &gguf_of_decoder : nullptr;
}

}  // namespace orrery
