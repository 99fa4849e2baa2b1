#include "experiments/model_files/config_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/model_files/position_plan.h"
#include "experiments/model_files/words.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

constexpr std::int64_t most_of_integers = std::int64_t{1} << 30;

std::int64_t integer_or(const ConfigValues& config, const char* key, std::int64_t usual) {
  return config.integer(key, -1, most_of_integers).value.value_or(usual);
}

std::string why(const ConfigValues& config, const char* key) {
  return config.has(key)
             ? config.reason(key)
             : fmt::format("default of {}", config.type() ? config.type()->name : "Transformers");
}

std::string code_of(const ConfigValues& config) {
  return config.type() ? config.code() : "assumed";
}

void alibi(const ConfigValues& config, LayerPlan& layer, const char* form) {
  put_param(layer, "heads", integer_or(config, "num_attention_heads", 1),
            config.reason("num_attention_heads"));
  put_param(layer, "alibi.form", std::string(form), code_of(config));
}

void falcon(const ConfigValues& config, const ReadOptions& options, LayerPlan& layer,
            std::vector<std::string>& assumed) {
  if (!config.flag("alibi")) return read_rope(config, options, layer, assumed);
  put_encoding(layer, "alibi", config.reason("alibi"));
  alibi(config, layer, "key");
  put_param(layer, "alibi.bias_scale", std::string("root"), code_of(config));
}

void mpt(const ConfigValues& config, LayerPlan& layer) {
  const Json* attention = config.object("attn_config");
  const auto given = [&](const char* key) -> const Json* {
    return attention && attention->contains(key) && !(*attention)[key].is_null()
               ? &(*attention)[key]
               : nullptr;
  };
  if (const Json* scale = given("softmax_scale"))
    if (const auto number = finite_number(*scale))
      put_softmax_scale(layer, *number, config.key_name("attn_config.softmax_scale"));
  if (const Json* uses = given("alibi"); uses && *uses == false)
    return put_encoding(layer, "learned", config.key_name("attn_config.alibi"));
  put_encoding(layer, "alibi",
               given("alibi") ? config.key_name("attn_config.alibi") : "default of mpt");
  alibi(config, layer, "causal");
  if (const Json* largest = given("alibi_bias_max"))
    if (const auto number = finite_number(*largest))
      put_param(layer, "alibi.bias_max", *number, config.key_name("attn_config.alibi_bias_max"));
}

void t5(const ConfigValues& config, LayerPlan& layer) {
  const bool mpnet = config.type() && config.type()->name == "mpnet";
  put_param(layer, "t5.buckets", integer_or(config, "relative_attention_num_buckets", 32),
            why(config, "relative_attention_num_buckets"));
  put_param(layer, "t5.max_distance", integer_or(config, "relative_attention_max_distance", 128),
            why(config, "relative_attention_max_distance"));
  const bool decodes = has_decoder_alone(config);
  put_param(layer, "t5.bidirectional", !decodes,
            mpnet     ? code_of(config)
            : decodes ? "layers of the decoder"
                      : "layers of the encoder");
  if (config.type() && config.type()->name == "longt5" && !decodes) {
    layer.window = integer_or(config, "local_radius", 127) + 1;
    layer.reasons["window"] = why(config, "local_radius") + ", and 1";
  }
  if (mpnet) {
    layer.beside = "learned";
    layer.reasons["beside"] = code_of(config) + ": a table, whose row 2 is that of position 0";
  }
}

/// Terms of pos_att_type: a list, or a text "p2c|c2p".
std::string deberta_terms(const ConfigValues& config) {
  const Json* given = config.find("pos_att_type");
  const std::string text = given ? given->dump() : "";
  const bool c2p = text.find("c2p") != std::string::npos,
             p2c = text.find("p2c") != std::string::npos;
  if (c2p && p2c) return "both";
  if (c2p) return "c2p";
  return p2c ? "p2c" : "";
}

/// The terms by whose number logits are divided, whether they are computed or not: version 1 counts the entries of
/// pos_att_type, among them p2p, which it has no term for.
int counted_terms(const ConfigValues& config) {
  const Json* given = config.find("pos_att_type");
  if (!given) return 0;
  const std::string terms = deberta_terms(config);
  if (!config.type() || config.type()->name != "deberta")
    return terms == "both" ? 2 : terms.empty() ? 0 : 1;
  if (given->is_array()) return static_cast<int>(given->size());
  const std::string text = config.text("pos_att_type");
  return text.empty() ? 0 : 1 + static_cast<int>(std::count(text.begin(), text.end(), '|'));
}

void deberta(const ConfigValues& config, LayerPlan& layer) {
  if (const int counted = counted_terms(config); counted > 0) {
    layer.softmax_scale /= std::sqrt(1.0 + counted);
    layer.reasons["softmax_scale"] +=
        fmt::format(", over √{} for {} terms", 1 + counted, 1 + counted);
  }
  const std::string terms = config.flag("relative_attention") ? deberta_terms(config) : "";
  constexpr const char* added = "position_biased_input";
  const bool adds = !config.has(added) || config.flag(added);
  if (terms.empty())
    return put_encoding(layer, adds ? "learned" : "none", why(config, "relative_attention"));
  if (adds) {
    layer.beside = "learned";
    layer.reasons["beside"] = why(config, added);
  }
  const std::int64_t context = integer_or(config, "max_position_embeddings", 512);
  std::int64_t distance = integer_or(config, "max_relative_positions", -1);
  if (distance < 1) distance = context;
  const std::int64_t buckets = integer_or(config, "position_buckets", -1);
  put_param(layer, "deberta.version", std::string(buckets > 0 ? "v2" : "v1"),
            why(config, "position_buckets"));
  put_param(layer, "deberta.span", buckets > 0 ? buckets : distance,
            why(config, buckets > 0 ? "position_buckets" : "max_relative_positions"));
  if (buckets > 0)
    put_param(layer, "deberta.max_distance", distance, why(config, "max_relative_positions"));
  put_param(layer, "deberta.p2c", std::string("code"), code_of(config));
  put_param(layer, "deberta.terms", terms, why(config, "pos_att_type"));
  if (config.text("norm_rel_ebd").find("layer_norm") != std::string::npos)
    put_param(layer, "deberta.norm", std::string("layer_norm"), why(config, "norm_rel_ebd"));
}

void learned(const ConfigValues& config, LayerPlan& layer) {
  put_param(layer, "learned.length", integer_or(config, "max_position_embeddings", 512),
            why(config, "max_position_embeddings"));
}

void shaw(const ConfigValues& config, LayerPlan& layer, const std::string& kind, const char* key) {
  put_encoding(layer, "shaw", why(config, key));
  const std::int64_t longest = integer_or(config, "max_position_embeddings", 512);
  const bool wav2vec = config.has("left_max_position_embeddings");
  put_param(layer, "shaw.clip",
            wav2vec ? integer_or(config, "left_max_position_embeddings", 64) : longest - 1,
            wav2vec ? config.reason("left_max_position_embeddings")
                    : why(config, "max_position_embeddings"));
  if (wav2vec)
    put_param(layer, "shaw.clip_ahead", integer_or(config, "right_max_position_embeddings", 8),
              config.reason("right_max_position_embeddings"));
  put_param(layer, "shaw.rows", std::string(wav2vec ? "key_minus_query" : "query_minus_key"),
            code_of(config));
  put_param(layer, "shaw.variant",
            std::string(kind == "relative_key_query" ? "queries_and_keys" : "keys_only"),
            why(config, key));
}

/// The table of the wav2vec kind, whose sines and cosines take turns.
void conformer(const ConfigValues& config, LayerPlan& layer, std::string reason) {
  put_encoding(layer, "transformer_xl", std::move(reason));
  put_param(layer, "transformer_xl.layout", std::string("interleaved"), code_of(config));
}

/// Rope of the wav2vec kind.
void turn_hidden_states(LayerPlan& layer, std::vector<std::string>& assumed) {
  layer.turns_hidden_states = true;
  assume(assumed, "rope turns hidden states, before W_q and W_k: q and k themselves do not turn");
}

/// The types whose position_embedding_type chooses, by its words in Transformers and TensorRT-LLM.
void bert(const ConfigValues& config, const ReadOptions& options, LayerPlan& layer,
          std::vector<std::string>& assumed) {
  const char* key = config.has("position_embeddings_type") ? "position_embeddings_type"
                                                           : "position_embedding_type";
  const std::string kind = config.text(key);
  if (kind.starts_with("relative_key")) return shaw(config, layer, kind, key);
  if (kind == "rope" && config.type() &&
      lists_word("esm wav2vec2-bert wav2vec2-conformer", config.type()->name))
    return put_encoding(layer, "none",
                        fmt::format("{} is \"rope\", where the {} knows \"rotary\"",
                                    config.reason(key), config.code()));
  if (lists_word("rotary rope rope_gpt_neox rope_gptj", kind)) {
    if (key == std::string_view("position_embeddings_type")) turn_hidden_states(layer, assumed);
    return read_rope(config, options, layer, assumed);
  }
  if (kind == "relative" && key == std::string_view("position_embeddings_type"))
    return conformer(config, layer, why(config, key));
  if (kind == "nope" || kind == "none") return put_encoding(layer, "none", config.reason(key));
  if (!kind.empty() && !lists_word("absolute learned learned_absolute", kind)) {
    put_encoding(layer, "unknown", config.reason(key));
    return assume(assumed, fmt::format("{} is \"{}\", which is not read", config.key_name(key),
                                       printable(kind)));
  }
  put_encoding(layer, "learned", why(config, key));
  learned(config, layer);
}

void roformer(const ConfigValues& config, const ReadOptions& options, LayerPlan& layer,
              std::vector<std::string>& assumed) {
  read_rope(config, options, layer, assumed);
  if (config.flag("rotary_value"))
    put_param(layer, "rope.rotary_value", std::string("rotated"), config.reason("rotary_value"));
}

void content_mixed(const ConfigValues& config, LayerPlan& layer) {
  put_param(layer, "d_rel", integer_or(config, "d_rel", 16), why(config, "d_rel"));
  put_param(layer, "rel_extent", integer_or(config, "rel_extent", 1024), why(config, "rel_extent"));
  const Valued<double> floor = config.number("log_scaling_n_floor"),
                       alpha = config.number("log_scaling_alpha");
  if (!floor.value) return;
  put_temperature(layer, {log_of_length, {{"α", alpha.value.value_or(0.1)}, {"n₀", *floor.value}}},
                  floor.reason);
}

/// Sinusoids of the distance with two biases: Transformer-XL, and XLNet that looks both ways.
void transformer_xl(const ConfigValues& config, LayerPlan& layer,
                    std::vector<std::string>& assumed) {
  if (const Valued<std::int64_t> bound = config.integer("clamp_len", -1, 1'000'000);
      bound.value && *bound.value > 0)
    put_param(layer, "transformer_xl.clamp_len", *bound.value, bound.reason);
  if (!layer.causal && config.text("attn_type") == "uni") layer.causal = true;
  if (layer.causal && config.flag("same_length")) {
    const bool xlnet = config.type() && config.type()->name == "xlnet";
    const auto memory = config.integer("mem_len", 0, most_tokens);
    if (xlnet || memory.value.value_or(0) > 0) layer.window = xlnet ? 1 : *memory.value;
    if (layer.window) layer.reasons["window"] = config.reason("same_length");
  }
  if (!layer.causal)
    assume(assumed,
           "the content stream of XLNet is shown, which sees all tokens; its training masks a "
           "permutation");
}

bool has_rope_keys(const ConfigValues& config) {
  for (const char* key :
       {"rope_parameters", "rope_theta", "rope_scaling", "rotary_pct", "rotary_emb_base",
        "rotary_dim", "partial_rotary_factor", "qk_rope_head_dim"})
    if (config.has(key)) return true;
  return false;
}

/// What the keys of an unknown type look like.
std::string guessed(const ConfigValues& config) {
  if (config.has("relative_attention_num_buckets")) return "t5";
  if (config.has("relative_attention")) return "deberta";
  if (config.has("attn_config")) return "mpt";
  if (config.has("alibi")) return "falcon";
  if (config.has("position_embedding_type") || config.has("position_embeddings_type"))
    return "bert";
  if (has_rope_keys(config)) return "rope";
  return "unknown";
}

}  // namespace

void read_other_encoding(const ConfigValues& config, const ReadOptions& options, LayerPlan& layer,
                         std::vector<std::string>& assumed) {
  const std::string encoding =
      config.type() ? std::string(config.type()->encoding) : guessed(config);
  put_encoding(layer, encoding,
               config.type() ? code_of(config) : "its keys, as the type is unknown");
  if (encoding == "rope") return read_rope(config, options, layer, assumed);
  if (encoding == "falcon") return falcon(config, options, layer, assumed);
  if (encoding == "roformer") return roformer(config, options, layer, assumed);
  if (encoding == "bert") return bert(config, options, layer, assumed);
  if (encoding == "alibi") return alibi(config, layer, "key");
  if (encoding == "mpt") return mpt(config, layer);
  if (encoding == "t5") return t5(config, layer);
  if (encoding == "deberta") return deberta(config, layer);
  if (encoding == "learned") return learned(config, layer);
  if (encoding == "conformer") return conformer(config, layer, code_of(config));
  if (encoding == "transformer_xl") return transformer_xl(config, layer, assumed);
  if (encoding == "content_mixed") return content_mixed(config, layer);
  if (encoding == "unknown") assume(assumed, "no key names a position encoding");
}

}  // namespace orrery
