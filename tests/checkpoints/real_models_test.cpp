#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/transformer/forward.h"
#include "experiments/checkpoints/checkpoint.h"
#include "experiments/checkpoints/forward_pass.h"
#include "experiments/checkpoints/models.h"
#include "experiments/tokenizers/read_tokenizer.h"
#include "tests/support/golden_file.h"
#include "tests/support/sampled.h"

// The models are not part of Orrery: `orrery models` says how to get them. Where ORRERY_MODELS or the
// usual places have none, nothing is tried.

using namespace orrery;
using namespace orrery::test;

namespace {

/// Losses in fp32 of programs that sum in another order.
constexpr double loss_bound = 2e-4;
constexpr double hidden_bound = 1e-5;

std::optional<std::filesystem::path> model_on_disk(const std::string& type, int layers) {
  for (const ModelEntry& model : list_models(model_places()).models)
    if (model.problem.empty() && model.model_type == type && model.layers == layers)
      return model.path;
  WARN("no " << type << " of " << layers << " layers is here");
  return std::nullopt;
}

}  // namespace

TEST_CASE("SmolLM2 has the losses that Transformers computes, token by token") {
  if (!is_tried(1)) return;  // 135 million numbers
  const auto path = model_on_disk("llama", 30);
  if (!path) return;
  const PassModel model(*path, 0);
  // A copy: what golden() returns does not outlive the head of a loop.
  const auto texts = golden("real_models.json").at("smollm2").at("texts");
  REQUIRE(!texts.empty());
  for (const auto& text : texts) {
    const auto losses =
        model.run({.tokens = text.at("tokens").get<std::vector<std::int32_t>>()}, {}, nullptr)
            .losses;
    const auto expected = text.at("loss").get<std::vector<double>>();
    REQUIRE(losses.size() == expected.size());
    for (std::size_t i = 0; i < losses.size(); ++i) {
      CAPTURE(text.at("name"), i);
      CHECK(std::abs(losses[i] - expected[i]) < loss_bound);
    }
  }
}

TEST_CASE("MiniLM has the hidden states that Transformers computes") {
  const auto path = model_on_disk("bert", 6);
  if (!path) return;
  const auto expected = golden("real_models.json").at("minilm");
  const auto ids = expected.at("tokens").get<std::vector<std::int32_t>>();
  const Checkpoint model = Checkpoint::open(*path);
  const auto weights = weight_source<float>(model, model.stack());
  const Matrix<float> hidden = forward<float>(model.stack().design, *weights, {.ids = ids});
  const auto rows = expected.at("hidden").get<std::vector<std::vector<double>>>();
  const Index of_rows[] = {0, hidden.rows() - 1};
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      CHECK(std::abs(static_cast<double>(hidden(of_rows[r], static_cast<Index>(c))) - rows[r][c]) <
            hidden_bound);
}

TEST_CASE("The models' own tokenizers give the ids that Transformers gives") {
  const auto reference = golden("real_models.json");
  if (const auto path = model_on_disk("llama", 30)) {
    const auto tokenizer = read_tokenizer(*path);
    for (const auto& text : reference.at("smollm2").at("texts")) {
      CAPTURE(text.at("name"));
      CHECK(tokenizer->encode(text.at("text").get<std::string>()) ==
            text.at("tokens").get<std::vector<std::int32_t>>());
    }
  }
  if (const auto path = model_on_disk("bert", 6)) {
    const auto& text = reference.at("minilm");
    CHECK(read_tokenizer(*path)->encode(text.at("text").get<std::string>()) ==
          text.at("tokens").get<std::vector<std::int32_t>>());
  }
}
