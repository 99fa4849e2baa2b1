#include "experiments/checkpoints/stored_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/errors.h"
#include "experiments/data/safetensors_header.h"
#include "experiments/model_files/gguf_file.h"
#include "experiments/text/nesting.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

constexpr std::size_t most_shards = 4096;
constexpr std::size_t longest_shard = 255;  // a file name of Linux

constexpr std::string_view index_remedy = "download the index again, or save the model again";

/// Receives the parser's events. No document is built, as that would drop keys that occur twice.
class IndexEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit IndexEvents(std::string_view name) : name_(name) {}

  WeightIndex take() {
    if (!map_seen_) fail("key 'weight_map' is missing");
    return std::move(index_);
  }

  bool null() override { return other_value(); }
  bool boolean(bool) override { return other_value(); }
  bool number_integer(number_integer_t) override { return other_value(); }
  bool number_unsigned(number_unsigned_t) override { return other_value(); }
  bool number_float(number_float_t, const string_t&) override { return other_value(); }
  bool binary(binary_t&) override { return other_value(); }

  bool string(string_t& text) override {
    if (!in_map()) return other_value();
    require_shard(text);
    shards_.insert(text);
    if (shards_.size() > most_shards) fail(fmt::format("more than {} shards", most_shards));
    index_.insert_or_assign(tensor_, std::move(text));
    return true;
  }

  bool start_object(std::size_t) override {
    if (depth_ == 0 || wants_map()) {
      ++depth_;
      return true;
    }
    return nest();
  }
  bool end_object() override { return unnest(); }
  bool start_array(std::size_t) override { return nest(); }
  bool end_array() override { return unnest(); }

  bool key(string_t& text) override {
    if (depth_ == 1) begin_part(text);
    if (in_map()) begin_tensor(std::move(text));
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    not_json(position);
  }

  /// @param position  counted from 1, as the parser counts
  [[noreturn]] void not_json(std::size_t position) const {
    fail(fmt::format("not JSON at byte {}", position));
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw DataError(name_, fmt::format("is not an index of weights ({})", what), index_remedy);
  }

 private:
  bool wants_map() const { return depth_ == 1 && part_is_map_; }
  bool in_map() const { return depth_ == 2 && part_is_map_; }

  void begin_part(const std::string& name) {
    part_is_map_ = name == "weight_map";
    if (part_is_map_ && std::exchange(map_seen_, true)) fail("key 'weight_map' occurs twice");
  }

  void begin_tensor(std::string name) {
    if (index_.contains(name)) fail(fmt::format("tensor {} occurs twice", in_quotes(name)));
    tensor_ = std::move(name);
    index_.emplace(tensor_, "");
  }

  bool other_value() {
    if (in_map()) fail(fmt::format("the shard of tensor {} is no text", in_quotes(tensor_)));
    if (depth_ == 0) fail("it is no JSON object");
    if (wants_map()) fail("'weight_map' is no object");
    return true;
  }

  bool nest() {
    other_value();
    ++depth_;
    return true;
  }
  bool unnest() {
    --depth_;
    return true;
  }

  [[noreturn]] void refuse_shard(std::string_view shard, std::string_view why,
                                 std::string_view remedy = index_remedy) const {
    throw DataError(
        name_, fmt::format("has tensor {} in {}, {}", in_quotes(tensor_), in_quotes(shard), why),
        remedy);
  }

  void require_shard(std::string_view shard) const {
    if (shard.empty() || shard.size() > longest_shard || shard.find('\0') != std::string_view::npos)
      refuse_shard(shard, "which is no name of a file");
    if (shard.front() == '/' || ("/" + std::string(shard) + "/").find("/../") != std::string::npos)
      refuse_shard(shard, "which may lie outside of the folder of the index");
    if (has_pickle_name(shard)) refuse_shard(shard, pickle_rule, pickle_remedy);
    if (!shard.ends_with(".safetensors")) refuse_shard(shard, "which is no .safetensors file");
  }

  std::string_view name_;
  std::size_t depth_{0};
  bool part_is_map_{false};  // the last key of the outermost object is weight_map
  bool map_seen_{false};
  std::string tensor_{};  // the last key of weight_map
  std::set<std::string, std::less<>> shards_{};
  WeightIndex index_{};
};

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

bool has_pickle_name(std::string_view name) {
  constexpr std::array<std::string_view, 5> endings{".bin", ".pt", ".pth", ".ckpt", ".pkl"};
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

bool is_pickle(std::string_view bytes) {
  constexpr char protocol = '\x80', oldest = 2, newest = 5;
  if (bytes.starts_with("PK\x03\x04")) return true;
  // A safetensors file begins with the length of its header, which is then followed by '{'.
  const bool is_header = bytes.size() > 8 && bytes[8] == '{';
  return bytes.size() > 1 && bytes[0] == protocol && bytes[1] >= oldest && bytes[1] <= newest &&
         !is_header;
}

WeightIndex parse_weight_index(std::string_view text, std::string_view name) {
  IndexEvents events(name);
  if (first_deep_place_in_json(text)) events.fail("it " + too_deep());
  // The parser takes a NUL for the end of the text and would ignore everything after it.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
    events.not_json(nul + 1);
  nlohmann::json::sax_parse(text.begin(), text.end(), &events);
  return events.take();
}

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
