#pragma once

#include <string>
#include <vector>

#include "experiments/model_files/gguf_architectures.h"
#include "experiments/model_files/gguf_keys.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// A GGUF while its layers are read.
struct GgufModel {
  const GgufKeys& keys;
  const GgufArchitecture& architecture;
  const ReadOptions& options;
  int layers{};  ///< without those that predict further tokens
  std::vector<std::string>& assumed;
};

/// The reason of a fact that no key says: "code of llama in llama.cpp", or that it is assumed.
std::string code_reason(const GgufModel& model);

/// A whole number that is the layer's, where the key has a list, or the model's.
inline Valued<std::int64_t> layer_integer(const GgufModel& model, const std::string& key,
                                          const LayerPlan& layer) {
  return model.keys.integer(key, 0, 1 << 20, static_cast<std::size_t>(layer.layer));
}

}  // namespace orrery
