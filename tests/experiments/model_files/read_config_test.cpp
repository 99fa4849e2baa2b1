#include "experiments/model_files/read_config.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/model_files/model_tables.h"
#include "experiments/model_files/model_types.h"
#include "experiments/model_files/position_plan.h"
#include "tests/experiments/model_files/applied.h"
#include "tests/support/golden_file.h"

using namespace orrery;
using Catch::Matchers::Contains;
using Json = nlohmann::json;
using Numbers = std::vector<double>;

namespace {

// Transformers forms inv_freq and angles in fp32: 2^-24 of the largest position, 300, and of the
// largest component, some 3, with room for their sums.
constexpr double applied_tolerance_of_fp32 = 2e-4;
constexpr double frequency_tolerance_of_fp32 = 2e-6;

PositionPlan plan_of(const Json& config) { return read_config(config.dump(), "config.json"); }
PositionPlan plan_of(const std::string& config) { return read_config(config, "config.json"); }

/// Largest difference; a NaN is larger than all.
double largest_of(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const double error = std::abs(a[i] - b[i]); !(error <= most)) most = error;
  return most;
}

double applied_error(const LayerPlan& layer, const Json& golden, const Numbers& positions) {
  double most = 0;
  for (const char* which : {"q", "k"})
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const Numbers pre = golden.at(std::string("pre_") + which);
      const Numbers post = golden.at(std::string("post_") + which).at(i);
      const double error = largest_of(
          test::applied(layer, pre, static_cast<std::int64_t>(positions[i]), *which == 'q'), post);
      if (!(error <= most)) most = error;
    }
  return most;
}

/// The tables of a rotary module are those of one of the layers.
bool has_table(const PositionPlan& plan, const Json& table) {
  const Numbers inv_freq = table.at("inv_freq");
  for (const LayerPlan& layer : plan.layers) {
    if (layer.inv_freq.size() != inv_freq.size()) continue;
    bool same =
        std::abs(layer.attention_factor - table.at("attention_factor").get<double>()) < 1e-6;
    for (std::size_t t = 0; t < inv_freq.size(); ++t)
      same = same &&
             std::abs(layer.inv_freq[t] - inv_freq[t]) <= frequency_tolerance_of_fp32 * inv_freq[t];
    if (same) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a plan turns q and k as Transformers does, in every layer of every model type") {
  const Json golden = test::golden("plans.json");
  const Numbers positions = golden.at("positions");
  std::set<std::string> types;
  for (const Json& one : golden.at("cases")) {
    INFO(one.at("name").get<std::string>());
    types.insert(one.at("config").at("model_type").get<std::string>());
    const PositionPlan plan = plan_of(one.at("config"));
    REQUIRE(plan.layers.size() >= one.at("layers").size());
    for (const Json& expected : one.at("layers")) {
      const LayerPlan& layer = plan.layers.at(expected.at("layer").get<std::size_t>());
      INFO("layer " << layer.layer << " of type " << layer.type);
      CHECK((layer.encoding == "rope") == expected.at("turned").get<bool>());
      CHECK(layer.softmax_scale == Approx(expected.at("scale").get<double>()).epsilon(1e-9));
      if (!expected.at("window").is_null() && layer.causal)
        CHECK(layer.window == expected.at("window").get<std::int64_t>());
      if (expected.contains("pre_q"))
        CHECK(applied_error(layer, expected, positions) < applied_tolerance_of_fp32);
    }
  }
  CHECK(types.size() >= 75);
}

TEST_CASE("an indexer turns its own q and k as in Transformers, in a pairing of its own") {
  const Json golden = test::golden("plans.json");
  const Numbers positions = golden.at("positions");
  std::set<RopePairing> pairings;
  for (const Json& one : golden.at("cases")) {
    if (!one.contains("indexer")) continue;
    INFO(one.at("name").get<std::string>());
    const LayerPlan layer = plan_of(one.at("config")).layers.at(0);
    REQUIRE(layer.indexer);
    CHECK(layer.rope.pairing == RopePairing::interleaved);
    CHECK(layer.indexer->rotary_begin == 0);
    pairings.insert(layer.indexer->pairing);
    LayerPlan slice = layer;  // the rotated channels alone
    slice.rope.pairing = layer.indexer->pairing;
    slice.rope.d_head = layer.rope.rotary_dims;
    slice.rope.begin = 0;
    for (std::size_t i = 0; i < positions.size(); ++i)
      for (const std::string which : {"q", "k"}) {
        const Json& seen = one.at("indexer").at(i);
        Numbers x = seen.at("pre_" + which);
        rotate(slice, static_cast<std::int64_t>(positions[i]), x);
        CHECK(largest_of(x, seen.at("post_" + which)) < applied_tolerance_of_fp32);
      }
  }
  CHECK(pairings == std::set<RopePairing>{RopePairing::half_split, RopePairing::interleaved});
}

TEST_CASE("DeepSeek-V4's files of both forms have the slice, the base and the indexer of a layer") {
  const auto of = [](const std::string& more) {
    return plan_of(R"({"model_type": "deepseek_v4", "num_hidden_layers": 3, "head_dim": 512,
                       "compress_ratios": [0, 4, 128])" +
                   more + "}")
        .layers;
  };
  const auto plain = of("");
  CHECK_FALSE(plain.at(1).window);
  CHECK(plain.at(0).rope.rotary_dims == 64);
  CHECK(plain.at(0).rope.begin == 448);
  CHECK(plain.at(0).rope.base == 10000);
  CHECK(plain.at(1).rope.base == 160000);
  CHECK_FALSE(plain.at(0).indexer);
  CHECK_FALSE(plain.at(2).indexer);
  REQUIRE(plain.at(1).indexer);
  CHECK(*plain.at(1).indexer == LayerPlan::Indexer{.pairing = RopePairing::interleaved,
                                                   .head_dim = 128,
                                                   .rotary_begin = 64});
  const auto older = of(R"(, "qk_rope_head_dim": 128, "rope_scaling": {"type": "yarn", "factor": 16,
                            "original_max_position_embeddings": 65536})");
  CHECK(older.at(0).rope.rotary_dims == 128);
  CHECK(older.at(0).inv_freq.at(1) == Approx(std::pow(1e4, -2.0 / 128)));
  CHECK(older.at(2).rope.begin == 384);
  CHECK(older.at(2).attention_factor == 1);
}

TEST_CASE("a plan has the frequencies and attention factors of Transformers' modules") {
  const Json all = test::golden("plans.json");
  for (const Json& one : all.at("cases")) {
    const PositionPlan plan = plan_of(one.at("config"));
    for (const auto& [name, table] : one.at("tables").items()) {
      INFO(one.at("name").get<std::string>() << ", table " << name);
      // A module has tables for types of layers that no layer of a small model has, and for none.
      if (one.at("tables").size() > 1 && plan.layers.size() < 2) continue;
      if (one.at("config").contains("layer_rope_theta")) continue;  // and one for a base beside
      CHECK(has_table(plan, table));
    }
  }
}

TEST_CASE("each value of a plan says which key or default it comes from") {
  const PositionPlan plan = plan_of(std::string(R"({"model_type": "gpt_oss", "num_hidden_layers": 2,
    "hidden_size": 2880, "num_attention_heads": 64, "rope_theta": 150000})"));
  const LayerPlan& sliding = plan.layers.at(0);
  CHECK(sliding.reasons.at("base") == "config.json: rope_theta");
  CHECK(sliding.reasons.at("head_dim") == "default of gpt_oss");
  CHECK(sliding.reasons.at("rope.truncate") == "default of gpt_oss.truncate");
  CHECK(sliding.reasons.at("window") == "default of gpt_oss");
  CHECK(sliding.window == 128);
  CHECK_FALSE(plan.layers.at(1).window);
  CHECK(plan.assumed.empty());
}

TEST_CASE("layers of Llama 4 without RoPE have the temperature, and no others") {
  const PositionPlan plan =
      plan_of(std::string(R"({"model_type": "llama4_text", "num_hidden_layers": 4})"));
  CHECK_FALSE(plan.layers.at(2).temperature);
  CHECK(plan.layers.at(2).window == 8192);
  const LayerPlan& nope = plan.layers.at(3);
  CHECK(nope.encoding == "none");
  CHECK(test::temperature_at(nope.temperature.value(), 8190) == 1);
  CHECK(test::temperature_at(nope.temperature.value(), 8191) == Approx(1 + 0.1 * std::log(2)));
}

TEST_CASE("equal factors of llama3 make a step, as Llama 4 Scout has it") {
  const LayerPlan layer =
      plan_of(std::string(R"({"model_type": "llama4_text", "num_hidden_layers": 1,
    "rope_scaling": {"factor": 16.0, "high_freq_factor": 1.0, "low_freq_factor": 1.0,
    "original_max_position_embeddings": 8192, "rope_type": "llama3"}})"))
          .layers.at(0);
  constexpr double two_pi = 6.283185307179586;
  for (std::size_t t = 0; t < layer.inv_freq.size(); ++t) {
    const double theta = std::pow(5e5, -static_cast<double>(t) / 64);
    CHECK(layer.inv_freq[t] == Approx(two_pi / theta > 8192 ? theta / 16 : theta).epsilon(1e-12));
  }
}

TEST_CASE("a nested dictionary is known by its values, not by its keys") {
  // Two layers of one type: the dictionary of the other type is one all the same.
  const PositionPlan plan = plan_of(std::string(R"({"model_type": "mellum", "num_hidden_layers": 2,
    "layer_types": ["full_attention", "full_attention"],
    "rope_parameters": {"full_attention": {"rope_theta": 5e5},
                        "sliding_attention": {"rope_theta": 1e4}}})"));
  for (const LayerPlan& layer : plan.layers) CHECK(layer.rope.base == 5e5);
}

TEST_CASE("null for a type of layers means no position encoding") {
  const PositionPlan plan = plan_of(std::string(R"({"model_type": "mellum", "num_hidden_layers": 2,
    "layer_types": ["full_attention", "sliding_attention"],
    "rope_parameters": {"full_attention": null, "sliding_attention": {"rope_theta": 1e4}}})"));
  CHECK(plan.layers.at(0).encoding == "none");
  CHECK(plan.layers.at(1).encoding == "rope");
}

TEST_CASE("an unknown model type is read as far as its keys go, and says so") {
  const PositionPlan plan = plan_of(std::string(R"({"model_type": "new_thing", "n_layer": 3,
    "n_embd": 64, "n_head": 4, "rope_theta": 5e5, "sliding_window": 16})"));
  REQUIRE(plan.layers.size() == 3);
  CHECK(plan.layers[2].rope.d_head == 16);
  CHECK(plan.layers[2].rope.base == 5e5);
  REQUIRE(plan.assumed.size() == 3);
  CHECK_THAT(plan.assumed[0], Contains("new_thing"));
  CHECK_THAT(plan.assumed[1], Contains("sliding_window"));
  CHECK_THAT(plan.assumed[2], Contains("t + r/2"));
}

TEST_CASE("keys that say it are read whatever the type") {
  const PositionPlan plan = plan_of(std::string(R"({"model_type": "new_thing", "n_layer": 4,
    "hidden_size": 64, "n_head": 4, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8,
    "rope_theta": 1e4, "is_causal": false, "layer_rope_theta": [1e4, 0, 1e4, 1e4],
    "per_layer_config": {"02": {"qk_nope_head_dim": 24}, "3": {"qk_rope_head_dim": 0}}})"));
  CHECK(plan.layers[0].rope.d_head == 24);
  CHECK(plan.layers[0].rope.begin == 16);
  CHECK(plan.layers[0].inv_freq.size() == 4);
  CHECK_FALSE(plan.layers[0].causal);
  CHECK(plan.layers[1].encoding == "none");
  CHECK(plan.layers[2].rope.d_head == 32);
  CHECK(plan.layers[2].reasons.at("head_dim") == "qk_nope_head_dim + qk_rope_head_dim");
  CHECK(plan.layers[3].encoding == "none");
  const PositionPlan masked = plan_of(std::string(R"({"architectures": ["NewForMaskedLM"],
    "n_layer": 1, "n_embd": 64, "n_head": 4, "rope_theta": 1e4, "model_type": "new"})"));
  CHECK_FALSE(masked.layers[0].causal);
  const PositionPlan gemma = plan_of(std::string(R"({"model_type": "gemma4_text", "head_dim": 16,
    "layer_types": ["sliding_attention", "full_attention"], "num_hidden_layers": 2,
    "per_layer_config": {"1": {"head_dim": 32}}})"));
  CHECK(gemma.layers[0].rope.d_head == 16);
  CHECK(gemma.layers[1].rope.d_head == 32);
  CHECK(gemma.layers[1].reasons.at("head_dim") == "config.json: per_layer_config.1.head_dim");
}

TEST_CASE("the class that architectures names decides before model_type") {
  const PositionPlan chronos = plan_of(std::string(R"({"architectures": ["Chronos2Model"],
    "model_type": "t5", "d_kv": 16, "d_model": 32, "num_heads": 2, "num_layers": 3,
    "rope_theta": 1e4})"));
  CHECK(chronos.model_type == "chronos2");
  CHECK(chronos.layers[0].encoding == "rope");
  const PositionPlan qwen = plan_of(std::string(R"({"architectures": ["Qwen3ForCausalLM"],
    "model_type": "llama", "hidden_size": 64, "num_attention_heads": 2, "num_hidden_layers": 1})"));
  CHECK(qwen.model_type == "qwen3");
  CHECK(qwen.layers[0].rope.d_head == 128);
  // Names that agree but for case, strokes and what the class is for.
  for (const auto& [name, type] :
       {std::pair("GPTNeoXForCausalLM", "gpt_neox"), std::pair("Gemma3ForCausalLM", "gemma3_text"),
        std::pair("TransfoXLLMHeadModel", "transfo-xl"),
        std::pair("RoFormerForMaskedLM", "roformer"),
        std::pair("HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense"),
        std::pair("XLMRobertaModel", "xlm-roberta"), std::pair("T5EncoderModel", "t5")})
    CHECK(is_class_of(name, type));
  CHECK_FALSE(is_class_of("Chronos2Model", "t5"));
}

TEST_CASE("Meta's params.json is scaled where it says so, and names no factor") {
  const PositionPlan plan = plan_of(std::string(R"({"dim": 4096, "n_layers": 2, "n_heads": 32,
    "rope_theta": 5e5, "use_scaled_rope": true, "ffn_dim_multiplier": 1.3})"));
  CHECK(plan.model_type == "llama");
  const RopeScaling& scaling = plan.layers[0].rope.scaling;
  CHECK(scaling.kind == RopeScalingKind::llama3);
  CHECK(scaling.factor == 8);
  CHECK(scaling.original_length == 8192);
  REQUIRE(plan.assumed.size() == 2);
  CHECK_THAT(plan.assumed[0], Contains("1B and 3B"));
  CHECK_THAT(plan.assumed[1], Contains("ffn_dim_multiplier"));
}

TEST_CASE("files of other programs are read by their own keys, or refused by name") {
  const PositionPlan trt = plan_of(std::string(R"({"architecture": "LlamaForCausalLM",
    "mapping": {"tp_size": 1}, "num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 64,
    "position_embedding_type": "rope_gptj", "rotary_base": 1e6, "head_size": 32,
    "rotary_scaling": {"type": "linear", "factor": 4.0}})"));
  CHECK(trt.format == "configuration of TensorRT-LLM");
  CHECK(trt.layers[0].rope.base == 1e6);
  CHECK(trt.layers[0].rope.d_head == 32);
  CHECK(trt.layers[0].rope.pairing == RopePairing::interleaved);
  CHECK(trt.layers[0].inv_freq[0] == 0.25);
  const PositionPlan mlc = plan_of(std::string(R"({"model_type": "llama", "context_window_size":
    4096, "sliding_window_size": -1, "model_config": {"hidden_size": 64, "num_attention_heads": 2,
    "num_hidden_layers": 3, "position_embedding_base": 5e5}})"));
  CHECK(mlc.layers.size() == 3);
  CHECK(mlc.layers[0].rope.base == 5e5);
  CHECK_FALSE(mlc.layers[0].window);
  for (const auto& [text, name] :
       {std::pair(R"({"peft_type": "LORA", "base_model_name_or_path": "x"})", "PEFT"),
        std::pair(R"({"_class_name": "Unet", "_diffusers_version": "0"})", "Diffusers"),
        std::pair(R"({"model": {}, "search": {}})", "ONNX Runtime GenAI")})
    CHECK_THROWS_WITH(plan_of(std::string(text)), Contains(name));
}

TEST_CASE("Encoders and decoders are both those of Transformers") {
  std::size_t t5 = 0;
  const auto golden = test::golden("stacks.json");
  for (const auto& model : golden.at("models")) {
    const std::string config = model.at("config").dump();
    CAPTURE(config);
    const PositionPlan plan = plan_of(config);
    const bool shows_decoder = plan.layers.front().causal;
    REQUIRE_FALSE(plan.other.empty());
    CHECK(std::string(other_stack(plan)) == (shows_decoder ? "encoder" : "decoder"));
    for (const char* name : {"encoder", "decoder"}) {
      CAPTURE(name);
      const auto& stack = model.at(name);
      const auto& layers =
          (std::string(name) == "decoder") == shows_decoder ? plan.layers : plan.other;
      CHECK(layers.size() == stack.at("layers").get<std::size_t>());
      for (const LayerPlan& layer : layers) {
        CHECK(layer.rope.d_head == stack.at("head_dim").get<Index>());
        CHECK(layer.softmax_scale ==
              Approx(stack.at("softmax_scale").get<double>()).epsilon(1e-12));
        CHECK(layer.causal == stack.at("causal").get<bool>());
        if (stack.contains("bidirectional")) {
          ++t5;
          CHECK(param_or(layer, "t5.bidirectional", layer.causal) ==
                stack.at("bidirectional").get<bool>());
        }
        const auto theta = stack.value("inv_freq", std::vector<double>{});
        REQUIRE(layer.inv_freq.size() == theta.size());
        for (std::size_t t = 0; t < theta.size(); ++t)
          CHECK(layer.inv_freq[t] == Approx(theta[t]).epsilon(2e-6));
      }
    }
  }
  CHECK(t5 == 5 * 2 + 3 + 2 + 1 + 3 + 3);
}

TEST_CASE("what stands in a file is no other word, and no fault where its type is unknown") {
  const auto shown = [](const char* config) { return plan_of(std::string(config)); };
  const PositionPlan sine = shown(R"({"model_type": "detr", "encoder_layers": 2, "d_model": 64,
    "encoder_attention_heads": 4, "decoder_layers": 3, "position_embedding_type": "sine"})");
  CHECK(sine.layers[0].encoding == "unknown");
  CHECK_FALSE(sine.layers[0].causal);
  REQUIRE(sine.other.size() == 3);
  CHECK(sine.other[0].causal);
  CHECK(shown(R"({"model_type": "bert", "position_embedding_type": "alibi"})").layers[0].encoding ==
        "unknown");
  CHECK(shown(R"({"model_type": "vit_of_mine", "image_size": 8, "patch_size": 2, "rope_theta": 100,
    "num_hidden_layers": 1, "hidden_size": 64, "num_attention_heads": 4})")
            .layers[0]
            .encoding == "unknown");
  CHECK(shown(R"({"model_type": "fnet", "num_hidden_layers": 1, "hidden_size": 64})")
            .layers[0]
            .encoding == "unknown");
  const PositionPlan defaults = shown(R"({"model_type": "llama", "auto_map":
    {"AutoModelForCausalLM": "modeling_own.OwnForCausalLM"}})");
  REQUIRE(defaults.assumed.size() == 2);
  CHECK_THAT(defaults.assumed[0], Contains("modeling_own.OwnForCausalLM"));
  CHECK_THAT(defaults.assumed[1], Contains("all are defaults of llama"));
  try {
    shown(R"({"model_type": "swin_of_mine", "num_layers": 1, "num_heads": [3, 6]})");
    FAIL("a list of heads was read");
  } catch (const DataError& error) {
    CHECK_THAT(error.what(), !Contains("correct it"));
  }
}

TEST_CASE("a plan has the scales, masks and tables that a class computes with") {
  const auto shown = [](const char* config) { return plan_of(std::string(config)); };
  const PositionPlan gpt2 = shown(R"({"model_type": "gpt2", "n_layer": 3, "n_embd": 64, "n_head": 4,
    "scale_attn_by_inverse_layer_idx": true})");
  CHECK(gpt2.layers[2].softmax_scale == Approx(0.25 / 3));
  CHECK(shown(R"({"model_type": "gpt2", "scale_attn_weights": false})").layers[0].softmax_scale ==
        1);
  const PositionPlan gemma = shown(R"({"model_type": "gemma2", "sliding_window": 5,
    "use_bidirectional_attention": true})");
  CHECK(gemma.layers[0].causal);
  CHECK(*gemma.layers[0].window == 5);
  CHECK(shown(R"({"model_type": "mpnet"})").layers[0].beside == "learned");
  CHECK(shown(R"({"model_type": "deberta", "relative_attention": true, "pos_att_type": ["c2p"],
    "position_biased_input": false})")
            .layers[0]
            .beside.empty());
  const PositionPlan marian = shown(R"({"architectures": ["MarianForCausalLM"], "model_type":
    "marian", "decoder_layers": 4, "encoder_layers": 2, "d_model": 64, "is_decoder": true})");
  CHECK(marian.layers.size() == 4);
  CHECK(marian.layers[0].causal);
  const char* phimoe = R"({"model_type": "phimoe", "hidden_size": 64, "num_attention_heads": 4,
    "num_hidden_layers": 1, "max_position_embeddings": 256, "rope_parameters": {"rope_type":
    "longrope", "rope_theta": 1e4, "short_factor": [1, 1, 1, 1, 1, 1, 1, 1], "long_factor":
    [2, 2, 2, 2, 2, 2, 2, 2], "short_mscale": 1.25, "long_mscale": 1.5,
    "original_max_position_embeddings": 64}})";
  for (const auto& [length, factor] : {std::pair(32, 1.25), std::pair(128, 1.5)}) {
    const PositionPlan plan = read_config(phimoe, "config.json", {.length = length});
    CHECK(plan.layers[0].attention_factor == factor);
    CHECK(plan.layers[0].inv_freq[0] == 1);
  }
}

TEST_CASE("the text of a multimodal model is read, with its prefix in the reasons") {
  const PositionPlan plan = plan_of(std::string(R"({"model_type": "gemma3", "vision_config": {},
    "text_config": {"model_type": "gemma3_text", "num_hidden_layers": 6, "rope_scaling":
      {"factor": 8.0, "rope_type": "linear"}}})"));
  CHECK(plan.model_type == "gemma3_text");
  CHECK(plan.layers.at(5).reasons.at("rope.factor") ==
        "config.json: text_config.rope_scaling.factor");
  CHECK(settings_of(plan.layers.at(0)).empty());
  CHECK(plan.layers.at(0).rope.base == 1e4);
  CHECK(plan.layers.at(5).rope.base == 1e6);
}

TEST_CASE("biases of ALiBi, T5 and DeBERTa are read with their parameters") {
  const LayerPlan bloom =
      plan_of(std::string(R"({"model_type": "bloom", "n_layer": 30, "n_head": 32,
    "hidden_size": 4096})"))
          .layers.at(29);
  CHECK(bloom.encoding == "alibi");
  CHECK(*find_param(bloom, "heads") == ParamValue(std::int64_t{32}));
  const LayerPlan t5 = plan_of(std::string(R"({"model_type": "t5", "num_layers": 12, "d_model": 768,
    "num_heads": 12, "d_kv": 64, "relative_attention_num_buckets": 32})"))
                           .layers.at(0);
  CHECK(t5.encoding == "t5");
  CHECK(t5.softmax_scale == 1);
  const LayerPlan deberta = plan_of(std::string(R"({"model_type": "deberta-v2", "hidden_size": 768,
    "num_attention_heads": 12, "num_hidden_layers": 12, "relative_attention": true,
    "position_buckets": 256, "norm_rel_ebd": "layer_norm", "pos_att_type": "p2c|c2p",
    "max_relative_positions": -1})"))
                                .layers.at(0);
  CHECK(deberta.encoding == "deberta");
  CHECK(*find_param(deberta, "deberta.max_distance") == ParamValue(std::int64_t{512}));
  CHECK(deberta.softmax_scale == Approx(1 / std::sqrt(3.0 * 64)));
}

TEST_CASE("Mistral's params.json has names of its own") {
  const PositionPlan plan = plan_of(std::string(R"({"dim": 4096, "n_layers": 2, "head_dim": 128,
    "n_heads": 32, "rope_theta": 1e6, "yarn": {"original_max_position_embeddings": 16384,
    "factor": 16, "apply_scale": false, "beta": 24, "alpha": 2},
    "llama_4_scaling": {"original_max_position_embeddings": 16384, "beta": 0.1}})"));
  CHECK(plan.format == "params.json");
  const LayerPlan& layer = plan.layers.at(1);
  CHECK(layer.rope.pairing == RopePairing::interleaved);
  CHECK(*find_param(layer, "rope.beta_slow") == ParamValue(2.0));
  CHECK(*find_param(layer, "rope.beta_fast") == ParamValue(24.0));
  CHECK(layer.attention_factor == 1);
  CHECK(test::temperature_at(layer.temperature.value(), 40000) == Approx(1 + 0.1 * std::log(3)));
}

TEST_CASE("infinities of Python and texts that look like them are read") {
  const PositionPlan plan = plan_of(std::string(R"({"model_type": "llama", "num_hidden_layers": 1,
    "time_step_limit": [0.0, Infinity], "x": -Infinity, "y": NaN, "name": "NaN \" Infinity"})"));
  CHECK(plan.layers.size() == 1);
}

TEST_CASE("layers without attention are told from others by the keys of each model") {
  const auto attention = [](const std::string& keys) {
    std::vector<int> layers;
    for (const LayerPlan& layer : plan_of("{\"num_hidden_layers\": 6, " + keys + "}").layers)
      if (layer.encoding != "not_attention") layers.push_back(layer.layer);
    return layers;
  };
  using Layers = std::vector<int>;
  CHECK(attention(R"("model_type": "bamba", "attn_layer_indices": [1, 4])") == Layers{1, 4});
  CHECK(attention(R"("model_type": "lfm2", "full_attn_idxs": [2, 5])") == Layers{2, 5});
  CHECK(attention(R"("model_type": "jamba", "attn_layer_period": 4, "attn_layer_offset": 2)") ==
        Layers{2});
  CHECK(attention(R"("model_type": "nemotron_h", "hybrid_override_pattern": "M-*M-*")") ==
        Layers{2, 5});
  CHECK(attention(R"("model_type": "minimax", "attn_type_list": [0, 0, 1, 0, 0, 1])") ==
        Layers{2, 5});
  CHECK(attention(R"("model_type": "qwen3_next")") == Layers{3});
}

TEST_CASE("configurations that cannot be are refused by the key") {
  const auto refused = [](const std::string& keys, const std::string& message) {
    CHECK_THROWS_WITH(plan_of(R"({"model_type": "llama")" + keys + "}"), Contains(message));
    CHECK_THROWS_AS(plan_of(R"({"model_type": "llama")" + keys + "}"), DataError);
  };
  refused(R"(, "num_hidden_layers": 1e9)", "num_hidden_layers");
  refused(R"(, "num_hidden_layers": "many")", "num_hidden_layers");
  refused(R"(, "head_dim": 1e9)", "head_dim");
  refused(R"(, "head_dim": 15)", "cannot be");
  refused(R"(, "rope_theta": 0.5)", "rope_theta");
  refused(R"(, "rope_scaling": [1])", "rope_scaling");
  refused(R"(, "rope_scaling": {"type": "linear", "factor": "4"})", "factor");
  refused(R"(, "rope_scaling": {"type": "linear", "factor": 0.5})", "cannot be");
  refused(R"(, "rope_scaling": {"type": "longrope", "factor": 4, "short_factor": [1, 2],
      "long_factor": [1, 2]})",
          "cannot be");
  refused(R"(, "rope_scaling": {"type": "yarn", "factor": 4,
      "original_max_position_embeddings": 1e300})",
          "original_max_position_embeddings");
  CHECK_THROWS_WITH(plan_of(std::string(R"({"model_type": "mellum", "num_hidden_layers": 2,
      "layer_types": ["full_attention"]})")),
                    Contains("layer_types"));
  CHECK_THROWS_AS(plan_of(std::string("[1]")), DataError);
  CHECK_THROWS_AS(plan_of(std::string(2000, '[')), DataError);
  CHECK_THROWS_AS(plan_of(R"({"a": )" + std::string(1000, '[') + std::string(1000, ']') + "}"),
                  DataError);
}

TEST_CASE("every row of the table of model types gives a plan by its defaults alone") {
  std::set<std::string_view> names;
  for (const ModelType& type : model_types()) {
    INFO(type.name);
    CHECK(names.insert(type.name).second);
    if (type.sizes.layers == 0) continue;
    // Half of a head of 4096/96 channels is odd: files of these types have a head_dim.
    if (type.name == "glm4_moe" || type.name == "glm4v_moe_text") continue;
    const PositionPlan plan = plan_of(Json{{"model_type", std::string(type.name)}});
    // HRM runs its two stacks of as many layers eight times.
    const int passes = type.name == "hrm_text" ? 8 : 1;
    CHECK(plan.layers.size() == static_cast<std::size_t>(passes * type.sizes.layers));
    // Without position_embedding_type, use_mem_rope or layers that slide these have none.
    const bool without = type.name == "granitemoehybrid" || type.name == "zamba2";
    if (type.encoding == "rope" && !without)
      CHECK(std::any_of(plan.layers.begin(), plan.layers.end(),
                        [](const LayerPlan& layer) { return layer.encoding == "rope"; }));
  }
  CHECK(names.size() >= 60);
}

TEST_CASE("a row of a table of models is refused by the key that is wrong") {
  struct Row {
    bool turns{};
    enum class Pairs { neighbours, halves } pairs{};
  };
  const TableFields<Row> fields{{"turns", table_value(&Row::turns)},
                                {"pairs", table_value(&Row::pairs, "neighbours halves")}};
  const auto read = [&](const char* text) {
    return table_row("a.json", Json::parse(text), fields);
  };
  CHECK(read(R"({"turns": true, "pairs": "halves"})").pairs == Row::Pairs::halves);
  CHECK_THROWS_WITH(read(R"({"turns": "yes"})"), Contains("a.json, turns"));
  CHECK_THROWS_WITH(read(R"({"pairs": "thirds"})"),
                    Contains("thirds is none of neighbours halves"));
  CHECK_THROWS_AS(read(R"({"turn": true})"), DataError);
  CHECK_THROWS_AS(model_table("none.json"), IoError);
}
