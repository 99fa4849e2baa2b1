// Types that the table has not: what is known of their code, what is assumed, and what it leaves open.
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "experiments/model_files/position_plan.h"
#include "experiments/model_files/read_config.h"

using namespace orrery;

namespace {

/// A file with two heads of 16 channels.
PositionPlan unlisted_plan(const std::string& type, const std::string& more = "") {
  return read_config(R"({"model_type": ")" + type + R"(", "num_hidden_layers": 1, "hidden_size": 32,
    "num_attention_heads": 2)" +
                         more + "}",
                     "config.json");
}

LayerPlan unlisted_layer(const std::string& type, const std::string& more = "") {
  return unlisted_plan(type, more).layers.at(0);
}

const std::string half_turns = R"(, "rope_parameters": {"rope_type": "default", "rope_theta": 10000,
  "partial_rotary_factor": 0.5})";

}  // namespace

TEST_CASE("A part of the head turns where the code of the type reads it") {
  const LayerPlan whole = unlisted_layer("diffllama", half_turns);
  CHECK(whole.rope.rotary_dims == 16);
  CHECK_FALSE(whole.base_of_whole);
  CHECK(whole.reasons.at("rotary_dims") ==
        "config.json: rope_parameters.partial_rotary_factor is not read by the code of diffllama "
        "in Transformers");
  CHECK(unlisted_layer("granite4_vision_text", half_turns).rope.rotary_dims == 16);
  CHECK(unlisted_layer("exaone", half_turns).rope.rotary_dims == 16);
  CHECK(unlisted_layer("iquestcoder", half_turns).rope.rotary_dims == 16);
  CHECK(unlisted_layer("diffllama", R"(, "partial_rotary_factor": 0.5)").rope.rotary_dims == 16);
  const LayerPlan part = unlisted_layer("zaya", half_turns);
  CHECK(part.rope.rotary_dims == 8);
  CHECK_FALSE(part.base_of_whole);
}

TEST_CASE("Of a type that nothing is known of, the whole head is as right as its part") {
  const LayerPlan part = unlisted_layer("anything", half_turns);
  CHECK(part.rope.rotary_dims == 8);
  CHECK(part.base_of_whole == 10000);
  CHECK_FALSE(unlisted_layer("anything").base_of_whole);
  // An odd part is rounded up by another base, which the whole does not have.
  CHECK(unlisted_layer("anything", R"(, "partial_rotary_factor": 0.35)").base_of_whole == 10000);
  CHECK_FALSE(unlisted_layer("anything", R"(, "rope_scaling": {"rope_type": "linear", "factor": 2,
    "partial_rotary_factor": 0.5})")
                  .base_of_whole);
}

TEST_CASE("The pairing of a type that is not known is assumed") {
  CHECK(unlisted_layer("anything", half_turns).pairing_assumed);
  CHECK_FALSE(unlisted_layer("llama").pairing_assumed);
}

TEST_CASE("The blocks of a tower of images are counted by depth") {
  const PositionPlan plan = read_config(R"({"model_type": "qwen2_vl_vision", "depth": 3,
    "embed_dim": 64, "hidden_size": 128, "num_heads": 4, "patch_size": 14})",
                                        "config.json");
  REQUIRE(plan.layers.size() == 3);
  CHECK(plan.layers.at(2).encoding == "unknown");
  CHECK(plan.layers.at(2).rope.d_head == 16);
  CHECK_FALSE(plan.layers.at(2).causal);
  CHECK_THROWS_WITH(read_config(R"({"model_type": "anything", "depth": 3})", "config.json"),
                    Catch::Matchers::Contains("layers cannot be counted"));
}

TEST_CASE("Latent attention spreads p-RoPE over its slice, not over the head") {
  const std::string latent = R"(, "qk_nope_head_dim": 8, "qk_rope_head_dim": 16, "rope_parameters":
    {"rope_type": "proportional", "rope_theta": 10000)";
  const LayerPlan layer =
      unlisted_layer("glm4_moe_lite", latent + R"(, "partial_rotary_factor": 0.5})");
  CHECK(layer.rope.begin == 8);
  CHECK(layer.rope.rotary_dims == 16);
  REQUIRE(layer.inv_freq.size() == 8);
  for (int t = 0; t < 8; ++t)
    CHECK(layer.inv_freq.at(static_cast<std::size_t>(t)) ==
          Approx(t < 4 ? std::pow(1e4, -2.0 * t / 16) : 0).margin(0));
  // int(0.125·16) is 2 channels: one pair turns, and the others do not share its frequency.
  const LayerPlan lone =
      unlisted_layer("glm4_moe_lite", latent + R"(, "partial_rotary_factor": 0.125})");
  CHECK(lone.inv_freq == std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0});
  const LayerPlan slow = unlisted_layer("glm4_moe_lite", latent + R"(, "factor": 4})");
  CHECK(slow.inv_freq.front() == 0.25);
  CHECK(slow.inv_freq.back() > 0);
  CHECK_THROWS(unlisted_layer("glm4_moe_lite", latent + R"(, "partial_rotary_factor": 1.5})"));
}

TEST_CASE("ESM and the wav2vec kind know rotary, and rope turns nothing") {
  CHECK(unlisted_layer("esm", R"(, "position_embedding_type": "rope")").encoding == "none");
  CHECK(unlisted_layer("esm", R"(, "position_embedding_type": "rotary")").encoding == "rope");
  for (const char* type : {"wav2vec2-conformer", "wav2vec2-bert"}) {
    CHECK(unlisted_layer(type, R"(, "position_embeddings_type": "rope")").encoding == "none");
    const PositionPlan plan = unlisted_plan(type, R"(, "position_embeddings_type": "rotary")");
    CHECK(plan.layers.at(0).turns_hidden_states);
    CHECK_THAT(plan.assumed.at(0), Catch::Matchers::StartsWith("rope turns hidden states"));
  }
  CHECK_FALSE(
      unlisted_layer("esm", R"(, "position_embedding_type": "rotary")").turns_hidden_states);
}
