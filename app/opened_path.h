#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/folder_listing.h"
#include "app/session.h"

namespace orrery {

/// A path that somebody wants to see, looked at.
struct OpenedPath {
  std::filesystem::path path{};
  PathKind kind{};
  std::string experiment{};                                   ///< of a result folder
  std::vector<std::pair<std::string, std::string>> params{};  ///< what it was computed with
};

/// May take long on a slow disk. Throws IoError for what does not exist, DataError for a result
/// folder that is damaged.
OpenedPath look_at(const std::filesystem::path& path);

/// Shows the experiment of a result folder with the settings it was computed with. What this
/// version does not know of it is left out and told in the return value. Throws UsageError when
/// there is no such experiment.
std::vector<std::string> show_result(Session& session, const OpenedPath& opened);

}  // namespace orrery
