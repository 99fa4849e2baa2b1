#include "experiments/model_files/model_types.h"

#include <algorithm>

#include "experiments/model_files/words.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

using LayerTypes = ModelType::LayerTypes;
using WindowRule = ModelType::WindowRule;
using ScaleRule = ModelType::ScaleRule;

// clang-format off
constexpr ModelType other_types[] = {
    {.name = "albert", .encoding = "learned", .sizes = {12, 4096, 64, 0, 512},
     .bidirectional = true, .unread = "head_dim"},
    {.name = "bart mbart", .encoding = "learned", .sizes = {12, 1024, 16, 0, 1024},
     .bidirectional = true, .unread = "head_dim"},
    {.name = "bigbird_pegasus", .encoding = "learned", .sizes = {16, 1024, 16, 0, 4096},
     .bidirectional = true, .defaults = R"({"attention_type": "block_sparse"})",
     .unread = "head_dim"},
    {.name = "blenderbot", .encoding = "learned", .sizes = {2, 2560, 32, 0, 128},
     .bidirectional = true, .unread = "head_dim"},
    {.name = "blenderbot-small", .encoding = "learned", .sizes = {8, 512, 16, 0, 512},
     .bidirectional = true, .unread = "head_dim"},
    {.name = "layoutlm lilt luke splinter squeezebert mra data2vec-text ernie ibert "
     "roberta-prelayernorm", .encoding = "learned", .sizes = {12, 768, 12, 0, 512},
     .bidirectional = true, .unread = "head_dim"},
    {.name = "big_bird", .encoding = "learned", .sizes = {12, 768, 12, 0, 4096},
     .bidirectional = true, .defaults = R"({"attention_type": "block_sparse"})",
     .unread = "head_dim"},
    {.name = "yoso", .encoding = "learned", .sizes = {12, 768, 12, 0, 4096},
     .bidirectional = true, .unread = "head_dim"},
    {.name = "marian pegasus m2m_100", .encoding = "sinusoidal", .sizes = {12, 1024, 16, 0, 1024},
     .bidirectional = true, .unread = "head_dim"},
    {.name = "fastspeech2_conformer", .encoding = "conformer", .sizes = {4, 384, 2, 0, 0},
     .bidirectional = true, .defaults = R"({"decoder_layers": 4, "decoder_num_attention_heads":
     2})", .unread = "head_dim"},
    {.name = "parakeet_encoder", .encoding = "conformer", .sizes = {24, 1024, 8, 0, 5000},
     .bidirectional = true, .unread = "head_dim"},
    {.name = "plbart", .encoding = "learned", .sizes = {6, 768, 12, 0, 1024},
     .bidirectional = true, .unread = "head_dim"},
    {.name = "rembert", .encoding = "learned", .sizes = {32, 1152, 18, 0, 512},
     .bidirectional = true, .unread = "head_dim"},
    {.name = "tapas", .encoding = "learned", .sizes = {12, 768, 12, 0, 1024},
     .bidirectional = true, .unread = "head_dim"},
    {.name = "wav2vec2-conformer", .encoding = "bert", .sizes = {12, 768, 12, 0, 0},
     .bidirectional = true, .defaults = R"({"position_embeddings_type": "relative"})",
     .unread = "head_dim"},
    {.name = "bert camembert roberta xlm-roberta", .encoding = "bert",
     .sizes = {12, 768, 12, 0, 512}, .bidirectional = true, .unread = "head_dim"},
    {.name = "roc_bert", .encoding = "bert", .sizes = {12, 768, 12, 0, 512},
     .bidirectional = true, .unread = "head_dim position_embedding_type"},
    {.name = "bert-generation megatron-bert", .encoding = "bert", .sizes = {24, 1024, 16, 0, 512},
     .bidirectional = true, .unread = "head_dim position_embedding_type"},
    {.name = "flaubert xlm", .encoding = "bert", .sizes = {12, 2048, 16, 0, 512},
     .bidirectional = true, .unread = "head_dim position_embedding_type is_decoder"},
    {.name = "mobilebert", .encoding = "learned", .sizes = {24, 512, 4, 0, 512},
     .bidirectional = true, .defaults = R"({"use_bottleneck": true, "intra_bottleneck_size": 128})",
     .unread = "head_dim"},
    {.name = "xlm-roberta-xl", .encoding = "bert", .sizes = {36, 2560, 32, 0, 514},
     .bidirectional = true, .unread = "head_dim position_embedding_type"},
    {.name = "biogpt", .encoding = "learned", .sizes = {24, 1024, 16, 0, 1024},
     .unread = "head_dim"},
    {.name = "bloom", .encoding = "alibi", .sizes = {2, 64, 8, 0, 0}},
    {.name = "ctrl", .encoding = "sinusoidal", .sizes = {48, 1280, 16, 0, 256},
     .unread = "head_dim"},
    {.name = "deberta", .encoding = "deberta", .sizes = {12, 768, 12, 0, 512},
     .bidirectional = true, .defaults = R"({"pos_att_type": [], "max_relative_positions": -1})"},
    {.name = "deberta-v2", .encoding = "deberta", .sizes = {24, 1536, 24, 0, 512},
     .bidirectional = true, .defaults = R"({"pos_att_type": [], "max_relative_positions": -1,
     "norm_rel_ebd": "none"})"},
    {.name = "distilbert", .encoding = "learned", .sizes = {6, 768, 12, 0, 512},
     .bidirectional = true, .unread = "head_dim"},
    {.name = "electra", .encoding = "bert", .sizes = {12, 256, 4, 0, 512}, .bidirectional = true,
     .unread = "head_dim"},
    {.name = "esm", .encoding = "bert", .sizes = {12, 768, 12, 0, 1026}, .bidirectional = true,
     .unread = "head_dim"},
    {.name = "falcon", .encoding = "falcon", .sizes = {32, 4544, 71, 0, 2048}},
    {.name = "gpt2 gpt_bigcode", .encoding = "learned", .sizes = {12, 768, 12, 0, 1024},
     .unread = "head_dim"},
    {.name = "gpt_neo", .encoding = "learned", .sizes = {24, 2048, 16, 0, 2048},
     .layers = LayerTypes::multiples_are_full, .period = 2, .window = WindowRule::window_size,
     .scale = ScaleRule::one, .defaults = R"({"window_size": 256})",
     .unread = "head_dim layer_types sliding_window"},
    {.name = "inkling2_text", .encoding = "content_mixed", .sizes = {48, 4608, 48, 128, 1048576},
     .layers = LayerTypes::nth_is_full, .period = 6, .defaults = R"({"sliding_window": 1024,
     "swa_head_dim": 128})"},
    {.name = "inkling2_loop_text", .encoding = "content_mixed",
     .sizes = {24, 2304, 24, 128, 1048576}, .layers = LayerTypes::nth_is_full, .period = 6,
     .defaults = R"({"sliding_window": 1024, "swa_head_dim": 128})"},
    {.name = "inkling_text", .encoding = "content_mixed", .sizes = {66, 6144, 64, 128, 131072},
     .layers = LayerTypes::nth_is_full, .period = 6, .scale = ScaleRule::inverse_head_dim,
     .defaults = R"({"sliding_window": 512, "swa_head_dim": 128})"},
    {.name = "jamba", .encoding = "none", .sizes = {32, 4096, 32, 0, 262144},
     .defaults = R"({"attn_layer_period": 8, "attn_layer_offset": 4})"},
    {.name = "kimi_linear", .encoding = "none", .sizes = {27, 2304, 32, 0, 1048576},
     .layers = LayerTypes::listed, .latent = true, .defaults = R"({"qk_rope_head_dim": 64,
     "qk_nope_head_dim": 128})"},
    {.name = "longt5 t5", .encoding = "t5", .sizes = {6, 512, 8, 64, 0}, .scale = ScaleRule::one,
     .bidirectional = true},
    {.name = "mamba", .encoding = "not_attention", .sizes = {32, 768, 0, 0, 0}},
    {.name = "mamba2", .encoding = "not_attention", .sizes = {64, 4096, 0, 64, 0}},
    {.name = "mpnet", .encoding = "t5", .sizes = {12, 768, 12, 0, 512}, .bidirectional = true},
    {.name = "mpt", .encoding = "mpt", .sizes = {24, 2048, 16, 0, 2048}},
    {.name = "mt5 umt5", .encoding = "t5", .sizes = {8, 512, 6, 64, 0}, .scale = ScaleRule::one,
     .bidirectional = true},
    {.name = "nemotron_h", .encoding = "none", .sizes = {4, 4096, 32, 128, 4096},
     .layers = LayerTypes::listed, .counted_by_list = true,
     .defaults = R"({"hybrid_override_pattern": "ME*-"})", .unread = "sliding_window"},
    {.name = "opt", .encoding = "learned", .sizes = {12, 768, 12, 0, 2048}, .unread = "head_dim"},
    {.name = "roformer", .encoding = "roformer", .sizes = {12, 768, 12, 0, 1536},
     .interleaved = true, .bidirectional = true},
    {.name = "rwkv", .encoding = "not_attention", .sizes = {32, 4096, 0, 0, 1024}},
    {.name = "sew-d", .encoding = "deberta", .sizes = {12, 768, 12, 0, 512}, .bidirectional = true,
     .defaults = R"({"relative_attention": true, "position_buckets": 256, "pos_att_type": ["p2c",
     "c2p"], "max_relative_positions": -1, "norm_rel_ebd": "layer_norm"})"},
    {.name = "switch_transformers", .encoding = "t5", .sizes = {12, 768, 12, 64, 0},
     .scale = ScaleRule::one, .bidirectional = true, .unread = "head_dim"},
    {.name = "transfo-xl", .encoding = "transformer_xl", .sizes = {18, 1024, 16, 64, 0},
     .defaults = R"({"clamp_len": 1000})"},
    {.name = "udop", .encoding = "t5", .sizes = {24, 1024, 16, 64, 0}, .scale = ScaleRule::one,
     .bidirectional = true, .unread = "head_dim"},
    {.name = "wav2vec2-bert", .encoding = "bert", .sizes = {24, 1024, 16, 0, 5000},
     .bidirectional = true, .defaults = R"({"position_embeddings_type": "relative_key",
     "left_max_position_embeddings": 64, "right_max_position_embeddings": 8})",
     .unread = "head_dim"},
    {.name = "xglm", .encoding = "sinusoidal", .sizes = {24, 1024, 16, 0, 2048}},
    {.name = "xlnet", .encoding = "transformer_xl", .sizes = {24, 1024, 16, 0, 0},
     .bidirectional = true, .defaults = R"({"clamp_len": -1})"},
};

struct TextType {
  std::string_view name, text;
};

// Multimodal types, and second names of one type.
constexpr TextType text_types[] = {
    {"cohere_compass", "cohere2"},   {"gemma3", "gemma3_text"},
    {"gemma3n", "gemma3n_text"},     {"gemma4", "gemma4_text"},
    {"glm4v", "glm4v_text"},         {"glm4v_moe", "glm4v_moe_text"},
    {"glm_ocr", "glm_ocr_text"},     {"kimi_k2", "deepseek_v3"},
    {"inkling", "inkling_text"},     {"inkling2", "inkling2_text"},
    {"inkling_mm_model", "inkling_text"},
    {"kimi_k25", "deepseek_v3"},     {"kimi_vl", "deepseek_v3"},
    {"llama4", "llama4_text"},       {"llava", "llama"},
    {"mistral3", "mistral"},         {"mistral_large4", "mistral_large4_text"},
    {"muse_spark", "muse_spark_text"}, {"paligemma", "gemma"},
    {"qwen2_5_omni", "qwen2_5_omni_text"}, {"qwen2_5_vl", "qwen2_5_vl_text"},
    {"qwen2_vl", "qwen2_vl_text"},   {"qwen3_5", "qwen3_5_text"},
    {"qwen3_5_moe", "qwen3_5_moe_text"}, {"qwen3_vl", "qwen3_vl_text"},
    {"qwen3_vl_moe", "qwen3_vl_moe_text"}, {"deberta_v2", "deberta-v2"},
    {"gemma4_unified", "gemma4_unified_text"}, {"parakeet_ctc", "parakeet_encoder"},
    {"fastspeech2_conformer_with_hifigan", "fastspeech2_conformer"},
    {"hunyuandensev1", "hunyuan_v1_dense"}, {"hunyuanmoev1", "hunyuan_v1_moe"},
    {"exaone", "llama"},             {"iquestcoder", "llama"},
};
// clang-format on

// Types that are read by their keys alone, by what their code does with partial_rotary_factor.
constexpr std::string_view turn_a_part =
    "diffusion_gemma_text efficientloftr glm_image_text glmasr_encoder moonshine_streaming "
    "musicflamingo nemotron3_5_transcribe_asr_audio nemotron3_5_transcribe_word_timestamp "
    "nemotron3_diarization qwen4_exp_text step3p5 zaya";
constexpr std::string_view turn_all =
    "blt_global_transformer blt_local_decoder blt_local_encoder blt_patcher cohere_compass_text "
    "csm csm_depth_decoder_model deepseek_ocr2_text dia_decoder dia_encoder diffllama "
    "emu3_text_model evolla gradium_phonon_tts granite4_vision_text higgs_audio_v2 idefics "
    "kyutai_speech_to_text lasr_encoder mimi mllama_text_model moshi moshi_depth "
    "muse_glimmer_assistant neucodec openai_privacy_filter paddleocr_vl_text pe_audio_encoder "
    "pe_audio_video_encoder pe_video_encoder pocket_tts pocket_tts_audio_tokenizer_decoder "
    "pocket_tts_audio_tokenizer_encoder pp_doclayout_v2 qwen2_5_omni_dit "
    "qwen3_omni_moe_talker_code_predictor qwen3_omni_moe_talker_text qwen3_omni_moe_text "
    "t5_gemma_module t5gemma2_decoder t5gemma2_encoder t5gemma2_text timesfm2_5 "
    "unlimited_ocr_text voxtral_realtime_encoder voxtral_realtime_text xcodec2";

/// In lower case, without strokes and points.
std::string bare(std::string_view name) {
  std::string out(name);
  std::erase_if(out, [](char c) { return c == '_' || c == '-' || c == '.'; });
  return lower_ascii(out);
}

}  // namespace

std::span<const ModelType> other_model_types() {
  static const std::vector<ModelType> all = row_for_each_name<ModelType>(other_types);
  return all;
}

const ModelType* find_model_type(std::string_view name) {
  for (const auto types : {rope_model_types(), other_model_types()})
    for (const ModelType& type : types)
      if (type.name == name) return &type;
  return nullptr;
}

std::optional<bool> unlisted_type_reads_part(std::string_view name) {
  if (lists_word(turn_a_part, name)) return true;
  if (lists_word(turn_all, name)) return false;
  return std::nullopt;
}

std::string_view text_type_of(std::string_view name) {
  for (const TextType& type : text_types)
    if (type.name == name) return type.text;
  return name;
}

std::string stem_of_class(std::string_view name) {
  for (const char* ending : {"ForCausalLM", "ForConditionalGeneration", "ForMaskedLM", "LMHead",
                             "ForSequence", "ForToken", "ForQuestion", "ForPreTraining", "ForCTC",
                             "ForMultiple", "With", "DoubleHeads", "EncoderModel", "Model"})
    name = name.substr(0, name.find(ending));
  return bare(name);
}

bool is_class_of(std::string_view name, std::string_view type) {
  if (type.empty()) return false;
  const std::string stem = stem_of_class(name), own = bare(type);
  return stem.starts_with(own) || own.starts_with(stem) ||
         std::any_of(std::begin(text_types), std::end(text_types), [&](const TextType& pair) {
           return pair.text == type && stem.starts_with(bare(pair.name));
         });
}

std::string_view type_of_class(std::string_view name) {
  const std::string stem = stem_of_class(name);
  for (const TextType& type : text_types)
    if (bare(type.name) == stem) return type.text;
  for (const auto types : {rope_model_types(), other_model_types()})
    for (const ModelType& type : types)
      if (bare(type.name) == stem) return type.name;
  return "";
}

}  // namespace orrery
