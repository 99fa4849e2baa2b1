#include "experiments/checkpoints/tensor_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "experiments/checkpoints/stored_tensors.h"
#include "experiments/data/tensor_map.h"
#include "experiments/files/file.h"
#include "experiments/files/presence.h"
#include "experiments/model_files/gguf_file.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

constexpr const char* whole_model = "model.safetensors";
constexpr const char* index_of_model = "model.safetensors.index.json";
// A model's folder has some hundred files; a wrong one may have millions.
constexpr int most_files_of_folder = 100'000;

/// The names in a folder that end in one of the endings, sorted.
template <class Wanted>
std::vector<std::string> names_in(const fs::path& folder, const Wanted& wanted) {
  std::vector<std::string> names;
  std::error_code error;
  int seen = 0;
  for (fs::directory_iterator at(folder, error), end;
       !error && at != end && ++seen < most_files_of_folder; at.increment(error)) {
    std::string name = at->path().filename().string();
    if (wanted(name)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

[[noreturn]] void refuse_folder(const fs::path& folder) {
  const auto pickles = names_in(folder, has_pickle_name);
  if (!pickles.empty())
    throw DataError(
        folder.string(),
        fmt::format("has its weights in {}, {}", in_quotes(pickles.front()), pickle_rule),
        pickle_remedy);
  const auto others =
      names_in(folder, [](std::string_view name) { return name.ends_with(".safetensors"); });
  const std::string remedy = others.empty()
                                 ? "give the folder of a model with its weights, or their file"
                                 : fmt::format("give the file of the weights itself, such as {}",
                                               (folder / others.front()).string());
  throw DataError(folder.string(),
                  fmt::format("holds neither {}, {} nor a .gguf file", whole_model, index_of_model),
                  remedy);
}

fs::path only_gguf(const fs::path& folder) {
  const auto ggufs =
      names_in(folder, [](std::string_view name) { return name.ends_with(".gguf"); });
  if (ggufs.empty()) refuse_folder(folder);
  if (ggufs.size() > 1)
    throw DataError(folder.string(), fmt::format("holds {} .gguf files", ggufs.size()),
                    fmt::format("give one of them, {}", (folder / ggufs.front()).string()));
  return folder / ggufs.front();
}

/// Where a shard lies. Its name was checked when the index was read.
fs::path shard_path(const fs::path& index, const std::string& shard) {
  fs::path path = index.parent_path() / shard;
  if (!is_file_at(path))
    throw DataError(index.string(),
                    fmt::format("lists shard {}, and there is no such file", in_quotes(shard)),
                    "download all shards of the model again");
  std::error_code error;
  if (fs::equivalent(path, index, error))
    throw DataError(index.string(),
                    fmt::format("lists shard {}, a link to itself", in_quotes(shard)),
                    "download all shards of the model again");
  return path;
}

}  // namespace

fs::path weights_file(const fs::path& path) {
  if (!is_folder_at(path)) return path;
  for (const char* name : {whole_model, index_of_model})
    if (is_file_at(path / name)) return path / name;
  return only_gguf(path);
}

TensorStore TensorStore::open(const fs::path& path) {
  TensorStore store;
  const fs::path file = weights_file(path);
  store.name_ = file.string();
  if (file.extension() == ".json")
    store.open_shards(file);
  else
    store.open_file(file);
  return store;
}

void TensorStore::open_file(const fs::path& file) {
  const std::string_view bytes = map(file);
  is_gguf_ = orrery::is_gguf(bytes);
  if (!is_gguf_ && has_pickle_name(name_))
    throw DataError(name_, fmt::format("is a file {}", pickle_rule), pickle_remedy);
  tensors_ = stored_tensors(bytes, name_);
  format_ = is_gguf_ ? "GGUF" : "safetensors";
}

void TensorStore::open_shards(const fs::path& index) {
  const WeightIndex wanted = parse_weight_index(read_file(index, max_index_bytes, name_), name_);
  tensors_ = sharded_tensors(
      wanted, name_, [&](const std::string& shard) { return map(shard_path(index, shard)); });
  format_ = fmt::format("safetensors in {} shard{}", files_.size(), files_.size() == 1 ? "" : "s");
}

std::string_view TensorStore::map(const fs::path& file) {
  return files_.emplace_back(file).bytes();
}

const StoredTensor* TensorStore::find(std::string_view tensor) const {
  const auto found = tensors_.find(tensor);
  return found == tensors_.end() ? nullptr : &found->second;
}

void TensorStore::require_whole() const {
  for (const MappedFile& file : files_) file.require_whole();
}

std::string TensorStore::label(std::string_view tensor) const {
  return tensor_label(name_, tensor);
}

}  // namespace orrery
