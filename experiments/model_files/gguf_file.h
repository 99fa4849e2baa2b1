#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "experiments/model_files/gguf_blocks.h"

namespace orrery {

/// A value of a GGUF's metadata. Numbers of integer types are std::int64_t where they fit; a list
/// holds numbers only, and longer ones than max_gguf_list, or of texts, are left out: empty.
using GgufValue = std::variant<std::int64_t, double, bool, std::string, std::vector<double>>;

/// The longest list that is kept; those of tokenizers are longer.
inline constexpr std::uint64_t max_gguf_list = 16384;

struct GgufTensor {
  std::vector<std::uint64_t> shape{};  ///< fastest dimension first, as the file has it
  std::uint32_t type{};                ///< a GgufType, or a type that is not decoded
  std::string_view data{};  ///< from its first byte to the end of the file; a view into it
};

/// The metadata of a GGUF file, version 2 or 3.
struct GgufFile {
  std::uint32_t version{};
  std::map<std::string, GgufValue, std::less<>> values{};
  std::map<std::string, GgufTensor, std::less<>> tensors{};
};

/// Whether the bytes begin as a GGUF does.
bool is_gguf(std::string_view bytes);

/// Reads header, metadata and the places of tensors. Time and memory are bounded by the length of
/// the header that is there, not by the numbers in it. Throws DataError: cut off, another version,
/// written on a machine of the other byte order, a type or a length that cannot be, a key or a
/// tensor that occurs twice, an alignment that is no power of two, a tensor beyond the end or with a
/// dimension of 0, tensors that overlap or leave bytes between them.
GgufFile parse_gguf(std::string_view bytes, std::string_view name);

/// A list of the metadata: texts as views into the file, or numbers.
struct GgufList {
  std::vector<std::string_view> texts{};
  std::vector<double> numbers{};
};

/// The list of a key in full, however long; nothing where there is no such key, or another value.
/// Throws DataError: what parse_gguf refuses in the metadata, or more than 2^24 values.
GgufList gguf_list(std::string_view bytes, std::string_view key, std::string_view name);

/// The numbers of a tensor of any GgufType, as decode_gguf_blocks has them; F64 exactly.
/// Throws DataError, naming the type: not decoded, more than max_gguf_list × 64 numbers, a row that
/// is no whole number of blocks, or cut off.
std::vector<double> gguf_numbers(const GgufTensor& tensor, std::string_view name);

}  // namespace orrery
