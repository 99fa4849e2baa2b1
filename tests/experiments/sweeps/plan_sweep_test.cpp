#include "experiments/sweeps/plan_sweep.h"

#include <catch2/catch.hpp>
#include <string>

#include "core/errors.h"
#include "experiments/model_files/read_config.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_spec.h"

using namespace orrery;
using Catch::Matchers::Contains;

namespace {

std::string sweep_of(const std::string& config, const char* experiment = "long_term_decay") {
  return plan_sweep(read_config(config, "config.json"), find_experiment(experiment));
}

constexpr const char* gemma_of_seven = R"({"model_type": "gemma3_text", "num_hidden_layers": 7,
  "head_dim": 256, "rope_scaling": {"factor": 8.0, "rope_type": "linear"}})";

}  // namespace

TEST_CASE("two kinds of layers are two points, and what they share is fixed") {
  const std::string text = sweep_of(gemma_of_seven);
  CHECK_THAT(text, Contains("# point 1: layers 0–4, 6\n") && Contains("# point 2: layer 5\n") &&
                       Contains("zip = [[\"base\", \"rope.scaling\", \"rope.factor\"]]") &&
                       Contains("#   without the window of 4096 tokens"));
  const SweepSpec spec = parse_sweep(text, "layers.toml");
  const auto points = combinations_of(spec).points;
  REQUIRE(points.size() == 2);
  for (const auto& point : points) {
    CHECK(point.params.integer("dim") == 256);
    CHECK(point.params.text("rope.pairing") == "half_split");
  }
  CHECK(points[0].params.real("base") == 10000);
  CHECK(points[0].params.text("rope.scaling") == "none");
  CHECK(points[1].params.real("base") == 1000000);
  CHECK(points[1].params.real("rope.factor") == 8);
}

TEST_CASE("layers that differ only in what the experiment leaves out are one point") {
  const std::string text = sweep_of(R"({"model_type": "gpt_oss", "num_hidden_layers": 4})");
  const auto points = combinations_of(parse_sweep(text, "layers.toml")).points;
  CHECK(points.size() == 1);
  CHECK_THAT(text, Contains("# point 1: layers 0–3"));
}

TEST_CASE("layers that cannot run are named, and a model of which none can is refused") {
  const std::string mixed =
      sweep_of(R"({"model_type": "jamba", "num_hidden_layers": 8, "hidden_size": 64,
                   "num_attention_heads": 4, "attn_layer_period": 8, "attn_layer_offset": 4})");
  CHECK_THAT(mixed, Contains("# missing: layers 0–3, 5–7") && Contains("encoding = \"none\""));
  CHECK_THROWS_WITH(sweep_of(R"({"model_type": "mamba", "num_hidden_layers": 2})"),
                    Contains("config.json") && Contains("not_attention"));
  CHECK_THROWS_AS(sweep_of(gemma_of_seven, "linear_attention"), UsageError);
}
