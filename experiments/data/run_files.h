#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace orrery {

/// Where a model is run from: its GGUF, or the folder of a configuration or of weights.
std::filesystem::path place_of_model(const std::filesystem::path& path);

/// The files that a model is run from, by path: its GGUF, or weights, configuration and tokenizer
/// in the folder and two folders deep. Never throws: what cannot be read is left out.
std::vector<std::filesystem::path> files_of_model(const std::filesystem::path& place);

/// Whether there are weights among them.
bool have_weights(const std::vector<std::filesystem::path>& files);

/// One version of these files without reading them: their names, sizes, times and inodes.
std::string version_of(const std::vector<std::filesystem::path>& files);

struct FilesDigest {
  std::string sha256{};  ///< of a line "SHA256 NAME" for each file, by path
  std::uintmax_t bytes{};
};
/// Each version is read once in a process. Throws IoError for a file that cannot be read.
FilesDigest digest_of(const std::vector<std::filesystem::path>& files);

}  // namespace orrery
