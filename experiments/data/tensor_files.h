#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/data/tensor_map.h"

namespace orrery {

/// Largest file of tensors that is read: half a billion parameters as F32.
inline constexpr std::uintmax_t max_tensor_file_bytes = std::uintmax_t{1} << 31;

/// A tensor as users name it: "weights.npz#layer0.q".
struct TensorPath {
  std::filesystem::path file{};
  std::string tensor{};  ///< empty when left out
  bool is_named{};       ///< whether there is a '#'
};

/// Splits the text at the first '#' that follows .npy, .npz or .safetensors; without one the whole
/// text is the file, so that the name of a folder may contain a '#'.
TensorPath tensor_path(std::string_view text);

/// Throws UsageError unless the extension is .npy, .npz or .safetensors, in upper or lower case.
/// @param display_name  the file's name in messages
void require_tensor_file(const std::filesystem::path& file, const std::string& display_name);

/// Opens a file of tensors by its extension. A .npy file has one tensor, named after the file
/// without its extension.
/// @param bytes  the file's content, which must outlive the archive
/// @param display_name  the file's name in messages
/// Throws UsageError as require_tensor_file does, and DataError as parse_npz and parse_safetensors
/// do for all errors but those of a single tensor.
std::unique_ptr<TensorArchive> open_tensors(std::string_view bytes,
                                            const std::filesystem::path& file,
                                            const std::string& display_name);

/// The content of a file of tensors, read once it is known from its header that `tensors` can be:
/// what is too large is refused before it is held.
/// @param tensors  those that are wanted; names that are not in the file are left to the reader,
/// and
///     an empty one means the only tensor
/// Throws as open_tensors, TensorArchive::require_readable and read_file do.
std::string read_tensor_file(const std::filesystem::path& path, const std::string& display_name,
                             const std::vector<std::string>& tensors);

/// All tensors of a .npy, .npz or .safetensors file, by name.
/// Throws UsageError as require_tensor_file does, IoError as read_file does, and DataError: longer
/// than max_tensor_file_bytes, or as parse_npy, parse_npz and parse_safetensors do.
TensorMap read_tensors(const std::filesystem::path& path);

/// Whole numbers that stand for a file of them, [N]: "0..9", "3+1+4", in any order. Nothing where the
/// text has other characters, or names a file. Throws UsageError for what does not count up, and for
/// numbers beyond ±2^53.
std::optional<Tensor> listed_numbers(const std::string& text);

}  // namespace orrery
