#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/folder_listing.h"
#include "app/session.h"
#include "experiments/batch/browse.h"

namespace orrery {

/// A path that somebody wants to see, looked at.
struct OpenedPath {
  std::filesystem::path path{};
  PathKind kind{};
  std::optional<BrowsedFolder> saved{};  ///< of a result or a sweep
};

/// May take long on a slow disk. Throws IoError for what does not exist, DataError for the folder
/// of a result or a sweep that is damaged.
OpenedPath look_at(const std::filesystem::path& path);

/// Where a result comes from, as settings of the session's experiment. What this version does not
/// know of it is left out and told.
struct SavedSettings {
  std::size_t experiment{};  ///< its index in the session
  ParamSet params{{}};
  std::vector<std::string> left_out{};
};
/// Throws UsageError when there is no such experiment.
SavedSettings settings_of(const Session& session, const Provenance& provenance);

/// Shows the experiment with those settings.
void show_settings(Session& session, const SavedSettings& settings);

}  // namespace orrery
