// Configurations drawn at random for every model type, against what Transformers made of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.h"
#include "experiments/model_files/layer_settings.h"
#include "experiments/model_files/model_types.h"
#include "experiments/model_files/position_plan.h"
#include "experiments/model_files/positions_text.h"
#include "experiments/model_files/read_config.h"
#include "experiments/model_files/rotation.h"
#include "tests/experiments/model_files/applied.h"
#include "tests/support/golden_file.h"

using namespace orrery;
using Json = nlohmann::json;
using Numbers = std::vector<double>;

namespace {

// As in read_config_test.cpp, with six digits in the file: angles of Transformers are in fp32.
constexpr double applied_tolerance = 5e-4;
constexpr double frequency_tolerance = 1e-5;
constexpr int tokens = 24;

double largest(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return HUGE_VAL;
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const double error = std::abs(a[i] - b[i]) / (1 + std::abs(b[i])); !(error <= most))
      most = error;
  return most;
}

Numbers applied(const LayerPlan& layer, Numbers x, double position, bool is_query) {
  if (x.size() != static_cast<std::size_t>(layer.rope.d_head)) return {};
  return test::applied(layer, std::move(x), static_cast<std::int64_t>(position), is_query);
}

bool sees(const LayerPlan& layer, int m, int n) {
  if (layer.causal && n > m) return false;
  if (!layer.window) return true;
  const std::int64_t w = *layer.window;
  return std::abs(m - n) < w && (!layer.window_in_blocks || m / w == n / w);
}

/// In the form of the file: a row of 24 bits per query.
std::vector<std::string> mask_of(const LayerPlan& layer) {
  std::vector<std::string> rows;
  for (int m = 0; m < tokens; ++m) {
    unsigned row = 0;
    for (int n = 0; n < tokens; ++n) row = 2 * row + (sees(layer, m, n) ? 1U : 0U);
    rows.push_back(fmt::format("{:06x}", row));
  }
  return rows;
}

/// One frequency in a table is shared by all pairs.
bool has_frequencies(const LayerPlan& layer, const Numbers& expected) {
  if (layer.inv_freq.empty()) return false;
  if (expected.size() != 1 && expected.size() != layer.inv_freq.size()) return false;
  for (std::size_t t = 0; t < layer.inv_freq.size(); ++t) {
    const double theta = expected[expected.size() == 1 ? 0 : t];
    if (std::abs(layer.inv_freq[t] - theta) > frequency_tolerance * theta) return false;
  }
  return true;
}

using Findings = std::set<std::string>;

/// A layer in a sequence that ends at that position, by which LongRoPE chooses its factors.
LayerPlan layer_at(const Json& config, int layer, double position) {
  const ReadOptions options{.length = static_cast<std::int64_t>(position) + 1};
  return read_config(config.dump(), "config.json", options)
      .layers.at(static_cast<std::size_t>(layer));
}

double length_of(const Numbers& x) {
  return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

/// "applied q", or "length of q" where nothing but its length differs.
void compare_turned(const LayerPlan& layer, const Json& pre, const Json& post, double position,
                    const std::string& which, Findings& found) {
  const Numbers expected = post;
  Numbers turned = applied(layer, pre, position, which == "q");
  if (largest(turned, expected) < applied_tolerance) return;
  const double ratio = length_of(expected) / length_of(turned);
  for (double& value : turned) value *= ratio;
  const bool alike = largest(turned, expected) < applied_tolerance;
  found.insert((alike ? "length of " : "applied ") + which);
}

void compare_layer(const LayerPlan& layer, const Json& config, const Json& expected,
                   const Json& golden, Findings& found) {
  if (expected.contains("turned") &&
      (layer.encoding == "rope") != expected.at("turned").get<bool>())
    found.insert("encoding");
  if (expected.contains("scale") && expected.at("scale").is_number() &&
      std::abs(layer.softmax_scale / expected.at("scale").get<double>() - 1) > 1e-6)
    found.insert("softmax scale");
  if (expected.contains("width") && layer.rope.d_head != expected.at("width").get<int>())
    found.insert("width");
  if (expected.contains("mask")) {
    const Json& rows = golden.at("masks").at(expected.at("mask").get<std::size_t>());
    // Encoders that cut the sequence, or see audio, have another number of rows or keys.
    const bool whole = rows.size() == tokens && rows.at(0).get<std::string>().size() == tokens / 4;
    if (whole && mask_of(layer) != rows.get<std::vector<std::string>>()) found.insert("mask");
  }
  if (!expected.contains("pre_q")) return;
  if (expected.at("pre_q").size() != static_cast<std::size_t>(layer.rope.d_head)) {
    found.insert("width");
    return;
  }
  const Numbers positions = golden.at("positions");
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const LayerPlan at = layer_at(config, layer.layer, positions[i]);
    compare_turned(at, expected.at("pre_q"), expected.at("post_q").at(i), positions[i], "q", found);
    if (i + 1 == positions.size())
      compare_turned(at, expected.at("pre_k"), expected.at("post_k").at(0), positions[i], "k",
                     found);
  }
}

/// The table of a module, which one of the layers should have.
void compare_table(const PositionPlan& plan, const Json& table, Findings& found) {
  const Numbers expected = table.at("inv_freq");
  const double factor = table.at("attention_factor");
  bool frequencies = false, both = false;
  for (const LayerPlan& layer : plan.layers) {
    if (!has_frequencies(layer, expected)) continue;
    frequencies = true;
    both = both || std::abs(layer.attention_factor - factor) <= 1e-5 * factor;
  }
  if (!frequencies) found.insert("frequencies");
  if (frequencies && !both) found.insert("attention factor");
}

/// What a plan has otherwise than Transformers.
Findings compare(const Json& one, const Json& golden) {
  Findings found;
  PositionPlan plan;
  try {
    plan = read_config(one.at("config").dump(), "config.json");
  } catch (const Error& error) {
    return {std::string("refused: ") + error.what()};
  }
  std::map<int, const Json*> expected;
  for (const Json& layer : one.at("layers")) expected[layer.at("layer").get<int>()] = &layer;
  for (const LayerPlan& layer : plan.layers) {
    const auto at = expected.find(layer.layer);
    if ((layer.encoding == "not_attention") != (at == expected.end()))
      found.insert("which layers have attention");
    else if (at != expected.end())
      compare_layer(layer, one.at("config"), *at->second, golden, found);
  }
  if (!expected.empty() && expected.rbegin()->first >= static_cast<int>(plan.layers.size()))
    found.insert("number of layers");
  // A module has a table for the type of layers that has none here, or one base per layer.
  const bool any = std::any_of(plan.layers.begin(), plan.layers.end(),
                               [](const LayerPlan& layer) { return layer.encoding == "rope"; });
  const bool one_table =
      one.at("tables").size() == 1 && !one.at("config").contains("layer_rope_theta");
  if (any && one_table) compare_table(plan, *one.at("tables").begin(), found);
  return found;
}

std::string type_of(const Json& config) {
  return config.contains("text_config") ? config.at("text_config").at("model_type")
                                        : config.at("model_type");
}

/// A difference that is known: the findings, in this order between commas, that configurations of a
/// type may have, those that hold a text in their JSON, and why. Any other finding fails.
struct Named {
  std::string_view type;
  std::string_view holds;  ///< empty: any configuration of the type
  std::string_view findings;
  std::string_view reason;
};
constexpr std::array named{
    Named{"hunyuan_v1_dense", "yarn", "attention factor",
          "its table has one, which a norm after the rotation cancels: q and k agree"},
    Named{"hunyuan_vl_text", "yarn", "attention factor",
          "the same of its images' kind: the norm behind the rotation cancels it"},
    Named{"ernie4_5_vl_moe_text", "", "frequencies",
          "its table is in the order of axes, and pairs turn by the frequencies in theirs"},
    Named{"mistral_large4_text", "", "length of q",
          "q is multiplied by b + s ln(m + 1) with learned b and s, which no configuration has"},
    Named{"sam3_lite_text_text_model", "", "mask, which layers have attention",
          "a text tower that looks both ways, whose first and last blocks are convolutions"},
};

const Named* known_difference(const Json& config, const Findings& found) {
  const std::string type = type_of(config), text = config.dump();
  const auto at = std::find_if(named.begin(), named.end(), [&](const Named& one) {
    return one.type == type && text.find(one.holds) != std::string::npos &&
           fmt::format("{}", fmt::join(found, ", ")) == one.findings;
  });
  return at == named.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("configurations drawn at random are read as Transformers reads them") {
  const Json golden = test::golden("drawn_plans.json");
  std::set<std::string_view> used;
  std::size_t agreeing = 0;
  for (const Json& one : golden.at("cases")) {
    const Findings found = compare(one, golden);
    const Named* known = found.empty() ? nullptr : known_difference(one.at("config"), found);
    if (found.empty())
      ++agreeing;
    else if (known)
      used.insert(known->reason);
    else
      FAIL_CHECK(type_of(one.at("config"))
                 << ": " << fmt::format("{}", fmt::join(found, ", ")) << "\n"
                 << one.at("config").dump());
  }
  CHECK(golden.at("drawn") >= 1000);
  CHECK(golden.at("cases").size() >= 1000);
  CHECK(agreeing >= 1719);
  for (const Named& one : named) {
    INFO(one.type << " " << one.holds);
    CHECK(used.count(one.reason) == 1);  // a difference that is gone leaves the list
  }
}

TEST_CASE("every model type of the table was drawn") {
  std::set<std::string> drawn, table;
  const Json golden = test::golden("drawn_plans.json");
  for (const auto& [type, count] : golden.at("by_type").items()) drawn.insert(type);
  for (const ModelType& type : model_types()) table.insert(std::string(type.name));
  CHECK(std::includes(drawn.begin(), drawn.end(), table.begin(), table.end()));
}

namespace {

LayerPlan layer_of(const char* config, std::size_t layer = 0) {
  return read_config(config, "config.json").layers.at(layer);
}

}  // namespace

TEST_CASE("a file's sizes of the decoder do not stand in for those of the encoder") {
  const auto read = [](const char* config) { return read_config(config, "config.json"); };
  const PositionPlan speech = read(R"({"model_config": {"model_type": "fastspeech2_conformer",
    "decoder_layers": 6, "decoder_num_attention_heads": 8}})");
  REQUIRE(speech.layers.size() == 4);
  const LayerPlan& layer = speech.layers.at(0);
  CHECK(layer.encoding == "transformer_xl");
  CHECK(*find_param(layer, "transformer_xl.layout") == ParamValue(std::string("interleaved")));
  CHECK(layer.rope.d_head == 192);
  CHECK(layer.softmax_scale == Approx(1 / std::sqrt(192.0)));
  CHECK_FALSE(layer.causal);
  CHECK_THAT(speech.assumed.back(), Catch::Matchers::Contains("looks both ways"));
  REQUIRE(speech.other.size() == 6);
  CHECK(speech.other[0].rope.d_head == 48);
  CHECK_FALSE(speech.other[0].causal);
  CHECK(read(R"({"model_type": "bart", "decoder_layers": 3})").layers.size() == 12);
  CHECK(read(R"({"model_type": "moonshine", "encoder_num_attention_heads": 4})")
            .layers.at(0)
            .rope.d_head == 72);
}

TEST_CASE("a list of scaled layers leaves the others unscaled") {
  const auto slowest = [](std::size_t layer) {
    return layer_of(R"({"model_type": "molmo2_text", "num_hidden_layers": 2,
      "rope_scaling_layers": [1], "rope_scaling": {"rope_type": "linear", "factor": 4}})",
                    layer)
        .inv_freq.front();
  };
  CHECK(slowest(0) == 1);
  CHECK(slowest(1) == 0.25);
}

TEST_CASE("HRM has a layer for each time that its stacks are run") {
  const auto layers = [](const std::string& more) {
    return read_config(R"({"model_type": "hrm_text", "num_hidden_layers": 16)" + more + "}",
                       "config.json")
        .layers.size();
  };
  CHECK(layers("") == 128);
  CHECK(layers(R"(, "L_cycles": 1)") == 64);
  CHECK(layers(R"(, "num_layers_per_stack": 2)") == 16);
  CHECK_THROWS_AS(layers(R"(, "L_cycles": 2000)"), DataError);
}

TEST_CASE("the indexers of Hunyuan 4 turn the last channels") {
  for (const char* type : {"hy_v4", "hy_v4_vl_text"}) {
    const LayerPlan layer =
        layer_of(Json{{"model_type", type}, {"num_hidden_layers", 1}, {"index_head_dim", 128}}
                     .dump()
                     .c_str());
    REQUIRE(layer.indexer);
    CHECK(layer.indexer->rotary_begin == 64);
    CHECK(layer.indexer->pairing == layer.rope.pairing);
  }
}

TEST_CASE("keys that a class does not read change nothing, and the reason says so") {
  const LayerPlan olmo = layer_of(R"({"model_type": "olmo", "hidden_size": 256,
    "num_attention_heads": 8, "num_hidden_layers": 2, "layer_types": ["sliding_attention",
    "full_attention"], "sliding_window": 8})");
  CHECK(olmo.type == "full_attention");
  CHECK_FALSE(olmo.window);
  CHECK(olmo.reasons.at("window") ==
        "config.json: sliding_window is not read by the code of olmo in Transformers");
  CHECK(olmo.reasons.at("type") ==
        "config.json: layer_types is not read by the code of olmo in Transformers");
  const LayerPlan mistral = layer_of(R"({"model_type": "mistral", "hidden_size": 256,
    "num_attention_heads": 8, "num_hidden_layers": 2, "partial_rotary_factor": 0.5})");
  CHECK(mistral.rope.rotary_dims == 32);
  CHECK_THAT(mistral.reasons.at("rotary_dims"),
             Catch::Matchers::Contains("partial_rotary_factor is not read"));
}

TEST_CASE("a head is as wide as its class makes it where no key says so") {
  const auto width = [](const std::string& type, int hidden, int heads) {
    return read_config(Json{{"model_type", type},
                            {"hidden_size", hidden},
                            {"num_attention_heads", heads},
                            {"num_hidden_layers", 1}}
                           .dump(),
                       "config.json")
        .layers.at(0)
        .rope.d_head;
  };
  CHECK(width("nemotron", 6144, 32) == 192);
  CHECK(width("arcee", 2560, 20) == 128);
  CHECK(width("qwen3_vl_moe_text", 2048, 32) == 64);
  CHECK(width("cohere2_moe", 4096, 64) == 128);
}

TEST_CASE("a window is |m - n| < w for layers that look one way and both") {
  const auto bert = [](const std::string& type, const std::string& more) {
    return layer_of(
        (R"({"model_type": ")" + type + R"(", "num_hidden_layers": 4)" + more + "}").c_str(), 1);
  };
  CHECK(bert("modernbert-decoder", R"(, "local_attention": 128)").window == 64);
  CHECK(bert("modernbert", R"(, "local_attention": 128)").window == 65);
  CHECK(bert("modernbert-decoder", R"(, "sliding_window": 5)").window == 5);
  CHECK(bert("modernbert", R"(, "sliding_window": 5)").window == 6);
  const auto gemma = [](const char* type) {
    return layer_of(
        (std::string(R"({"num_hidden_layers": 2, "sliding_window": 8, "model_type": ")") + type +
         R"(", "use_bidirectional_attention": "all"})")
            .c_str());
  };
  CHECK(gemma("gemma3_text").window == 5);
  CHECK(gemma("gemma4_text").window == 6);
  CHECK(layer_of(R"({"model_type": "ministral3", "num_hidden_layers": 1, "sliding_window": 8})")
            .window == 8);
  CHECK(layer_of(R"({"model_type": "llama4_text", "num_hidden_layers": 1})").window_in_blocks);
}

TEST_CASE("the channels that a frequency turns are named, of p-RoPE over all of the head") {
  const LayerPlan layer = layer_of(R"({"model_type": "gemma4_text", "num_hidden_layers": 1,
    "global_head_dim": 32})");
  CHECK(layer.rope.rotary_dims == 8);
  const auto pairs = channel_pairs(layer);
  REQUIRE(pairs.size() == layer.inv_freq.size());
  CHECK(pairs.at(3) == std::pair{3, 19});
}

TEST_CASE("configurations of Transformer-XL and XLNet have its encoding") {
  const LayerPlan xl = layer_of(R"({"model_type": "transfo-xl", "n_layer": 2, "clamp_len": 400})");
  CHECK(xl.encoding == "transformer_xl");
  CHECK(*find_param(xl, "transformer_xl.clamp_len") == ParamValue(std::int64_t{400}));
  CHECK(xl.softmax_scale == 0.125);
  const LayerPlan xlnet = layer_of(R"({"model_type": "xlnet", "n_layer": 2})");
  CHECK(xlnet.encoding == "transformer_xl");
  CHECK_FALSE(xlnet.causal);
  CHECK_FALSE(find_param(xlnet, "transformer_xl.clamp_len"));
}

TEST_CASE("yarn below 1 speeds up what it would slow down, and odd parts are rounded up") {
  const LayerPlan fast = layer_of(R"({"model_type": "llama", "num_hidden_layers": 1, "head_dim": 16,
    "max_position_embeddings": 1024, "rope_scaling": {"rope_type": "yarn", "factor": null,
    "original_max_position_embeddings": 4096}})");
  CHECK(fast.attention_factor == 1);
  CHECK(fast.inv_freq.back() == Approx(4 * std::pow(1e4, -14.0 / 16)));
  const LayerPlan odd = layer_of(R"({"model_type": "glm4", "num_hidden_layers": 1,
    "partial_rotary_factor": 0.4})");
  CHECK(odd.rope.rotary_dims == 52);
  CHECK(odd.inv_freq.at(25) == Approx(std::pow(1e4, -50.0 / 51)));
}

TEST_CASE("an attention factor of 0 blanks the channels that turn, and no experiment runs it") {
  const LayerPlan layer = layer_of(R"({"model_type": "glm4", "num_hidden_layers": 1,
    "rope_scaling": {"rope_type": "yarn", "factor": 4, "attention_factor": 0.0}})");
  CHECK(layer.attention_factor == 0);
  CHECK(layer.reasons.at("rope.attention_factor") == "config.json: rope_scaling.attention_factor");
  Numbers x(128, 1.0);
  rotate(layer, 3, x);
  CHECK(x.at(63) == 0);
  CHECK(x.at(64) == 1);
  CHECK_THROWS_AS(layer_settings(layer, {}), UsageError);
}

TEST_CASE("a norm of q and k after they turn leaves no attention factor") {
  for (const char* type : {"nanochat", "hunyuan_v1_moe", "llama4_text"}) {
    const LayerPlan layer = layer_of(
        Json{{"model_type", type},
             {"num_hidden_layers", 1},
             {"rope_scaling",
              {{"rope_type", "yarn"}, {"factor", 4}, {"original_max_position_embeddings", 512}}}}
            .dump()
            .c_str());
    CHECK(layer.attention_factor == 1);
    CHECK_THAT(layer.reasons.at("rope.attention_factor"), Catch::Matchers::Contains("normed"));
  }
}

TEST_CASE("a scaling that leaves latent attention one frequency turns all pairs by it") {
  const LayerPlan layer = layer_of(R"({"model_type": "deepseek_v3", "num_hidden_layers": 1,
    "qk_rope_head_dim": 8, "partial_rotary_factor": 0.25,
    "rope_scaling": {"rope_type": "linear", "factor": 4}})");
  REQUIRE(layer.inv_freq.size() == 4);
  for (const double theta : layer.inv_freq) CHECK(theta == Approx(0.25));
}

TEST_CASE("heads are as wide as the key that the class reads says") {
  const auto width = [](const char* more) {
    return layer_of((std::string(R"({"num_hidden_layers": 1, )") + more + "}").c_str()).rope.d_head;
  };
  CHECK(width(R"("model_type": "udop", "head_dim": 8)") == 64);
  CHECK(width(R"("model_type": "udop", "head_dim": 8, "d_kv": 16)") == 16);
  CHECK(width(R"("model_type": "t5", "head_dim": 16)") == 16);
  CHECK(width(R"("model_type": "bert", "d_kv": 8)") == 64);
  CHECK(width(R"("model_type": "gpt_neox", "head_dim": 64)") == 96);
}

TEST_CASE("a part beside the dictionaries is that of layers with a scaling alone") {
  const auto turned = [](const std::string& type, const std::string& kind) {
    const std::string one = R"({"rope_theta": 10000, "factor": 2, "rope_type": ")" + kind + R"("})";
    return layer_of((R"({"num_hidden_layers": 1, "head_dim": 100, "partial_rotary_factor": 0.5,
      "model_type": ")" +
                     type + R"(", "rope_parameters": {"full_attention": )" + one +
                     R"(, "sliding_attention": )" + one + "}}")
                        .c_str())
        .rope.rotary_dims;
  };
  CHECK(turned("laguna", "default") == 100);
  CHECK(turned("laguna", "linear") == 50);
  CHECK(turned("mimo_v2_flash", "default") == 34);  // 33, rounded up
  CHECK(turned("mimo_v2_flash", "linear") == 50);
}

TEST_CASE("Muse Spark's list of bases says where there is none, and nothing else") {
  const char* config = R"({"model_type": "muse_spark_text", "num_hidden_layers": 2,
    "layer_types": ["full_attention", "full_attention"], "layer_rope_theta": [0, 90000]})";
  CHECK(layer_of(config, 0).encoding == "none");
  CHECK(layer_of(config, 1).rope.base == 500000);
  CHECK_THAT(
      layer_of(config, 1).reasons.at("base"),
      Catch::Matchers::EndsWith("config.json: layer_rope_theta is read for its zeros alone"));
}

TEST_CASE("a scaling of full layers puts the part beside the dictionaries into the others") {
  const auto turned = [](const char* kind) {
    return layer_of(
               (std::string(R"({"model_type": "laguna", "num_hidden_layers": 1, "head_dim": 100,
      "partial_rotary_factor": 0.5, "layer_types": ["sliding_attention"], "rope_parameters":
      {"sliding_attention": {"rope_theta": 10000}, "full_attention": {"rope_theta": 10000,
      "factor": 2, "rope_type": ")") +
                kind + R"("}}})")
                   .c_str())
        .rope.rotary_dims;
  };
  CHECK(turned("default") == 100);
  CHECK(turned("linear") == 50);
}

TEST_CASE("keys that a class of Transformers passes over scale nothing") {
  const auto slowest = [](const std::string& type, const std::string& name) {
    return layer_of((R"({"num_hidden_layers": 1, "layer_types": ["sliding_attention"],
      "model_type": ")" +
                     type + R"(", "rope_scaling": {"factor": 4, ")" + name + R"(": "linear"}})")
                        .c_str())
        .inv_freq.front();
  };
  CHECK(slowest("modernbert", "type") == 1);
  CHECK(slowest("modernbert", "rope_type") == 0.25);
  CHECK(slowest("cohere2_moe", "rope_type") == 1);
  CHECK(slowest("cohere2", "rope_type") == 0.25);
}

TEST_CASE("OLMo Hybrid without a base has no position encoding") {
  const auto encoding = [](const std::string& more) {
    return layer_of(
               (R"({"model_type": "olmo_hybrid", "num_hidden_layers": 1)" + more + "}").c_str())
        .encoding;
  };
  CHECK(encoding("") == "rope");
  CHECK(encoding(R"(, "rope_parameters": null)") == "rope");
  CHECK(encoding(R"(, "rope_theta": null)") == "none");
  CHECK(encoding(R"(, "rope_parameters": {"rope_theta": null})") == "none");
}

TEST_CASE("Nemotron-H has as many layers as its pattern has letters") {
  const PositionPlan plan = read_config(
      R"({"model_type": "nemotron_h", "num_hidden_layers": 9, "hybrid_override_pattern": "M*E-"})",
      "config.json");
  REQUIRE(plan.layers.size() == 4);
  CHECK(plan.layers.at(1).type == "full_attention");
  CHECK(plan.layers.at(2).type == "moe");
  CHECK(plan.assumed.at(0) ==
        "config.json: num_hidden_layers is not read by the code of nemotron_h in Transformers: "
        "layer_types or its pattern counts");
}

TEST_CASE("local layers of GPT-Neo have its window, by list or by runs of names") {
  const auto window = [](const std::string& more, std::size_t layer) {
    return layer_of((R"({"model_type": "gpt_neo", "num_layers": 3)" + more + "}").c_str(), layer)
        .window;
  };
  CHECK_FALSE(window("", 0));
  CHECK(window("", 1) == 256);
  const std::string runs = R"(, "window_size": 8, "attention_types": [[["local"], 2], )";
  CHECK(window(runs + R"([["global", "local"], 1]])", 1) == 8);
  CHECK_FALSE(window(runs + R"([["global", "local"], 1]])", 2));
  CHECK_THROWS_AS(window(runs + R"([["global"], 0]])", 2), DataError);
  CHECK_THROWS_AS(window(R"(, "attention_types": [["local", 2]])", 0), DataError);
}

TEST_CASE("a window of 0 hides every key, and the residual stream alone goes through") {
  const LayerPlan layer = layer_of(R"({"model_type": "qwen2_moe", "num_hidden_layers": 1,
    "layer_types": ["sliding_attention"], "sliding_window": 8})");
  CHECK(layer.window == 0);
  CHECK(window_text(layer) == "0 tokens: every key is hidden");
  CHECK(reach_of(layer, 100).behind == 0);
}

TEST_CASE("a factor of queries that is learned is said to be left out") {
  const PositionPlan plan = read_config(
      R"({"model_type": "mistral_large4_text", "num_hidden_layers": 1})", "config.json");
  CHECK_THAT(plan.assumed.at(0), Catch::Matchers::StartsWith("queries are multiplied by b + s ln"));
}
