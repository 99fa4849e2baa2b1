#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace orrery {

/// Whether a file's name says that it is a part behind the first: "model-00002-of-00003.gguf".
bool is_later_part(std::string_view name);

/// The GGUFs of a folder, by name; of a split one the first part, which has the metadata. Of a folder
/// with more than 100,000 entries those among the first.
std::vector<std::filesystem::path> ggufs_in(const std::filesystem::path& folder);

}  // namespace orrery
