#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/model_files/gguf_blocks.h"

namespace orrery {

// PyTorch's own files are pickles: programs that Python runs when it reads them. They are refused.

/// Whether the name ends as PyTorch's files do: .bin, .pt, .pth, .ckpt, .pkl.
bool has_pickle_name(std::string_view name);

/// Whether the bytes begin as torch.save writes them: a zip archive, or a pickle of protocol 2 to 5.
bool is_pickle(std::string_view bytes);

inline constexpr std::string_view pickle_rule =
    "which holds a pickle, a program that would run when it is read";
inline constexpr std::string_view pickle_remedy =
    "convert it with AutoModel.from_pretrained(FOLDER).save_pretrained(NEW_FOLDER) of "
    "Transformers, "
    "which writes model.safetensors";

/// Which shard of a checkpoint holds a tensor, by the tensor's name.
using WeightIndex = std::map<std::string, std::string, std::less<>>;

/// Largest index that is read; one of a thousand billion parameters has some 10 MB.
inline constexpr std::uintmax_t max_index_bytes = std::uintmax_t{64} << 20;

/// Reads model.safetensors.index.json.
///   {"metadata": {"total_size": 24, …}, "weight_map": {"TENSOR": "model-00001-of-00002.safetensors", …}}
///
/// Only weight_map counts: what else is there is checked to be JSON and dropped.
/// Throws DataError, naming the tensor: not JSON, no weight_map, a tensor that occurs twice, a shard
/// that is no text, lies outside of the index's folder, or is no .safetensors file; more than 4096
/// shards.
/// Cost: time and memory proportional to the text.
/// @param name  the file's name in messages
WeightIndex parse_weight_index(std::string_view text, std::string_view name);

/// A type of numbers that is decoded. Both formats share F32, F16, BF16 and F64.
using StoredType = GgufType;

/// A tensor as it lies in a file.
struct StoredTensor {
  std::vector<std::uint64_t> shape{};  ///< slowest dimension first, as PyTorch says it
  std::optional<StoredType> type{};    ///< none: integers, and types that are not decoded
  std::string type_name{};             ///< as the format calls it: "BF16", "Q4_K", "I64"
  std::string_view data{};             ///< its bytes and no others; a view into the file
};

using StoredTensors = std::map<std::string, StoredTensor, std::less<>>;

/// The tensors of a .safetensors file or of a GGUF, by the header alone.
///
/// Tensors without numbers and of any rank are read; the numbers are not looked at.
/// Throws DataError, naming the tensor: all errors of parse_safetensors_header and parse_gguf; of a
/// GGUF a type that llama.cpp does not have, rows that are no whole number of blocks, or one part of
/// several; more than 2^60 numbers; a pickle, or a pointer of Git LFS.
/// Cost: time and memory proportional to the header.
/// @param name  the file's name in messages
StoredTensors stored_tensors(std::string_view bytes, std::string_view name);

/// The tensors of the shards that an index names. A tensor that a shard has beside those of the
/// index is among them.
///
/// Throws DataError, naming tensor and shard: one that is not in the shard that the index says, or
/// in two; and all errors of stored_tensors.
/// @param bytes_of  the bytes of a shard by its name in the index; called once for each
/// @param name  the index's name in messages
StoredTensors sharded_tensors(const WeightIndex& index, std::string_view name,
                              const std::function<std::string_view(const std::string&)>& bytes_of);

/// Bytes of all tensors.
std::uint64_t bytes_of(const StoredTensors& tensors);

}  // namespace orrery
