// What llama.cpp's source says of each architecture: tests/golden/gguf/generate_architectures.py.
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "experiments/files/file.h"
#include "experiments/model_files/read_config.h"
#include "experiments/model_files/read_positions.h"
#include "tests/support/golden_file.h"

using namespace orrery;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// Files hold fp32.
constexpr double tolerance = 1e-6;

bool same(double a, double b) {
  return a == b || std::abs(a - b) <= tolerance * (std::abs(a) + std::abs(b));
}

std::string differs(const std::string& field, const json& here, const json& there) {
  return field + ": " + here.dump() + ", llama.cpp " + there.dump() + "; ";
}

std::string compare(const std::string& field, double here, const json& kind, double otherwise) {
  const double there = kind.value(field, otherwise);
  return same(here, there) ? "" : differs(field, here, there);
}

std::string compare_rope(const LayerPlan& layer, const json& kind) {
  std::string found;
  if (name(layer.rope.pairing) != kind.at("pairing"))
    found += differs("pairing", name(layer.rope.pairing), kind.at("pairing"));
  found += compare("rotary_begin", static_cast<double>(layer.rope.begin), kind, -1);
  found += compare("rotary_dims", static_cast<double>(layer.rope.rotary_dims), kind, -1);
  found += compare("base", layer.rope.base, kind, -1);
  found += compare("attention_factor", layer.attention_factor, kind, -1);
  const auto theta = kind.at("inv_freq").get<std::vector<double>>();
  bool equal = theta.size() == layer.inv_freq.size();
  for (std::size_t t = 0; equal && t < theta.size(); ++t) equal = same(layer.inv_freq[t], theta[t]);
  if (!equal) found += differs("inv_freq", layer.inv_freq, theta);
  const auto sections = kind.value("sections", std::vector<Index>{});
  if (layer.rope.sections != sections) found += differs("sections", layer.rope.sections, sections);
  if (!sections.empty() &&
      (layer.rope.design == AxisDesign::interleaved) != kind.value("sections_interleaved", false))
    found += "order of sections; ";
  return found;
}

std::string compare_params(const LayerPlan& layer, const json& params) {
  std::string found;
  for (const auto& [key, value] : params.items()) {
    const std::optional<ParamValue> here = find_param(layer, key);
    const json shown = here ? std::visit([](const auto& v) { return json(v); }, *here) : json();
    if (shown != value) found += differs(key, shown, value);
  }
  return found;
}

std::string compare_temperature(const LayerPlan& layer, const json& kind) {
  if (!kind.contains("temperature")) return layer.temperature ? "a temperature; " : "";
  if (!layer.temperature) return "no temperature; ";
  const json here{{"rule", layer.temperature->rule}, {"terms", layer.temperature->terms}};
  bool equal = here.at("rule") == kind.at("temperature").at("rule");
  for (const auto& [term, value] : kind.at("temperature").at("terms").items())
    equal = equal && same(here.at("terms").value(term, 0.0), value);
  return equal ? "" : differs("temperature", here, kind.at("temperature"));
}

/// In what a layer differs from what the source says; empty: in nothing.
std::string differences(const LayerPlan& layer, const json& kind) {
  if (layer.encoding != kind.at("encoding"))
    return differs("encoding", layer.encoding, kind.at("encoding"));
  if (layer.encoding == "not_attention") return "";
  std::string found;
  found += compare("head_dim", static_cast<double>(layer.rope.d_head), kind, -1);
  found += compare("softmax_scale", layer.softmax_scale, kind, -1);
  found += compare("window", static_cast<double>(layer.window.value_or(0)), kind, 0);
  if (layer.causal != kind.value("causal", true)) found += "mask; ";
  if (kind.contains("type") && layer.type != kind.at("type")) found += "type; ";
  found += compare_temperature(layer, kind);
  found += compare_params(layer, kind.value("params", json::object()));
  if (layer.encoding == "rope") found += compare_rope(layer, kind);
  return found;
}

std::string differences(const PositionPlan& plan, const json& row) {
  const auto& layers = row.at("layers");
  if (plan.layers.size() != layers.size())
    return differs("layers", plan.layers.size(), layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const json& kind = row.at("kinds").at(layers.at(i).get<std::size_t>());
    if (const std::string found = differences(plan.layers[i], kind); !found.empty())
      return "layer " + std::to_string(i) + ": " + found;
  }
  return "";
}

struct Rows {
  json golden = test::golden("gguf/architectures.json");
  std::string bytes = read_file(test::tests_folder() + "/golden/gguf/architectures.ggufs", 1 << 20);
  std::string_view file(const json& row) const {
    return std::string_view(bytes).substr(row.at("offset").get<std::size_t>(), row.at("size"));
  }
  PositionPlan plan(const json& row) const {
    return read_gguf(file(row), "row.gguf", {.length = row.at("length")});
  }
  /// The row of an architecture whose sentence begins so.
  const json& row(const std::string& architecture, const std::string& says) const {
    for (const json& row : golden.at("rows"))
      if (row.at("architecture") == architecture &&
          row.at("says").get<std::string>().starts_with(says))
        return row;
    throw std::out_of_range(architecture + ": " + says);
  }
};

}  // namespace

TEST_CASE("a GGUF is read as llama.cpp computes it, in every architecture that it knows") {
  const Rows rows;
  std::set<std::string> architectures;
  CHECK(rows.golden.at("rows").size() >= 60);
  for (const json& row : rows.golden.at("rows")) {
    architectures.insert(row.at("architecture").get<std::string>());
    INFO(row.at("architecture") << ", " << row.at("says") << " (" << row.at("read").dump() << ")");
    CHECK(differences(rows.plan(row), row) == "");
  }
  CHECK(architectures.size() >= 45);
}

TEST_CASE("a GGUF of an unknown architecture says what is assumed, and no code is named") {
  const Rows rows;
  std::string bytes(rows.file(rows.row("llama", "YaRN")));
  for (std::size_t at = bytes.find("llama"); at != std::string::npos; at = bytes.find("llama", at))
    bytes.replace(at, 5, "mamma");
  const PositionPlan plan = read_gguf(bytes, "row.gguf", {});
  REQUIRE(plan.assumed.size() == 1);
  CHECK_THAT(plan.assumed.front(), Contains("'mamma' is unknown: RoPE with pairs (t, t + r/2)"));
  CHECK(plan.layers.front().reasons.at("pairing") == "assumed of an unknown architecture");
  for (const auto& [field, reason] : plan.layers.front().reasons) {
    INFO(field);
    CHECK_THAT(reason, !Contains("code of"));
  }
}

TEST_CASE("the reasons of a GGUF name the key, or the code that reads none") {
  const Rows rows;
  const auto reason = [&](const char* architecture, const char* says, const char* field) {
    return rows.plan(rows.row(architecture, says)).layers.front().reasons.at(field);
  };
  CHECK(reason("bert", "learned", "encoding") == "code of bert in llama.cpp");
  CHECK(reason("qwen3", "neox", "type") ==
        "code of qwen3 in llama.cpp, which makes no use of qwen3.attention.sliding_window here");
  CHECK_THAT(reason("smallthinker", "layers 0", "encoding"), Contains("layers 0, 4, 8"));
  CHECK_THAT(reason("llama", "betas", "rope.beta_fast"), Contains("which reads no rope.scaling"));
  CHECK(reason("llama", "attn_factor multiplies", "rope.attention_factor") ==
        "yarn of llama.cpp, times llama.rope.scaling.attn_factor");
  CHECK(reason("granite", "finetuned switches", "encoding") ==
        "granite.rope.scaling.finetuned switches RoPE off");
}

TEST_CASE("what of a GGUF has no effect or is left out is said") {
  const Rows rows;
  const auto said = [&](const char* architecture, const char* says) {
    const PositionPlan plan = rows.plan(rows.row(architecture, says));
    return plan.assumed.empty() ? "" : plan.assumed.front();
  };
  CHECK(said("falcon-h1", "its tensor") ==
        "tensor rope_freqs.weight is left out: llama.cpp has no use for it in falcon-h1");
  CHECK(said("qwen3moe", "layers that predict") ==
        "1 of 4 layers predict further tokens (nextn_predict_layers) and are left out");
  CHECK(said("llama", "YaRN") == "");
}

TEST_CASE("a configuration and its GGUF compare as equal where llama.cpp computes the same") {
  const Rows rows;
  const auto found = [&](const std::string& config, const char* architecture, const char* says) {
    const PositionPlan a = read_config(
        R"({"num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 4, )" + config + "}",
        "config.json");
    const PositionPlan b = rows.plan(rows.row(architecture, says));
    const PositionComparison comparison = compare_positions(a, b);
    std::string text;
    for (const auto& one : comparison.differences)
      text += one.field + ": " + one.a + " and " + one.b + "\n";
    return text;
  };
  CHECK(found(R"("model_type": "smollm3", "rope_theta": 10000)", "smollm3", "every fourth") == "");
  CHECK(found(R"("model_type": "glm4", "rope_theta": 10000, "head_dim": 16)", "glm4",
              "norm pairs without") == "");
  CHECK(found(R"("model_type": "olmo3", "rope_theta": 500000, "sliding_window": 64,
                 "rope_scaling": {"rope_type": "yarn", "factor": 8,
                                  "original_max_position_embeddings": 512})",
              "olmo2", "window layers have neither") == "");
  CHECK(found(R"("model_type": "bert", "max_position_embeddings": 4096)", "bert", "learned") == "");
  CHECK(found(R"("model_type": "bloom", "n_head": 4, "n_layer": 4)", "bloom", "ALiBi") == "");
  CHECK_THAT(found(R"("model_type": "llama", "rope_theta": 10000)", "bert", "learned"),
             Contains("encoding"));
}
