#include "experiments/checkpoints/stored_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "core/errors.h"
#include "experiments/checkpoints/pickle.h"
#include "experiments/data/safetensors_header.h"
#include "experiments/model_files/gguf_file.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

// So that numbers can be counted and their places computed in 64 bits.
constexpr std::uint64_t most_numbers_of_tensor = std::uint64_t{1} << 60;
constexpr std::string_view lfs_pointer = "version https://git-lfs";

using Entry = StoredTensors::value_type;

/// The product of the dimensions above 0, so that no part of an empty shape overflows either.
void require_countable(const Entry& tensor, std::string_view name) {
  std::uint64_t numbers = 1;
  for (const std::uint64_t d : tensor.second.shape) {
    if (d == 0) continue;
    if (d > most_numbers_of_tensor / numbers)
      throw DataError(name,
                      fmt::format("has tensor {} of shape ({}): more than 2^60 numbers",
                                  in_quotes(tensor.first), fmt::join(tensor.second.shape, ", ")),
                      "copy or download the file again");
    numbers *= d;
  }
}

std::optional<StoredType> safetensors_type(std::string_view dtype) {
  using Named = std::pair<std::string_view, StoredType>;
  constexpr std::array<Named, 4> types{{{"F32", StoredType::f32},
                                        {"F16", StoredType::f16},
                                        {"BF16", StoredType::bf16},
                                        {"F64", StoredType::f64}}};
  for (const auto& [name, type] : types)
    if (name == dtype) return type;
  return std::nullopt;
}

StoredTensors safetensors_tensors(std::string_view bytes, std::string_view name) {
  StoredTensors tensors;
  for (auto& [tensor, entry] : parse_safetensors_header(bytes, name))
    tensors.emplace(tensor, StoredTensor{.shape = entry.shape,
                                         .type = safetensors_type(entry.type.name),
                                         .type_name = entry.type.name,
                                         .data = entry.data});
  return tensors;
}

void require_single_part(const GgufFile& file, std::string_view name) {
  const auto found = file.values.find("split.count");
  if (found == file.values.end()) return;
  const auto* const parts = std::get_if<std::int64_t>(&found->second);
  if (parts && *parts > 1)
    throw DataError(name, fmt::format("is one of {} parts of a model", *parts),
                    "join them with llama-gguf-split --merge FIRST_PART NEW_FILE");
}

[[noreturn]] void refuse_gguf(std::string_view name, std::string_view tensor,
                              std::string_view what) {
  throw DataError(name, fmt::format("has tensor {} {}", in_quotes(tensor), what),
                  "convert the model again with a newer llama.cpp");
}

StoredTensor gguf_tensor(const std::string& tensor, const GgufTensor& entry,
                         std::string_view name) {
  const GgufBlock* const block = find_gguf_block(entry.type);
  if (!block)
    refuse_gguf(name, tensor, fmt::format("of type {}, which llama.cpp does not have", entry.type));
  if (!entry.shape.empty() && entry.shape.front() % block->numbers != 0)
    refuse_gguf(name, tensor,
                fmt::format("with rows of {} numbers, and {} has blocks of {}", entry.shape.front(),
                            block->name, block->numbers));
  std::uint64_t blocks = entry.shape.empty() ? 1 : entry.shape.front() / block->numbers;
  for (std::size_t d = 1; d < entry.shape.size(); ++d) blocks *= entry.shape[d];
  StoredTensor stored{
      .shape = {entry.shape.rbegin(), entry.shape.rend()},
      .type = std::nullopt,
      .type_name = std::string(block->name),
      .data = entry.data.substr(0, static_cast<std::size_t>(blocks * block->bytes))};
  if (block->decoded) stored.type = static_cast<StoredType>(block->type);
  return stored;
}

StoredTensors gguf_tensors(std::string_view bytes, std::string_view name) {
  const GgufFile file = parse_gguf(bytes, name);
  require_single_part(file, name);
  StoredTensors tensors;
  for (const auto& [tensor, entry] : file.tensors)
    tensors.emplace(tensor, gguf_tensor(tensor, entry, name));
  return tensors;
}

void require_weights(std::string_view bytes, std::string_view name) {
  if (bytes.starts_with(lfs_pointer))
    throw DataError(name, "is a pointer of Git LFS, and the weights were not downloaded",
                    "run git lfs pull in its folder");
  if (is_pickle(bytes))
    throw DataError(name, fmt::format("is no .safetensors file, but one {}", pickle_rule),
                    pickle_remedy);
}

/// The shards of an index, each once, in the order of their names.
std::set<std::string> shards_of(const WeightIndex& index) {
  std::set<std::string> shards;
  for (const auto& [tensor, shard] : index) shards.insert(shard);
  return shards;
}

/// Which shard each tensor was found in.
using Found = std::map<std::string, std::string, std::less<>>;

void require_as_listed(const WeightIndex& index, const Found& found, std::string_view name) {
  for (const auto& [tensor, shard] : index) {
    const auto at = found.find(tensor);
    if (at != found.end() && at->second == shard) continue;
    throw DataError(name,
                    fmt::format("lists tensor {} in {}, which does not hold it", in_quotes(tensor),
                                in_quotes(shard)),
                    "download the index and all shards of one version of the model");
  }
}

}  // namespace

StoredTensors stored_tensors(std::string_view bytes, std::string_view name) {
  require_weights(bytes, name);
  StoredTensors tensors =
      is_gguf(bytes) ? gguf_tensors(bytes, name) : safetensors_tensors(bytes, name);
  for (const Entry& tensor : tensors) require_countable(tensor, name);
  return tensors;
}

StoredTensors sharded_tensors(const WeightIndex& index, std::string_view name,
                              const std::function<std::string_view(const std::string&)>& bytes_of) {
  StoredTensors tensors;
  Found found;
  const std::filesystem::path folder = std::filesystem::path(name).parent_path();
  for (const std::string& shard : shards_of(index))
    for (auto& [tensor, stored] : stored_tensors(bytes_of(shard), (folder / shard).string())) {
      const auto [at, is_new] = found.emplace(tensor, shard);
      if (!is_new)
        throw DataError(name,
                        fmt::format("has tensor {} in two shards, {} and {}", in_quotes(tensor),
                                    in_quotes(at->second), in_quotes(shard)),
                        "download the index and all shards of one version of the model");
      tensors.emplace(tensor, std::move(stored));
    }
  require_as_listed(index, found, name);
  return tensors;
}

std::uint64_t bytes_of(const StoredTensors& tensors) {
  std::uint64_t bytes = 0;
  for (const auto& [tensor, stored] : tensors) bytes += stored.data.size();
  return bytes;
}

}  // namespace orrery
