#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A path as far as it is typed: the folder that it is in, and the beginning of a name there.
struct TypedPath {
  std::filesystem::path folder{};
  std::string beginning{};
};

/// "/data/ru" is "ru" in /data; "~/" is the home folder; what does not begin at the root begins at
/// `here`.
TypedPath typed_path(std::string_view typed, const std::filesystem::path& here);

/// Whether a name begins so, in whichever case the letters of ASCII are.
bool begins_with(std::string_view name, std::string_view beginning);

/// What the names that begin so have in common, at least `beginning` itself.
std::string completed(const std::string& beginning, const std::vector<std::string>& names);

}  // namespace orrery
