#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/model_files/position_plan.h"
#include "experiments/model_files/read_config.h"
#include "experiments/model_files/words.h"
#include "tests/support/golden_file.h"

using namespace orrery;
using Json = nlohmann::json;

namespace {
namespace in_default_configs {

/// Transformers forms frequencies in fp32; the file has seven digits.
constexpr double tolerance = 2e-6;

struct Table {
  std::string type;  ///< of layers; empty: of all
  std::vector<double> inv_freq;
  double attention_factor;
};

std::vector<Table> tables_of(const Json& one, const Json& golden, const PositionPlan& plan) {
  std::vector<Table> tables;
  for (const Json& table : one.at("tables"))
    if (table.at("model_type") == plan.model_type)
      tables.push_back({table.at("type"),
                        golden.at("frequencies").at(table.at("inv_freq").get<std::size_t>()),
                        table.at("attention_factor")});
  return tables;
}

bool has(const LayerPlan& layer, const Table& table) {
  if (layer.inv_freq.size() != table.inv_freq.size()) return false;
  if (!(std::abs(layer.attention_factor - table.attention_factor) <= tolerance)) return false;
  for (std::size_t t = 0; t < table.inv_freq.size(); ++t)
    if (!(std::abs(layer.inv_freq[t] - table.inv_freq[t]) <= tolerance * table.inv_freq[t]))
      return false;
  return true;
}

/// DeepSeek-V4 names its tables by what layers do, and not by their types.
bool is_for(const Table& table, const LayerPlan& layer) {
  return table.type.empty() || table.type == layer.type || table.type == "main" ||
         table.type == "compress";
}

/// What a plan has otherwise than the class's own tables; "refused: …", or "" where all agree.
std::string difference(const Json& one, const Json& golden, bool& compared) {
  PositionPlan plan;
  try {
    plan = read_config(one.at("config").dump(), "config.json");
  } catch (const Error& error) {
    return std::string("refused: ") + error.what();
  }
  const std::vector<Table> tables = tables_of(one, golden, plan);
  compared = !tables.empty();
  if (!compared) return "";
  bool any = false;
  for (const LayerPlan& layer : plan.layers) {
    if (layer.encoding != "rope") continue;
    any = true;
    const bool agrees = std::any_of(tables.begin(), tables.end(), [&](const Table& table) {
      return is_for(table, layer) && has(layer, table);
    });
    if (!agrees)
      return fmt::format("layer {} ({}): {} pairs to {:.6g}, factor {:.6g}", layer.layer,
                         layer.type, layer.inv_freq.size(),
                         layer.inv_freq.empty() ? 0 : layer.inv_freq.back(),
                         layer.attention_factor);
  }
  return any ? "" : "no layer has RoPE";
}

/// Classes that differ, and why: what is found begins so.
struct Named {
  std::string_view finding;
  std::string_view classes;
  std::string_view reason;
};
constexpr std::array named{
    Named{"no layer has RoPE",
          "CohereCompassVisionConfig Dots3NoteVisionConfig EomtDinov3Config "
          "Ernie4_5_VLMoeVisionConfig Exaone4_5_VisionConfig Gemma4VisionConfig "
          "Glm4vMoeVisionConfig Glm4vVisionConfig Glm5NextVisionConfig GlmOcrVisionConfig "
          "Inkling2VisionConfig Kimi_K25VisionConfig Lfm3VlVisionConfig MLCDVisionConfig "
          "MiniMaxM3VLVisionConfig MuseGlimmerVisionConfig MuseSparkVisionConfig "
          "PaddleOCRVisionConfig PixtralVisionConfig Qwen2VLVisionConfig "
          "Qwen2_5OmniVisionEncoderConfig Qwen2_5_VLVisionConfig Qwen3OmniMoeVisionEncoderConfig "
          "Qwen3VLMoeVisionConfig Qwen3VLVisionConfig Qwen3_5MoeVisionConfig Qwen3_5VisionConfig "
          "Qwen4ExpVisionConfig Sam3ViTConfig Step3p7VisionConfig VideoLlama3VisionConfig",
          "patches of images have two axes: shown as unknown"},
    Named{
        "no layer has RoPE", "GraniteMoeHybridConfig Zamba2Config",
        "the class has a table, which it uses with position_embedding_type or use_mem_rope alone"},
    Named{"refused: config.json: num_hidden_layers: is not given",
          "EdgeTamVideoConfig EfficientLoFTRConfig EsmFold2Config Nemotron3DiarizationConfig "
          "Nemotron3_5TranscribeAudioConfig Qwen2_5OmniToken2WavConfig Sam2VideoConfig "
          "Sam3TrackerConfig Sam3TrackerVideoConfig Sam3VideoConfig Sam3VisionConfig",
          "images, sound and several models in one, whose layers no key counts"},
    Named{"refused: config.json: layer 0: has RoPE settings that cannot be (d_head=73",
          "Qwen3OmniMoeConfig Qwen3OmniMoeTextConfig Qwen3OmniMoeThinkerConfig",
          "the default hidden_size over the default heads is 73, and pairs need an even number"},
    Named{"layer 0 (full_attention): 64 pairs",
          "Ernie4_5_VLMoeConfig Ernie4_5_VLMoeTextConfig Ernie4_5_VL_MoeConfig",
          "the table is in the order of axes, and pairs turn by the frequencies in theirs"},
};

const Named* known_difference(const std::string& name, const std::string& found) {
  const auto at = std::find_if(named.begin(), named.end(), [&](const Named& one) {
    return found.starts_with(one.finding) && lists_word(one.classes, name);
  });
  return at == named.end() ? nullptr : &*at;
}

TEST_CASE("the default configurations of Transformers have the frequencies of its own modules") {
  const Json golden = test::golden("default_configs.json");
  std::size_t agreeing = 0, without_table = 0, named_ones = 0;
  for (const Json& one : golden.at("cases")) {
    bool compared = false;
    const std::string found = difference(one, golden, compared);
    const std::string name = one.at("class");
    if (found.empty())
      ++(compared ? agreeing : without_table);
    else if (known_difference(name, found))
      ++named_ones;
    else
      FAIL_CHECK(name << ": " << found);
  }
  // A class that agrees now leaves the list.
  std::size_t listed = 0;
  for (const Named& one : named) for_each_word(one.classes, [&](std::string_view) { ++listed; });
  CHECK(named_ones == listed);
  CHECK(agreeing >= 295);
  CHECK(without_table <= 24);
  CHECK(golden.at("cases").size() == agreeing + without_table + named_ones);
}

}  // namespace in_default_configs
}  // namespace
