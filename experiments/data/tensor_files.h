#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "experiments/data/tensor_archive.h"

namespace orrery {

/// The longest file of tensors that is read: the weights of half a billion parameters as F32.
inline constexpr std::uintmax_t max_tensor_file_bytes = std::uintmax_t{1} << 31;

/// A tensor as people write it: "weights.npz#layer0.q".
struct TensorPath {
  std::filesystem::path file{};
  std::string tensor{};  ///< empty where it was left out
  bool is_named{};       ///< a '#' was written
};

/// What stands before and behind the first '#' that follows .npy, .npz or .safetensors; all of the
/// text is the file where there is none, so that a folder's name may hold a '#'.
TensorPath tensor_path(std::string_view text);

/// Throws UsageError unless the extension, in capitals or not, is .npy, .npz or .safetensors.
/// @param said_as  what messages call the file
void require_tensor_file(const std::filesystem::path& file, const std::string& said_as);

/// Reads the list of what a file of tensors holds, by its extension. A .npy file holds one, named
/// for the file without its extension.
/// @param bytes  the file's content, which outlives what is returned
/// @param said_as  what messages call the file
/// Throws UsageError as require_tensor_file does, and DataError as parse_npz and parse_safetensors
/// do for what is not a matter of one tensor alone.
std::unique_ptr<TensorArchive> open_tensors(std::string_view bytes,
                                            const std::filesystem::path& file,
                                            const std::string& said_as);

/// All tensors of a .npy, .npz or .safetensors file, by name.
/// Throws UsageError as require_tensor_file does, IoError as read_file does, and DataError: longer
/// than max_tensor_file_bytes, or as parse_npy, parse_npz and parse_safetensors do.
TensorMap read_tensors(const std::filesystem::path& path);

}  // namespace orrery
