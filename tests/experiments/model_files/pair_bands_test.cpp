#include "experiments/model_files/rotation.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "experiments/model_files/read_config.h"

using namespace orrery;
using Bands = std::vector<PairBand>;

namespace {

/// A layer of four pairs whose wavelengths are 2π times 1, 10, 100 and 1000 tokens.
LayerPlan layer_with(const std::string& rope_parameters) {
  const PositionPlan plan = read_config(
      R"({"model_type": "llama", "num_hidden_layers": 1, "head_dim": 8, "rope_parameters": {)" +
          rope_parameters + "}}",
      "config.json");
  return plan.layers.at(0);
}

constexpr auto still = PairBand::still;
constexpr auto extrapolated = PairBand::extrapolated;
constexpr auto interpolated = PairBand::interpolated;
constexpr auto unseen = PairBand::unseen;

}  // namespace

TEST_CASE("By hand: four pairs, trained on 700 tokens, which the third turns through once") {
  const LayerPlan plain = layer_with(R"("rope_theta": 10000.0, "rope_type": "default")");
  CHECK(bands_of(plain, 700, 700) == Bands{extrapolated, extrapolated, extrapolated, extrapolated});
  CHECK(bands_of(plain, 700, 701) == Bands{extrapolated, extrapolated, extrapolated, unseen});
  CHECK(bands_of(plain, 600, 6000) == Bands{extrapolated, extrapolated, unseen, unseen});
}

TEST_CASE("Interpolation keeps angles within those of training up to its factor") {
  const LayerPlan linear =
      layer_with(R"("rope_theta": 10000.0, "rope_type": "linear", "factor": 4.0)");
  CHECK(bands_of(linear, 700, 2800) ==
        Bands{interpolated, interpolated, interpolated, interpolated});
  CHECK(bands_of(linear, 700, 2801) == Bands{interpolated, interpolated, interpolated, unseen});
  CHECK(unscaled_frequencies(linear).at(1) == Approx(0.1).epsilon(1e-12));
  CHECK(linear.inv_freq.at(1) == Approx(0.025).epsilon(1e-12));
}

TEST_CASE("Llama 3's scaling leaves fast pairs and slows slow ones, from its own length") {
  const LayerPlan llama = layer_with(
      R"("rope_theta": 10000.0, "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
         "high_freq_factor": 4.0, "original_max_position_embeddings": 700)");
  CHECK(trained_length(llama, 123) == 700);
  const Bands bands = bands_of(llama, 123, 5600);
  CHECK(bands == Bands{extrapolated, extrapolated, interpolated, interpolated});
}

TEST_CASE("A window bounds the distances that a layer meets, in training and after") {
  LayerPlan plain = layer_with(R"("rope_theta": 10000.0, "rope_type": "default")");
  plain.window = 50;
  CHECK(bands_of(plain, 700, 7000) ==
        Bands{extrapolated, extrapolated, extrapolated, extrapolated});
  plain.window = 2000;
  CHECK(bands_of(plain, 700, 7000) == Bands{extrapolated, extrapolated, extrapolated, unseen});
}

TEST_CASE("Pairs of frequency 0 stand still, and other layers have no bands") {
  const LayerPlan proportional = layer_with(
      R"("rope_theta": 10000.0, "rope_type": "proportional", "partial_rotary_factor": 0.5)");
  CHECK(bands_of(proportional, 700, 7000) == Bands{extrapolated, extrapolated, still, still});
  LayerPlan none;
  none.encoding = "none";
  CHECK(bands_of(none, 700, 7000).empty());
}
