// The head of the model that comes with Orrery is the one that the model's own pass has.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/studies/experiments.h"
#include "tests/support/experiment_run.h"
#include "tests/support/golden_file.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

constexpr std::size_t trained_layers = 2, trained_heads = 4;

Result map_of(const char* text, Settings settings) {
  settings.emplace_back("contents", "trained");
  settings.emplace_back("precision", "exact");
  return run_experiment(attention_map_experiment(), settings, text_input(text));
}

}  // namespace

TEST_CASE("With RoPE each head's weights are those that Transformers computes for the model") {
  const auto reference = golden("trained_model.json");
  const auto text = reference.at("text").get<std::string>();
  const auto weights = reference.at("weights").get<std::vector<std::vector<std::vector<double>>>>();
  REQUIRE(weights.size() == trained_layers * trained_heads);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto layer = std::to_string(i / trained_heads), head = std::to_string(i % trained_heads);
    CAPTURE(layer, head);
    const Result result =
        map_of(text.c_str(), {{"trained_layer", layer}, {"head", head}, {"encoding", "rope"}});
    const Array& map = array(result, "weights_rope");
    const std::vector<std::vector<double>>& rows = weights[i];
    REQUIRE(map.shape == std::vector<std::size_t>{text.size(), text.size()});
    for (std::size_t m = 0; m < rows.size(); ++m)
      for (std::size_t n = 0; n < rows[m].size(); ++n)
        CHECK(at(map, m, n) == Approx(rows[m][n]).epsilon(1e-9).margin(1e-12));
  }
}

TEST_CASE("Another encoding acts on what the model reads, and none leaves its content alone") {
  const Result result =
      map_of("the sun and the sun", {{"encoding", "none+sinusoidal"}, {"trained_layer", "0"}});
  // In front of the first layer equal bytes have equal vectors: "the" stands at 0 and 12.
  const Array& none = array(result, "logits_none");
  for (std::size_t n = 0; n < 19; ++n) CHECK(at(none, 0, n) == Approx(at(none, 12, n)));
  const Array& sinusoidal = array(result, "logits_sinusoidal");
  CHECK(at(sinusoidal, 0, 0) != Approx(at(sinusoidal, 12, 0)));
}

TEST_CASE("Bytes that the model never learned from are counted, and shown as they are") {
  const Result result = map_of("caf\xc3\xa9 au lait", {{"encoding", "rope"}});
  const Figure& figure = result.figures.at(0);
  CHECK_THAT(figure.caption, Contains("2 bytes that it never saw are read as spaces"));
  CHECK(std::get<Heatmap>(figure.content).row_labels.at(3) == "0xC3");
  // Cut within a character.
  CHECK(scalar(map_of("caf\xc3\xa9 au lait", {{"encoding", "rope"}, {"max_tokens", "4"}}),
               "tokens") == 4);
}

TEST_CASE("A head that the model does not have is refused before any work") {
  CHECK_THROWS_WITH(map_of("a text", {{"head", "4"}}),
                    Contains("head=4 with contents=trained") && Contains("heads 0 to 3"));
}

TEST_CASE("Invariance and linear attention take the trained head, and all that they claim holds") {
  check_all_hold(run_experiment(
      relative_invariance_experiment(),
      {{"contents", "trained"}, {"tokens", "16"}, {"head", "3"}, {"encoding", "rope+alibi+shaw"}}));
  const Result linear = run_experiment(
      linear_attention_experiment(),
      {{"contents", "trained"}, {"tokens", "24"}, {"most_features", "32"}, {"draws", "1"}});
  check_all_hold(linear);
  // The head's own map: by softmax with RoPE it is the attention map's.
  const Result map = map_of("An orrery is a small model of the sky",
                            {{"encoding", "rope"}, {"causal", "false"}, {"max_tokens", "24"}});
  const Array& expected = array(map, "weights_rope");
  const Array& softmax = array(linear, "softmax");
  for (std::size_t m = 0; m < 24; ++m)
    for (std::size_t n = 0; n < 24; ++n) CHECK(at(softmax, m, n) == Approx(at(expected, m, n)));
}
