#pragma once

#include <cstddef>
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

/// Of a model's folder its config.json; of "HuggingFaceTB/SmolLM2-135M" that of the model of this
/// name on this machine. May take long on a slow disk. Throws IoError for what does
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

/// Whether a parameter reads files of that extension; "*" for words and files of any.
bool has_type(const ParamSpec& spec, const std::string& type);

/// A parameter that could read a file.
struct FileTarget {
  std::size_t experiment{};  ///< its index in the session
  std::string key{};
};

/// The parameters that a file may be meant for: those of the experiment on screen that name its
/// type, else those of the first other one that names it, of a model that can be run within seconds
/// the first one that reads its weights, else those on screen that read anything.
/// First the one that the file is called after ("k.npy" and k), then those that hold no file yet.
std::vector<FileTarget> file_targets(const Session& session, const std::string& path);

/// The parameter of the experiment on screen that suits a file best without asking: one that
/// names its type, was edited last, is read at present, is still at its default. Empty: none.
std::string best_file_key(const ParamSet& params, const std::string& path,
                          const std::string& last_edited);

/// Shows the target's experiment and sets the parameter, switching on what makes it read.
void set_file(Session& session, const FileTarget& target, const std::string& path);

/// ".npy .npz": what a file parameter reads.
std::string file_types_text(const ParamSpec& spec);

/// Two arrays that belong together, and the parameters that they could be for.
struct DroppedPair {
  std::size_t experiment{};  ///< its index in the session
  const PairedFiles* params{};
  std::string first{}, second{};  ///< paths
};

/// What two files of arrays may be: q and k of the experiment on screen, or a tensor before and
/// after its rotation. Their names tell which is which, else the order does. Empty for other files.
std::vector<DroppedPair> file_pairs(const Session& session, const std::string& a,
                                    const std::string& b);

/// Shows the pair's experiment and sets both parameters.
void set_pair(Session& session, const DroppedPair& pair);

}  // namespace orrery
