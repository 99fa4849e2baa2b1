#include "experiments/model_files/read_positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/files/mapped_file.h"
#include "experiments/model_files/config_values.h"
#include "experiments/model_files/gguf_file.h"
#include "experiments/model_files/read_config.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

fs::path file_in(const fs::path& folder) {
  for (const char* name : {"config.json", "params.json", "mlc-chat-config.json"})
    if (std::error_code error; fs::is_regular_file(folder / name, error)) return folder / name;
  if (std::optional<fs::path> gguf = only_gguf_in(folder)) return *std::move(gguf);
  throw IoError(folder.string(), "holds neither config.json, params.json nor a .gguf file",
                "give the folder of a model, or one of its files");
}

/// Names of models on a hub, such as gpt2, are no files.
void require_no_hub_name(const fs::path& path) {
  std::error_code error;
  const std::string kind = path.extension().string();
  if (fs::exists(path, error) || kind == ".json" || kind == ".gguf") return;
  std::string cached = path.lexically_normal().string();
  for (std::size_t slash; (slash = cached.find('/')) != std::string::npos;)
    cached.replace(slash, 1, "--");
  throw IoError(
      path.string(), "is neither a file nor a folder here, and models are not looked up by name",
      fmt::format("give the model's config.json, saved from its page or where Transformers "
                  "keeps it: ~/.cache/huggingface/hub/models--{}/snapshots/*",
                  cached));
}

constexpr int most_entries_of_folder = 100'000;

}  // namespace

PositionPlan read_positions(const fs::path& path, const ReadOptions& options) {
  require_no_hub_name(path);
  std::error_code error;
  const fs::path file = fs::is_directory(path, error) ? file_in(path) : path;
  const std::string name = file.string();
  const MappedFile mapped(file, name);
  if (is_gguf(mapped.bytes())) {
    PositionPlan plan = read_gguf(mapped.bytes(), name, options);
    mapped.require_whole();
    return plan;
  }
  PositionPlan plan =
      read_config(read_file(file, max_config_bytes, name), file.filename().string(), options);
  plan.source = name;
  return plan;
}

const LayerPlan& layer_of(const PositionPlan& plan, int layer) {
  for (const LayerPlan& candidate : plan.layers)
    if (candidate.layer == layer) return candidate;
  throw UsageError(fmt::format("layer {}", layer),
                   fmt::format("{} has {} layers", plan.source, plan.layers.size()),
                   "give the number of one, counted from 0");
}

bool is_later_part(std::string_view name) {
  return name.find("-of-") != std::string_view::npos &&
         name.find("-00001-of-") == std::string_view::npos;
}

std::vector<fs::path> ggufs_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  int entries = 0;
  for (fs::directory_iterator at(folder, error), end;
       !error && at != end && ++entries < most_entries_of_folder; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(".gguf") && !is_later_part(name)) found.push_back(at->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<fs::path> only_gguf_in(const fs::path& folder) {
  const std::vector<fs::path> ggufs = ggufs_in(folder);
  if (ggufs.empty()) return std::nullopt;
  if (ggufs.size() == 1) return ggufs.front();
  throw DataError(folder.string(), fmt::format("holds {} .gguf files", ggufs.size()),
                  fmt::format("give one of them, {}", ggufs.front().string()));
}

}  // namespace orrery
