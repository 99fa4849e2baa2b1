#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/session/folder_listing.h"
#include "app/session/session.h"
#include "experiments/sweeps/sweep_index.h"

namespace orrery {

/// A path to open, with what was found there.
struct OpenedPath {
  std::filesystem::path path{};
  PathKind kind{};
  std::optional<SweepIndex> saved{};  ///< contents of a result or a sweep
};

/// Of a model's folder its config.json. May take long on a slow disk. Throws IoError for what does
/// not exist or is neither a folder nor a file, DataError for the folder of a result or a sweep
/// that is damaged.
OpenedPath look_at(const std::filesystem::path& path);

/// The origin of a result as settings of the session's experiment. Settings that this version does
/// not support are listed in `left_out`.
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
