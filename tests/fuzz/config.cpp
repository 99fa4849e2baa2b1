// Reads a model's config.json or params.json, and prints and compares what was read.
#include <algorithm>
#include <cmath>

#include "experiments/model_files/positions_text.h"
#include "experiments/model_files/read_config.h"
#include "experiments/model_files/read_positions.h"
#include "tests/fuzz/harness.h"

using namespace orrery;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  const auto plan = fuzz::accepted_file([&] { return read_config(text, "config.json"); });
  if (!plan) return 0;
  fuzz::require(!plan->layers.empty(), "a plan has layers");
  for (const LayerPlan& layer : plan->layers) {
    fuzz::require(!layer.encoding.empty(), "a layer has an encoding, or what stands for it");
    const bool finite = std::all_of(layer.inv_freq.begin(), layer.inv_freq.end(), [](double theta) {
      return std::isfinite(theta) && theta >= 0;
    });
    fuzz::require(finite, "frequencies are finite and not negative");
  }
  fuzz::require(is_utf8(positions_json(*plan)), "JSON is UTF-8");
  for (const LayerPlan& layer : plan->layers)
    fuzz::require(!facts_of(layer).empty(), "a layer has facts");
  fuzz::require(compare_positions(*plan, *plan).differences.empty(), "a plan equals itself");
  return 0;
}
