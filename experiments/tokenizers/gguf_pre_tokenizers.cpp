#include "experiments/tokenizers/gguf_pre_tokenizers.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/model_files/words.h"
#include "experiments/text/printable.h"
#include "experiments/tokenizers/byte_level.h"

namespace orrery {
namespace {

using Expressions = std::string_view[];

constexpr std::string_view one_digit = R"(\p{N})";
constexpr std::string_view three_digits = R"(\p{N}{1,3})";

constexpr std::string_view llama3_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen2_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen35_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view minicpm5_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view seed_coder_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view exaone_moe_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view ufakzeka_words =
    R"([^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view bailing_words =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view jais2_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})";
constexpr std::string_view gpt4o_words =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view tekken_words =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view youtu_scripts =
    R"([가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+)";
constexpr std::string_view youtu_words =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view deepseek3_cjk = "[一-龥぀-ゟ゠-ヿ]+";
constexpr std::string_view deepseek3_words =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view spark_words =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view bloom_words = R"( ?[^(\s|.,!?…。，、।۔،)]+)";

constexpr Expressions gpt2{gpt2_words};
constexpr Expressions digits_gpt2{one_digit, gpt2_words};
constexpr Expressions llama3{llama3_words};
constexpr Expressions qwen2{qwen2_words};
constexpr Expressions qwen35{qwen35_words};
constexpr Expressions minicpm5{three_digits, minicpm5_words};
constexpr Expressions seed_coder{seed_coder_words};
constexpr Expressions exaone_moe{exaone_moe_words};
constexpr Expressions ufakzeka{ufakzeka_words};
constexpr Expressions bailing{bailing_words};
constexpr Expressions jais2{jais2_words};
constexpr Expressions gpt4o{gpt4o_words};
constexpr Expressions tekken{tekken_words};
constexpr Expressions youtu{youtu_scripts, youtu_words};
constexpr Expressions deepseek3{three_digits, deepseek3_cjk, deepseek3_words};
constexpr Expressions spark{three_digits, deepseek3_cjk, spark_words, one_digit};
constexpr Expressions deepseek_coder{R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)",
                                     "[一-龥ࠀ-一가-\U0000D7FF]+", one_digit};
constexpr Expressions falcon{R"([\p{P}\$\+<=>\^~\|`]+)", gpt2_words, "[0-9][0-9][0-9]"};
constexpr Expressions bloom{bloom_words};
constexpr Expressions viking{bloom_words, one_digit};
constexpr Expressions laguna{R"([^\n]+|[\n]+)", qwen2_words};
constexpr Expressions superbpe{R"(\p{N}+)", R"((?=(\d{3})+(?!\d)))"};
constexpr Expressions tiny_aya{R"(\d{1,3}(?=(?:\d{3})*\b))", gpt4o_words};
constexpr Expressions chameleon{"<sentinel:[0-9]+>",       "(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
                                R"(([\t\n]|    |  ))",     one_digit,
                                R"([\p{P}!-/:-@\[-`{-~])", gpt2_words};
constexpr Expressions usual_words{R"([\p{P}\$\+<=>\^~\|]+)", gpt2_words, R"(\p{N}+)",
                                  "[0-9][0-9][0-9]"};

constexpr GgufPreTokenizer all_pre_tokenizers[] = {
    {"default", usual_words},
    {"gpt-2 phi-2 jina-es jina-de jina-v1-en jina-v2-es jina-v2-de jina-v2-code "
     "roberta-bpe gigachat a.x-4.0 mellum modern-bert mpt olmo jais trillion "
     "granite-docling exaone4",
     gpt2},
    {"smollm starcoder refact command-r codeshell exaone minerva-7b mellum2", digits_gpt2},
    {"llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano", llama3, true,
     true},
    {"dbrx smaug-bpe chatglm-bpe", llama3},
    {"glm4 glm5", llama3, true},
    {"qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2", qwen2},
    {"qwen35", qwen35},
    {"minicpm5", minicpm5, true},
    {"seed-coder", seed_coder},
    {"exaone-moe", exaone_moe},
    {"ufakzeka", ufakzeka},
    {"bailingmoe bailingmoe2 llada-moe", bailing},
    {"jais-2", jais2},
    {"gpt-4o llama4 kanana2 talkie minimax-m2", gpt4o},
    {"granite-embed-multi-97m", gpt4o, true},
    {"tekken", tekken, true, true},
    {"youtu", youtu, true},
    {"deepseek-v3 hunyuan-dense joyai-llm hy_v4", deepseek3},
    {"spark2_5", spark},
    {"deepseek-coder", deepseek_coder},
    {"falcon", falcon},
    {"bloom poro-chat gpt3-finnish", bloom},
    {"viking", viking},
    {"laguna", laguna},
    {"superbpe", superbpe},
    {"tiny_aya cohere2moe", tiny_aya},
    {"chameleon", chameleon, false, true},
};

}  // namespace

std::span<const GgufPreTokenizer> gguf_pre_tokenizers() { return all_pre_tokenizers; }

const GgufPreTokenizer& gguf_pre_tokenizer(std::string_view pre, std::string_view file) {
  for (const GgufPreTokenizer& each : all_pre_tokenizers)
    if (lists_word(each.names, pre)) return each;
  throw DataError(file, fmt::format("has the pre-tokenizer {}, which is not known", in_quotes(pre)),
                  "give the model's tokenizer.json instead");
}

}  // namespace orrery
