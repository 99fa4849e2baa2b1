#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/checkpoints/model_places.h"

namespace orrery {

/// How many layers of a model have an encoding.
struct EncodingLayers {
  std::string encoding{};  ///< "rope", as LayerPlan has it
  int layers{};
  friend bool operator==(const EncodingLayers&, const EncodingLayers&) = default;
};

/// A model on disk, as far as its headers tell. What could not be read is empty.
struct ModelEntry {
  std::filesystem::path path{};  ///< its folder or its .gguf, which TensorStore::open takes
  std::string format{};          ///< of the weights: "GGUF", "safetensors in 2 shards"
  std::string model_type{};      ///< "llama"; of a GGUF its architecture
  int layers{};
  std::vector<EncodingLayers> encodings{};  ///< in the order of their first layers
  std::uint64_t bytes{};                    ///< of all tensors
  std::string problem{};  ///< why weights or positions cannot be read; empty where both can
};

struct ModelList {
  std::vector<ModelEntry> models{};    ///< place after place, each by path
  std::vector<std::string> skipped{};  ///< what was not looked into, and why: a sentence each
};

/// Reads the headers of one model. Never throws an orrery::Error: it is the entry's problem.
ModelEntry describe_model(const std::filesystem::path& path);

/// The models in some places. A model is a .gguf (of several parts the first), or a folder with
/// config.json, params.json, model.safetensors or its index, in which no others are looked for.
///
/// Hidden folders are passed over; so is a folder whose config.json is no model's and that has no
/// weights. Links are followed; a model that is reached twice is listed once, where it was found
/// first.
///
/// Bounds: 8 folders deep, 20,000 folders, 500,000 files, 1000 models. What lies beyond is in
/// `skipped`, as is a folder that cannot be read, and a place that was asked for and is not there.
ModelList list_models(const std::vector<ModelPlace>& places);

}  // namespace orrery
