#include "experiments/model_files/model_types.h"

namespace orrery {
namespace {

// One row per type, by name; clang-format would give every field a line of its own.
// clang-format off
constexpr ModelType rope_types[] = {
    {.name = "afmoe", .sizes = {32, 2048, 16, 128, 16384}, .layers = LayerTypes::nth_is_full,
     .period = 4, .period_key = "global_attn_every_n_layers", .nope = NopeRule::on_full,
     .defaults = R"({"sliding_window": 1024})"},
    {.name = "apertus", .sizes = {32, 4096, 32, 0, 65536},
     .defaults = R"({"rope_parameters": {"rope_type": "llama3", "rope_theta": 12000000, "factor":
     8, "original_max_position_embeddings": 8192, "low_freq_factor": 1, "high_freq_factor": 4},
     "rope_theta": 12000000})"},
    {.name = "arcee", .sizes = {32, 2560, 32, 0, 4096}},
    {.name = "axk1", .sizes = {61, 7168, 64, 0, 32768}, .interleaved = true, .latent = true,
     .defaults = R"({"qk_rope_head_dim": 64, "qk_nope_head_dim": 128})"},
    {.name = "bamba", .sizes = {32, 4096, 32, 0, 262144}, .layers = LayerTypes::listed,
     .defaults = R"({"partial_rotary_factor": 0.5})",
     .unread = "partial_rotary_factor"},
    {.name = "beam", .sizes = {52, 5120, 48, 128, 8192}, .layers =
     LayerTypes::nth_and_last_are_full, .period = 6, .keys =
     RopeKeys::nested_only, .temperature = TemperatureRule::scalable,
     .defaults = R"({"rope_parameters": {"sliding_attention": {"rope_theta": 10000},
     "full_attention": null}, "sliding_window": 512})"},
    {.name = "bitnet", .sizes = {30, 2560, 20, 0, 2048},
     .defaults = R"({"rope_theta": 500000})"},
    {.name = "chameleon", .sizes = {32, 4096, 32, 0, 4096}},
    {.name = "codegen", .sizes = {28, 4096, 16, 0, 2048}, .interleaved = true, .keys =
     RopeKeys::gptj,
     .defaults = R"({"rotary_dim": 64})"},
    {.name = "cohere", .sizes = {40, 8192, 64, 0, 8192}, .interleaved = true,
     .defaults = R"({"rope_theta": 500000})"},
    {.name = "cohere2", .sizes = {40, 8192, 64, 0, 8192}, .interleaved = true, .layers =
     LayerTypes::nth_is_full, .period = 4, .period_key = "sliding_window_pattern", .nope =
     NopeRule::on_full,
     .defaults = R"({"sliding_window": 4096})"},
    {.name = "cohere2_moe", .sizes = {40, 8192, 64, 128, 8192}, .interleaved = true, .layers =
     LayerTypes::nth_is_full_after_dense, .period = 4, .period_key = "sliding_window_pattern",
     .nope = NopeRule::on_full_unless_dense,
     .defaults = R"({"sliding_window": 4096, "prefix_dense_sliding_window_pattern": 1})",
     .unread = "rope_scaling"},
    {.name = "cwm", .sizes = {64, 6144, 48, 128, 131072}, .layers = LayerTypes::multiples_are_full,
     .period = 4,
     .defaults = R"({"rope_parameters": {"rope_theta": 1000000, "factor": 16, "high_freq_factor":
     4, "low_freq_factor": 1, "original_max_position_embeddings": 8192, "rope_type": "llama3"},
     "rope_theta": 1000000, "sliding_window": 8192})"},
    {.name = "dbrx", .sizes = {24, 2048, 16, 0, 2048}},
    {.name = "deepseek_v2", .sizes = {32, 4096, 32, 0, 2048}, .interleaved = true, .latent = true,
     .defaults = R"({"qk_rope_head_dim": 64, "qk_nope_head_dim": 128})",
     .unread = "rope_interleave"},
    {.name = "deepseek_v3", .sizes = {61, 7168, 128, 0, 4096}, .interleaved = true, .latent = true,
     .defaults = R"({"qk_rope_head_dim": 64, "qk_nope_head_dim": 128})"},
    {.name = "deepseek_v32", .sizes = {61, 7168, 128, 0, 163840}, .interleaved = true, .latent =
     true, .indexer = "half_split",
     .defaults = R"({"qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "index_head_dim": 128})"},
    {.name = "deepseek_v4", .sizes = {43, 4096, 64, 512, 1048576}, .interleaved = true, .layers = LayerTypes::listed, .keys =
     RopeKeys::compressed, .indexer = "interleaved",
     .defaults = R"({"compress_rope_theta": 160000, "rope_theta": 10000, "partial_rotary_factor":
     0.125, "sliding_window": 128, "index_head_dim": 128})"},
    {.name = "dots1", .sizes = {62, 4608, 32, 0, 2048}, .layers =
     LayerTypes::max_window_layers_alone,
     .defaults = R"({"sliding_window": 4096, "max_window_layers": 62})"},
    {.name = "ernie4_5", .sizes = {18, 1024, 16, 128, 131072}, .interleaved = true,
     .defaults = R"({"rope_theta": 500000})"},
    {.name = "ernie4_5_moe", .sizes = {28, 2560, 20, 0, 131072}, .interleaved = true,
     .defaults = R"({"rope_theta": 500000})"},
    {.name = "esmc", .sizes = {80, 2560, 40, 0, 2048}, .bidirectional = true},
    {.name = "eurobert", .sizes = {12, 768, 12, 0, 8192}, .bidirectional = true},
    {.name = "exaone4", .sizes = {32, 4096, 32, 0, 2048}, .layers = LayerTypes::nth_is_full,
     .period = 4, .period_key = "sliding_window_pattern", .nope = NopeRule::on_full_with_windows,
     .defaults = R"({"sliding_window": 4096})"},
    {.name = "exaone_moe", .sizes = {32, 4096, 32, 0, 2048}, .layers = LayerTypes::nth_is_full,
     .period = 4, .period_key = "sliding_window_pattern", .nope = NopeRule::on_full_with_windows,
     .defaults = R"({"sliding_window": 4096})"},
    {.name = "falcon_h1", .sizes = {32, 4096, 32, 0, 8192}},
    {.name = "flex_olmo", .sizes = {32, 4096, 32, 0, 4096},
     .defaults = R"({"rope_theta": 500000})"},
    {.name = "gemma", .sizes = {28, 3072, 16, 256, 8192}},
    {.name = "gemma2", .sizes = {26, 2304, 8, 256, 8192}, .layers = LayerTypes::nth_is_full,
     .period = 2, .scale = ScaleRule::query_pre_attn_scalar,
     .defaults = R"({"query_pre_attn_scalar": 256, "sliding_window": 4096})"},
    {.name = "gemma3_text", .sizes = {26, 2304, 8, 256, 131072}, .layers =
     LayerTypes::nth_is_full, .period = 6, .period_key = "sliding_window_pattern", .window =
     WindowRule::both_ways_below, .keys = RopeKeys::dual_gemma, .scale =
     ScaleRule::query_pre_attn_scalar,
     .defaults = R"({"rope_theta": 1000000, "rope_local_base_freq": 10000,
     "query_pre_attn_scalar": 256, "sliding_window": 4096})"},
    {.name = "gemma3n_text", .sizes = {35, 2048, 8, 256, 32768}, .layers =
     LayerTypes::nth_is_full, .period = 5, .keys = RopeKeys::dual_gemma, .scale = ScaleRule::one,
     .defaults = R"({"rope_theta": 1000000, "rope_local_base_freq": 10000,
     "sliding_window": 512})"},
    {.name = "gemma4_text", .sizes = {30, 2304, 8, 256, 131072}, .layers =
     LayerTypes::nth_and_last_are_full, .period = 6, .keys = RopeKeys::nested_only, .scale =
     ScaleRule::one, .last_is_full = true,
     .defaults = R"({"rope_parameters": {"sliding_attention": {"rope_theta": 10000},
     "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta":
     1000000}}, "sliding_window": 512, "global_head_dim": 512})"},
    {.name = "glm", .sizes = {40, 4096, 32, 128, 131072}, .interleaved = true,
     .defaults = R"({"partial_rotary_factor": 0.5})"},
    {.name = "glm4", .sizes = {40, 4096, 32, 128, 131072}, .interleaved = true,
     .defaults = R"({"partial_rotary_factor": 0.5})"},
    {.name = "glm4_moe", .sizes = {46, 4096, 96, 0, 131072},
     .defaults = R"({"partial_rotary_factor": 0.5})"},
    {.name = "glm4_moe_lite", .sizes = {47, 2048, 20, 0, 202752}, .interleaved = true, .latent =
     true,
     .defaults = R"({"qk_rope_head_dim": 64, "qk_nope_head_dim": 192})"},
    {.name = "glm4v_moe_text", .sizes = {46, 4096, 96, 0, 65536}, .sections = Sections::chunked,
     .defaults = R"({"partial_rotary_factor": 0.5})"},
    {.name = "glm4v_text", .sizes = {40, 4096, 32, 0, 32768}, .interleaved = true, .sections =
     Sections::chunked, .frequencies_by_head_dim = true,
     .defaults = R"({"partial_rotary_factor": 1})"},
    {.name = "glm_moe_dsa", .sizes = {78, 6144, 64, 0, 202752}, .interleaved = true, .latent =
     true, .indexer = "interleaved",
     .defaults = R"({"qk_rope_head_dim": 64, "qk_nope_head_dim": 192, "index_head_dim": 128})"},
    {.name = "glm_ocr_text", .sizes = {16, 1024, 16, 0, 131072}, .interleaved = true, .sections =
     Sections::chunked,
     .defaults = R"({"partial_rotary_factor": 1})"},
    {.name = "gpt_neox", .sizes = {44, 6144, 64, 0, 2048}, .keys = RopeKeys::neox,
     .frequencies_by_head_dim = true,
     .defaults = R"({"rotary_pct": 0.25})"},
    {.name = "gpt_neox_japanese", .sizes = {32, 2560, 32, 0, 2048}, .keys = RopeKeys::neox,
     .defaults = R"({"rotary_pct": 1})"},
    {.name = "gpt_oss", .sizes = {36, 2880, 64, 64, 131072}, .layers = LayerTypes::nth_is_full,
     .period = 2,
     .defaults = R"({"rope_parameters": {"rope_type": "yarn", "factor": 32, "beta_fast": 32,
     "beta_slow": 1, "truncate": false, "original_max_position_embeddings": 4096},
     "rope_theta": 150000, "sliding_window": 128})"},
    {.name = "gptj", .sizes = {28, 4096, 16, 0, 2048}, .interleaved = true, .keys = RopeKeys::gptj,
     .defaults = R"({"rotary_dim": 64})"},
    {.name = "granite", .sizes = {32, 4096, 32, 0, 2048}, .scale = ScaleRule::attention_multiplier,
     .defaults = R"({"attention_multiplier": 1})"},
    {.name = "granite_swa", .sizes = {24, 2560, 20, 0, 8192}, .layers =
     LayerTypes::multiples_are_full, .period = 4, .nope = NopeRule::layer_rope_theta, .scale =
     ScaleRule::attention_multiplier,
     .defaults = R"({"attention_multiplier": 1, "sliding_window": 128})"},
    {.name = "granitemoe", .sizes = {32, 4096, 32, 0, 2048}, .scale =
     ScaleRule::attention_multiplier,
     .defaults = R"({"attention_multiplier": 1})"},
    {.name = "granitemoe_swa", .sizes = {32, 4096, 32, 0, 2048}, .layers =
     LayerTypes::multiples_are_full, .period = 4, .nope = NopeRule::layer_rope_theta, .scale =
     ScaleRule::attention_multiplier,
     .defaults = R"({"attention_multiplier": 1, "sliding_window": 128})"},
    {.name = "granitemoehybrid", .sizes = {32, 4096, 32, 0, 2048}, .layers = LayerTypes::listed,
     .nope = NopeRule::position_embedding_type, .scale = ScaleRule::attention_multiplier,
     .defaults = R"({"attention_multiplier": 1})"},
    {.name = "granitemoeshared", .sizes = {32, 4096, 32, 0, 2048}, .scale =
     ScaleRule::attention_multiplier,
     .defaults = R"({"attention_multiplier": 1})"},
    {.name = "gte", .sizes = {12, 768, 12, 0, 8192}, .bidirectional = true,
     .defaults = R"({"rope_theta": 160000})"},
    {.name = "helium", .sizes = {24, 2560, 20, 128, 4096}, .interleaved = true,
     .defaults = R"({"rope_theta": 100000})"},
    {.name = "hunyuan_v1_dense", .sizes = {32, 4096, 32, 0, 2048}, .norm_after_rotation = true},
    {.name = "hunyuan_v1_moe", .sizes = {32, 4096, 32, 0, 2048}, .norm_after_rotation = true},
    {.name = "hy_v3", .sizes = {80, 4096, 64, 128, 131072},
     .defaults = R"({"rope_theta": 11158840})"},
    {.name = "internlm3", .sizes = {48, 4096, 32, 128, 32768}},
    {.name = "jina_embeddings_v3", .sizes = {24, 1024, 16, 0, 8194}, .bidirectional = true,
     .defaults = R"({"rope_theta": 20000})"},
    {.name = "kolibri1", .sizes = {50, 2560, 48, 128, 262144}, .layers = LayerTypes::nth_is_full,
     .period = 5, .nope = NopeRule::on_full,
     .defaults = R"({"sliding_window": 513})"},
    {.name = "laguna", .sizes = {40, 2048, 48, 128, 131072}, .layers = LayerTypes::listed, .keys = RopeKeys::nested_only,
     .unscaled_part = 1,
     .defaults = R"({"rope_parameters": {"full_attention": {"rope_theta": 500000,
     "partial_rotary_factor": 0.5}, "sliding_attention": {"rope_theta": 10000,
     "partial_rotary_factor": 1}}, "sliding_window": 512})"},
    {.name = "lfm2", .sizes = {32, 2560, 32, 0, 128000}, .layers = LayerTypes::listed,
     .defaults = R"({"rope_theta": 1000000})"},
    {.name = "lfm2_moe", .sizes = {32, 2048, 32, 0, 128000}, .layers = LayerTypes::listed,
     .defaults = R"({"rope_theta": 1000000})"},
    {.name = "lfm3", .sizes = {24, 2048, 16, 128, 128000}, .layers =
     LayerTypes::convolutions_between, .keys = RopeKeys::nested_only,
     .defaults = R"({"rope_parameters": {"sliding_attention": {"rope_theta": 10000},
     "full_attention": {"rope_type": "proportional", "rope_theta": 1000000,
     "partial_rotary_factor": 0.5}}, "rope_theta": 1000000, "sliding_window": 256})"},
    {.name = "llama", .sizes = {32, 4096, 32, 0, 2048}},
    {.name = "llama4_text", .sizes = {48, 5120, 40, 128, 131072}, .interleaved = true, .layers =
     LayerTypes::chunked_where_rope, .nope = NopeRule::no_rope_layers, .temperature =
     TemperatureRule::llama4, .norm_after_rotation = true,
     .defaults = R"({"rope_theta": 500000, "attention_chunk_size": 8192,
     "attn_temperature_tuning": true, "floor_scale": 8192, "attn_scale": 0.1})"},
    {.name = "longcat_flash", .sizes = {56, 6144, 64, 0, 131072}, .interleaved = true, .latent =
     true, .two_per_block = true,
     .defaults = R"({"rope_theta": 10000000, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128})"},
    {.name = "mellum", .sizes = {28, 2304, 32, 128, 131072}, .layers = LayerTypes::listed, .keys = RopeKeys::nested_only,
     .defaults = R"({"rope_parameters": {"full_attention": {"rope_theta": 500000},
     "sliding_attention": {"rope_theta": 10000}}, "sliding_window": 1024})"},
    {.name = "mimo_v2_flash", .sizes = {48, 4096, 64, 192, 131072}, .layers =
     LayerTypes::first_and_nth_are_full, .period = 6, .keys = RopeKeys::nested_only,
     .unscaled_part = 0.334,
     .defaults = R"({"rope_parameters": {"full_attention": {"rope_theta": 5000000,
     "partial_rotary_factor": 0.334}, "sliding_attention": {"rope_theta": 10000,
     "partial_rotary_factor": 0.334}}, "sliding_window": 129})"},
    {.name = "minicpm3", .sizes = {62, 2560, 40, 0, 32768}, .latent = true,
     .defaults = R"({"qk_rope_head_dim": 32, "qk_nope_head_dim": 64})"},
    {.name = "minimax", .sizes = {32, 4096, 32, 0, 131072}, .layers =
     LayerTypes::first_of_two_is_full, .window = WindowRule::every_layer,
     .defaults = R"({"rope_theta": 1000000})"},
    {.name = "minimax_m2", .sizes = {62, 3072, 48, 128, 196608}, .keys = RopeKeys::rotary_dim,
     .defaults = R"({"rope_theta": 5000000})"},
    {.name = "ministral", .sizes = {32, 4096, 32, 0, 131072}, .layers = LayerTypes::all_sliding,
     .defaults = R"({"sliding_window": 4096})"},
    {.name = "ministral3", .sizes = {34, 4096, 32, 128, 262144}, .window = WindowRule::every_layer, .temperature =
     TemperatureRule::beta,
     .defaults = R"({"rope_parameters": {"rope_type": "yarn", "rope_theta": 1000000, "factor": 16,
     "original_max_position_embeddings": 16384, "max_position_embeddings": 262144, "beta_fast":
     32, "beta_slow": 1, "mscale_all_dim": 1, "mscale": 1, "llama_4_scaling_beta": 0.1}})"},
    {.name = "mistral", .sizes = {32, 4096, 32, 0, 131072}, .window = WindowRule::every_layer,
     .defaults = R"({"sliding_window": 4096})"},
    {.name = "mistral4", .sizes = {36, 4096, 32, 0, 1048576}, .interleaved = true, .temperature =
     TemperatureRule::beta, .latent = true,
     .defaults = R"({"rope_parameters": {"rope_type": "yarn", "rope_theta": 10000, "factor": 128,
     "original_max_position_embeddings": 8192, "max_position_embeddings": 1048576, "beta_fast":
     32, "beta_slow": 1, "mscale_all_dim": 1, "mscale": 1, "llama_4_scaling_beta": 0.1,
     "partial_rotary_factor": 0.5}, "partial_rotary_factor": 0.5, "qk_rope_head_dim": 64,
     "qk_nope_head_dim": 64})"},
    {.name = "mistral_large4_text", .sizes = {72, 6144, 64, 0, 1048576}, .interleaved = true,
     .nope = NopeRule::no_rope_layers, .temperature = TemperatureRule::learned, .latent = true,
     .indexer = "interleaved",
     .defaults = R"({"rope_parameters": {"rope_type": "yarn", "rope_theta": 10000, "factor": 2048,
     "original_max_position_embeddings": 512, "beta_fast": 32, "beta_slow": 1, "attention_factor":
     1}, "qk_rope_head_dim": 64, "qk_nope_head_dim": 64, "index_head_dim": 128})"},
    {.name = "mixtral", .sizes = {32, 4096, 32, 0, 131072}, .window = WindowRule::every_layer,
     .defaults = R"({"rope_theta": 1000000})"},
    {.name = "modernbert", .sizes = {22, 768, 12, 0, 8192}, .layers =
     LayerTypes::multiples_are_full, .period = 3, .period_key = "global_attn_every_n_layers",
     .window = WindowRule::half_local, .keys = RopeKeys::dual_bert, .bidirectional = true,
     .defaults = R"({"global_rope_theta": 160000, "local_rope_theta": 10000,
     "local_attention": 128})"},
    {.name = "modernbert-decoder", .sizes = {22, 768, 12, 0, 8192}, .layers =
     LayerTypes::multiples_are_full, .period = 3, .period_key = "global_attn_every_n_layers",
     .window = WindowRule::half_local, .keys = RopeKeys::dual_bert,
     .defaults = R"({"global_rope_theta": 160000, "local_rope_theta": 10000,
     "local_attention": 128})"},
    {.name = "moonshine", .sizes = {6, 288, 8, 0, 512}, .interleaved = true,
     .defaults = R"({"partial_rotary_factor": 0.9})"},
    {.name = "muse_spark_text", .sizes = {62, 8192, 128, 64, 1048576}, .layers =
     LayerTypes::counted_from_last, .period = 4, .nope = NopeRule::zero_layer_rope_theta,
     .defaults = R"({"rope_parameters": {"rope_theta": 500000}, "sliding_window": 2048})"},
    {.name = "nanochat", .sizes = {12, 768, 6, 0, 2048}, .clockwise = true,
     .norm_after_rotation = true},
    {.name = "nemotron", .sizes = {32, 6144, 48, 0, 4096},
     .defaults = R"({"partial_rotary_factor": 0.5})"},
    {.name = "nomic_bert", .sizes = {12, 768, 12, 0, 2048}, .bidirectional = true,
     .defaults = R"({"rope_theta": 1000})"},
    {.name = "olmo", .sizes = {32, 4096, 32, 0, 2048}},
    {.name = "olmo2", .sizes = {32, 4096, 32, 0, 2048}},
    {.name = "olmo3", .sizes = {32, 4096, 32, 0, 2048}, .layers = LayerTypes::nth_is_full, .period
     = 4, .keys = RopeKeys::dual_olmo,
     .defaults = R"({"rope_theta": 500000, "sliding_window": 4096})"},
    {.name = "olmo_hybrid", .sizes = {32, 3840, 30, 0, 65536}, .layers =
     LayerTypes::nth_or_last_rest_linear, .period = 4, .nope = NopeRule::null_rope_theta,
     .defaults = R"({"rope_theta": 10000})"},
    {.name = "olmoe", .sizes = {16, 2048, 16, 0, 4096}},
    {.name = "persimmon", .sizes = {36, 4096, 64, 0, 16384},
     .defaults = R"({"partial_rotary_factor": 0.5})"},
    {.name = "phi", .sizes = {24, 2048, 32, 0, 2048},
     .defaults = R"({"partial_rotary_factor": 0.5})"},
    {.name = "phi3", .sizes = {32, 3072, 32, 0, 4096}, .window = WindowRule::every_layer, .keys =
     RopeKeys::phi3,
     .defaults = R"({"partial_rotary_factor": 1, "original_max_position_embeddings": 4096})"},
    {.name = "phi4_multimodal", .sizes = {32, 3072, 32, 0, 131072}, .window =
     WindowRule::every_layer, .keys = RopeKeys::phi3,
     .defaults = R"({"partial_rotary_factor": 1, "original_max_position_embeddings": 4096})"},
    {.name = "phimoe", .sizes = {32, 4096, 32, 0, 131072}, .window = WindowRule::every_layer,
     .defaults = R"({"rope_theta": 1000000})"},
    {.name = "qwen2", .sizes = {32, 4096, 32, 0, 32768}, .layers =
     LayerTypes::after_max_window_layers,
     .defaults = R"({"sliding_window": 4096, "max_window_layers": 28})"},
    {.name = "qwen2_5_omni_text", .sizes = {28, 3584, 28, 0, 32768}, .layers =
     LayerTypes::after_max_window_layers, .sections = Sections::chunked,
     .defaults = R"({"rope_theta": 1000000, "sliding_window": 4096, "max_window_layers": 28})"},
    {.name = "qwen2_5_vl_text", .sizes = {80, 8192, 64, 0, 32768}, .layers =
     LayerTypes::after_max_window_layers, .sections = Sections::chunked,
     .defaults = R"({"rope_theta": 1000000, "sliding_window": 4096, "max_window_layers": 80})"},
    {.name = "qwen2_moe", .sizes = {24, 2048, 16, 0, 32768}, .layers =
     LayerTypes::odd_below_max_window_layers, .window = WindowRule::zero_without_flag,
     .defaults = R"({"sliding_window": 4096, "max_window_layers": 28})"},
    {.name = "qwen2_vl_text", .sizes = {80, 8192, 64, 0, 32768}, .layers =
     LayerTypes::after_max_window_layers, .sections = Sections::chunked,
     .defaults = R"({"rope_theta": 1000000, "sliding_window": 4096, "max_window_layers": 80})"},
    {.name = "qwen3", .sizes = {32, 4096, 32, 128, 32768}, .layers =
     LayerTypes::after_max_window_layers,
     .defaults = R"({"sliding_window": 4096, "max_window_layers": 28})"},
    {.name = "qwen3_5_moe_text", .sizes = {40, 2048, 16, 256, 32768}, .layers =
     LayerTypes::nth_is_full_rest_linear, .period = 4, .period_key = "full_attention_interval",
     .sections = Sections::in_turns,
     .defaults = R"({"partial_rotary_factor": 0.25})"},
    {.name = "qwen3_5_text", .sizes = {32, 4096, 16, 256, 32768}, .layers =
     LayerTypes::nth_is_full_rest_linear, .period = 4, .period_key = "full_attention_interval",
     .sections = Sections::in_turns,
     .defaults = R"({"partial_rotary_factor": 0.25})"},
    {.name = "qwen3_moe", .sizes = {24, 2048, 32, 0, 32768}, .window = WindowRule::with_flag,
     .defaults = R"({"sliding_window": 4096})"},
    {.name = "qwen3_next", .sizes = {48, 2048, 16, 256, 32768}, .layers =
     LayerTypes::nth_is_full_rest_linear, .period = 4, .period_key = "full_attention_interval",
     .defaults = R"({"partial_rotary_factor": 0.25})"},
    {.name = "qwen3_vl_moe_text", .sizes = {24, 2048, 16, 0, 128000}, .sections =
     Sections::in_turns,
     .defaults = R"({"rope_theta": 500000})"},
    {.name = "qwen3_vl_text", .sizes = {32, 4096, 32, 128, 128000}, .sections = Sections::in_turns,
     .defaults = R"({"rope_theta": 500000})"},
    {.name = "recurrent_gemma", .sizes = {26, 2560, 10, 0, 0}, .layers = LayerTypes::block_types,
     .defaults = R"({"partial_rotary_factor": 0.5, "sliding_window": 2048})"},
    {.name = "seed_oss", .sizes = {64, 4096, 80, 128, 524288}},
    {.name = "smollm3", .sizes = {36, 2048, 16, 0, 32768}, .layers = LayerTypes::sliding_without_rope, .nope = NopeRule::no_rope_layers,
     .defaults = R"({"rope_theta": 2000000})"},
    {.name = "solar_open", .sizes = {48, 4096, 64, 128, 131072},
     .defaults = R"({"rope_theta": 1000000})"},
    {.name = "stablelm", .sizes = {32, 2560, 32, 0, 4096},
     .defaults = R"({"partial_rotary_factor": 0.25})"},
    {.name = "starcoder2", .sizes = {30, 3072, 24, 0, 4096}, .window = WindowRule::every_layer},
    {.name = "vaultgemma", .sizes = {26, 2304, 8, 256, 8192}, .layers = LayerTypes::nth_is_full,
     .period = 2, .scale = ScaleRule::query_pre_attn_scalar,
     .defaults = R"({"query_pre_attn_scalar": 256, "sliding_window": 4096})"},
    {.name = "youtu", .sizes = {32, 2048, 16, 0, 131072}, .interleaved = true, .latent = true,
     .defaults = R"({"qk_rope_head_dim": 64, "qk_nope_head_dim": 128})"},
};
// clang-format on

}  // namespace

std::span<const ModelType> rope_model_types() { return rope_types; }

}  // namespace orrery
