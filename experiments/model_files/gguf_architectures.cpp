#include "experiments/model_files/gguf_model.h"

#include "experiments/model_files/words.h"

namespace orrery {
namespace {
namespace in_architectures {

using A = GgufArchitecture;
using Pairs = A::Pairs;
using Sections = A::Sections;
using Windows = A::Windows;
using Shape = A::Shape;
using Pattern = A::Pattern;
using Nope = A::Nope;
using SlidingBase = A::SlidingBase;
using SlidingScale = A::SlidingScale;
using Factors = A::Factors;
using LogMultiplier = A::LogMultiplier;
using Scale = A::Scale;
using Temperature = A::Temperature;
using Recurrent = A::Recurrent;
using Rows = A::Rows;

// Architectures that do the same share a row.
// Read from llama.cpp 0c1e570 (October 2026): src/llama-model.cpp for the types of RoPE,
// src/models/NAME.cpp for keys and graphs. tests/golden/gguf/architectures.json has the lines.
// clang-format off
constexpr GgufArchitecture architectures[] = {
    {.name = "afmoe", .pairs = Pairs::neox, .windows = Windows::if_given, .period = 4,
     .nope = Nope::every_fourth, .sliding_base = SlidingBase::given,
     .sliding_scale = SlidingScale::stored},
    {.name = "apertus", .pairs = Pairs::neox, .factors = Factors::by_type},
    {.name = "arcee eagle3 nanbeige", .pairs = Pairs::norm, .factors = Factors::freqs,
     .rows = Rows::reordered},
    {.name = "arctic baichuan chameleon deepseek internlm2 olmo xverse", .pairs = Pairs::norm,
     .rows = Rows::reordered},
    {.name = "arwkv7 mamba mamba2 rwkv6 rwkv6qwen2 rwkv7 wavtokenizer-dec",
     .encoding = "not_attention"},
    {.name = "bailingmoe", .pairs = Pairs::norm, .scale = Scale::rotated, .rows = Rows::reordered},
    {.name = "bailingmoe2 bitnet codeshell dbrx dots1 falcon falcon-h1 gemma gptneox grovemoe "
     "hrm_text hunyuan-moe hy_v3 jais2 minimax-m2 minimax-m3 nemotron olmoe openelm orion "
     "pangu-embedded phi2 plamo qwen qwen2 qwen2moe qwen3 qwen3moe seed_oss stablelm starcoder2 "
     "talkie", .pairs = Pairs::neox},
    {.name = "bailingmoe3", .pairs = Pairs::norm, .sections = Sections::chunked_if_given,
     .recurrent = Recurrent::without_kv_heads, .latent = true},
    {.name = "bert", .encoding = "learned", .bidirectional = true},
    {.name = "bloom refact", .encoding = "alibi", .alibi_bias = 8},
    {.name = "chatglm command-r ernie4_5 ernie4_5-moe maincoder pockettts", .pairs = Pairs::norm},
    {.name = "cogvlm", .pairs = Pairs::neox, .plain = true},
    {.name = "cohere2", .pairs = Pairs::norm, .windows = Windows::always, .period = 4,
     .nope = Nope::full},
    {.name = "cohere2moe", .pairs = Pairs::norm, .windows = Windows::always, .period = 4,
     .full_first = true, .nope = Nope::full_after_dense},
    {.name = "deci", .pairs = Pairs::norm, .factors = Factors::by_type,
     .recurrent = Recurrent::without_kv_heads, .rows = Rows::reordered},
    {.name = "deepseek2 mistral4", .pairs = Pairs::norm,
     .log_multiplier = LogMultiplier::over_tenth, .scale = Scale::absorbed,
     .temperature = Temperature::by_keys, .latent = true},
    {.name = "deepseek2-ocr", .pairs = Pairs::neox, .plain = true, .scale = Scale::absorbed},
    {.name = "deepseek32", .pairs = Pairs::norm, .log_multiplier = LogMultiplier::over_tenth,
     .scale = Scale::absorbed, .latent = true},
    {.name = "deepseek4", .pairs = Pairs::norm, .windows = Windows::always,
     .pattern = Pattern::unread, .latent = true},
    {.name = "dflash", .pairs = Pairs::neox, .sections = Sections::chunked,
     .windows = Windows::if_given, .pattern = Pattern::required, .factors = Factors::freqs,
     .scale = Scale::key},
    {.name = "dots3note", .pairs = Pairs::norm, .windows = Windows::always,
     .pattern = Pattern::required, .sliding_base = SlidingBase::given_or_10k, .latent = true},
    {.name = "dream eurobert jina-bert-v3 llada-moe nomic-bert nomic-bert-moe rnd1",
     .pairs = Pairs::neox, .bidirectional = true},
    {.name = "exaone", .pairs = Pairs::neox, .factors = Factors::freqs},
    {.name = "exaone-moe", .pairs = Pairs::neox, .windows = Windows::always, .window = 128,
     .period = 4, .nope = Nope::full, .factors = Factors::freqs},
    {.name = "exaone4", .pairs = Pairs::neox, .windows = Windows::of_64_layers, .window = 4096,
     .period = 4, .nope = Nope::full_with_windows, .factors = Factors::freqs},
    {.name = "gemma-embedding", .pairs = Pairs::neox, .windows = Windows::always, .period = 6,
     .shape = Shape::both_sides, .sliding_base = SlidingBase::given_or_10k,
     .sliding_scale = SlidingScale::one, .bidirectional = true},
    {.name = "gemma2", .pairs = Pairs::neox, .windows = Windows::always, .window = 4096,
     .period = 2, .sliding_base = SlidingBase::given, .sliding_scale = SlidingScale::stored,
     .scale = Scale::gemma, .wide_layers = 46},
    {.name = "gemma3", .pairs = Pairs::neox, .windows = Windows::if_given, .period = 6,
     .sliding_base = SlidingBase::given_or_10k, .sliding_scale = SlidingScale::one,
     .scale = Scale::gemma, .wide_layers = 62},
    {.name = "gemma3n", .pairs = Pairs::neox, .windows = Windows::always, .period = 5,
     .sliding_base = SlidingBase::given_or_10k, .sliding_scale = SlidingScale::one,
     .scale = Scale::one},
    {.name = "gemma4", .pairs = Pairs::neox, .windows = Windows::always, .period = 6,
     .pattern = Pattern::required, .sliding_base = SlidingBase::given_or_10k,
     .sliding_scale = SlidingScale::one, .sliding_width = true, .factors = Factors::freqs,
     .factors_on_full = true, .scale = Scale::one, .full_stays_causal = true},
    {.name = "gemma4-assistant", .pairs = Pairs::neox, .windows = Windows::always, .period = 6,
     .pattern = Pattern::required, .sliding_base = SlidingBase::given_or_10k,
     .sliding_scale = SlidingScale::one, .sliding_width = true, .factors = Factors::freqs,
     .factors_on_full = true, .scale = Scale::one},
    {.name = "glm-dsa", .pairs = Pairs::norm, .scale = Scale::absorbed, .latent = true},
    {.name = "glm4", .pairs = Pairs::norm, .sections = Sections::chunked_if_given,
     .rows = Rows::reordered_with_sections},
    {.name = "glm4moe", .pairs = Pairs::neox, .sections = Sections::chunked_if_given},
    {.name = "glm5-next jamba kimi-k3 kimi-linear", .encoding = "none",
     .recurrent = Recurrent::without_kv_heads},
    {.name = "gpt-oss", .pairs = Pairs::neox, .windows = Windows::always, .period = 2,
     .sliding_base = SlidingBase::given, .sliding_scale = SlidingScale::stored,
     .scale = Scale::rotated},
    {.name = "gpt2 starcoder", .encoding = "learned"},
    {.name = "gptj", .encoding = "unknown"},
    {.name = "granite", .pairs = Pairs::norm, .nope = Nope::switched, .factors = Factors::by_type,
     .scale = Scale::key, .rows = Rows::reordered},
    {.name = "granite_swa", .pairs = Pairs::norm, .windows = Windows::always,
     .pattern = Pattern::required, .nope = Nope::listed, .factors = Factors::by_type,
     .scale = Scale::key, .rows = Rows::reordered},
    {.name = "granitehybrid", .pairs = Pairs::norm, .nope = Nope::switched,
     .factors = Factors::freqs, .scale = Scale::key, .recurrent = Recurrent::without_kv_heads,
     .rows = Rows::reordered},
    {.name = "granitemoe", .pairs = Pairs::norm, .factors = Factors::by_type, .scale = Scale::key,
     .rows = Rows::reordered},
    {.name = "graniteswitch", .pairs = Pairs::norm, .nope = Nope::switched, .scale = Scale::key,
     .rows = Rows::reordered},
    {.name = "grok", .pairs = Pairs::neox, .betas = true, .beta_fast = 8,
     .scale = Scale::output_key},
    {.name = "hunyuan-dense", .pairs = Pairs::neox, .alpha = true},
    {.name = "hunyuan_vl", .pairs = Pairs::neox, .sections = Sections::chunked_if_given,
     .alpha = true},
    {.name = "hy_v4 plm", .pairs = Pairs::norm, .latent = true},
    {.name = "jais", .encoding = "alibi", .scale = Scale::inverse},
    {.name = "jina-bert-v2", .encoding = "alibi", .alibi_bias = 8, .bidirectional = true},
    {.name = "laguna", .pairs = Pairs::neox, .windows = Windows::if_given, .period = 4,
     .full_first = true, .sliding_base = SlidingBase::given, .sliding_scale = SlidingScale::plain,
     .sliding_width = true},
    {.name = "lfm2", .pairs = Pairs::neox, .windows = Windows::if_given, .pattern = Pattern::unread,
     .recurrent = Recurrent::without_kv_heads},
    {.name = "lfm2moe plamo2", .pairs = Pairs::neox, .recurrent = Recurrent::without_kv_heads},
    {.name = "llada", .pairs = Pairs::norm, .rows = Rows::reordered, .bidirectional = true},
    {.name = "llama llama-embed minicpm", .pairs = Pairs::norm, .factors = Factors::by_type,
     .rows = Rows::reordered},
    {.name = "llama4", .pairs = Pairs::norm, .windows = Windows::unless_zero, .window = 8192,
     .period = 4, .key_sets_window = false, .shape = Shape::blocks,
     .nope = Nope::every_fourth_with_windows, .sliding_base = SlidingBase::given,
     .sliding_scale = SlidingScale::stored, .factors = Factors::freqs,
     .temperature = Temperature::llama4},
    {.name = "maple", .pairs = Pairs::neox, .windows = Windows::always,
     .pattern = Pattern::required, .nope = Nope::full, .sliding_base = SlidingBase::given,
     .sliding_scale = SlidingScale::stored, .sliding_width = true},
    {.name = "mellum olmo2", .pairs = Pairs::neox, .windows = Windows::if_given, .period = 4,
     .sliding_scale = SlidingScale::plain},
    {.name = "mimo2", .pairs = Pairs::neox, .windows = Windows::always,
     .pattern = Pattern::required, .sliding_base = SlidingBase::given_or_10k,
     .sliding_scale = SlidingScale::one},
    {.name = "minicpm3", .pairs = Pairs::neox, .factors = Factors::long_or_short, .latent = true},
    {.name = "minimax-01", .pairs = Pairs::neox, .recurrent = Recurrent::between_full,
     .interval = 8},
    {.name = "mistral3", .pairs = Pairs::norm, .factors = Factors::by_type, .betas = true,
     .log_multiplier = LogMultiplier::as_given, .temperature = Temperature::of_training,
     .rows = Rows::reordered},
    {.name = "modern-bert", .pairs = Pairs::neox, .windows = Windows::if_given, .period = 3,
     .full_first = true, .shape = Shape::both_sides, .sliding_base = SlidingBase::given_or_10k,
     .sliding_scale = SlidingScale::one, .bidirectional = true},
    {.name = "mpt", .encoding = "alibi"},
    {.name = "muse-glimmer", .pairs = Pairs::norm, .windows = Windows::always, .period = 4,
     .nope = Nope::full, .sliding_base = SlidingBase::given, .sliding_scale = SlidingScale::one,
     .rows = Rows::reordered},
    {.name = "nemotron_h nemotron_h_moe", .encoding = "none",
     .recurrent = Recurrent::or_with_feed_forward},
    {.name = "neo-bert", .pairs = Pairs::norm, .bidirectional = true},
    {.name = "paddleocr qwen2vl", .pairs = Pairs::neox, .sections = Sections::chunked},
    {.name = "phi3 phimoe", .pairs = Pairs::neox, .factors = Factors::long_or_short},
    {.name = "plamo3", .pairs = Pairs::neox, .windows = Windows::if_given, .period = 8,
     .sliding_base = SlidingBase::given_or_10k, .sliding_scale = SlidingScale::one},
    {.name = "qwen35 qwen35moe qwen4exp", .pairs = Pairs::neox, .sections = Sections::in_turns,
     .recurrent = Recurrent::between_full, .interval = 4},
    {.name = "qwen3next", .pairs = Pairs::neox, .recurrent = Recurrent::between_full,
     .interval = 4},
    {.name = "qwen3tts qwen3vl qwen3vlmoe", .pairs = Pairs::neox, .sections = Sections::in_turns},
    {.name = "smallthinker", .pairs = Pairs::neox, .windows = Windows::if_given, .window = 4096,
     .period = 4, .full_first = true, .key_sets_window = false, .nope = Nope::first_of_four,
     .sliding_base = SlidingBase::given, .sliding_scale = SlidingScale::stored},
    {.name = "smollm3", .pairs = Pairs::norm, .nope = Nope::every_fourth, .rows = Rows::reordered},
    {.name = "spark2_5", .pairs = Pairs::neox, .windows = Windows::always,
     .pattern = Pattern::required, .sliding_base = SlidingBase::given,
     .sliding_scale = SlidingScale::stored, .sliding_width = true},
    {.name = "step35", .pairs = Pairs::neox, .windows = Windows::always,
     .pattern = Pattern::required, .sliding_base = SlidingBase::given_or_10k,
     .sliding_scale = SlidingScale::one, .sliding_width = true, .half_on_full = true,
     .factors = Factors::by_type, .factors_on_full = true},
    {.name = "t5 t5encoder", .encoding = "t5", .bidirectional = true},
};
// clang-format on

constexpr GgufArchitecture unknown{.pairs = Pairs::neox,
                                   .windows = Windows::if_given,
                                   .sliding_base = SlidingBase::given,
                                   .sliding_width = true,
                                   .factors = Factors::by_type,
                                   .betas = true,
                                   .scale = Scale::key};

}  // namespace in_architectures
}  // namespace

const GgufArchitecture* find_gguf_architecture(std::string_view name) {
  static const std::vector<GgufArchitecture> all =
      row_for_each_name<GgufArchitecture>(in_architectures::architectures);
  for (const GgufArchitecture& architecture : all)
    if (architecture.name == name) return &architecture;
  return nullptr;
}

const GgufArchitecture& unknown_gguf_architecture() { return in_architectures::unknown; }

}  // namespace orrery
