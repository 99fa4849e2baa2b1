#include "experiments/model_files/read_positions.h"

#include <catch2/catch.hpp>
#include <string>

#include "experiments/model_files/positions_text.h"
#include "experiments/model_files/read_config.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

/// A Llama of four layers with these keys beside.
PositionPlan llama(const std::string& keys) {
  return read_config(
      R"({"model_type": "llama", "num_hidden_layers": 4, "head_dim": 64)" + keys + "}",
      "config.json");
}

std::vector<PositionComparison::Difference> differences(const std::string& a,
                                                        const std::string& b) {
  return compare_positions(llama(a), llama(b)).differences;
}

}  // namespace

TEST_CASE("files of Transformers 4 and 5 that say the same do not differ") {
  const std::string scaling = R"("factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
      "original_max_position_embeddings": 8192, "rope_type": "llama3"})";
  CHECK(differences(R"(, "rope_theta": 5e5, "rope_scaling": {)" + scaling,
                    R"(, "rope_parameters": {"rope_theta": 5e5, )" + scaling)
            .empty());
}

TEST_CASE("a base that is lost differs in every layer, and so do its frequencies") {
  const auto found = differences(R"(, "rope_parameters": {"rope_theta": 5e5})", "");
  REQUIRE(found.size() == 2);
  CHECK(found[0] == PositionComparison::Difference{"base", "500000", "10000", {0, 1, 2, 3}});
  CHECK_THAT(found[1].field, Contains("31 of 32 pairs, from pair 1 on"));
}

TEST_CASE("layers that differ are named") {
  const std::string first =
      R"(, "sliding_window": 16, "model_type": "one_of_ours", "layer_types": ["sliding_attention",
      "full_attention", "full_attention", "sliding_attention"])";
  const std::string second =
      R"(, "sliding_window": 32, "model_type": "one_of_ours", "layer_types": ["sliding_attention",
      "full_attention", "full_attention", "full_attention"])";
  const auto found = differences(first, second);
  REQUIRE(found.size() == 2);
  CHECK(found[0] == PositionComparison::Difference{
                        "window", "16 tokens (m − n < 16)", "32 tokens (m − n < 32)", {0}});
  CHECK(found[1] ==
        PositionComparison::Difference{"window", "16 tokens (m − n < 16)", "none", {3}});
}

TEST_CASE("plans of different length are compared as far as both go") {
  PositionPlan shorter = llama("");
  shorter.layers.pop_back();
  const PositionComparison comparison = compare_positions(llama(""), shorter);
  REQUIRE(comparison.differences.size() == 1);
  CHECK(comparison.differences[0] ==
        PositionComparison::Difference{"number of layers", "4", "3", {}});
}

TEST_CASE("a pairing differs unless rows were reordered along") {
  const PositionPlan a = llama("");
  PositionPlan b = a;
  for (LayerPlan& layer : b.layers) layer.rope.pairing = RopePairing::interleaved;
  CHECK(compare_positions(a, b).differences.size() == 1);
  for (LayerPlan& layer : b.layers) layer.rows_reordered = true;
  CHECK(compare_positions(a, b).differences.empty());
  CHECK(compare_positions(a, b).notes.size() == 1);
}

TEST_CASE("numbers of layers are written as runs") {
  CHECK(numbers_text({3}) == "layer 3");
  CHECK(numbers_text({0, 1, 2, 5, 7, 8}) == "layers 0–2, 5, 7–8");
}
