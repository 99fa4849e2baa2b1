#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/batch/manifest.h"
#include "experiments/result.h"

namespace orrery {

struct WriteOptions {
  std::filesystem::path folder{};  ///< made, with its parents
  std::vector<std::string> figure_formats{"svg", "png", "pdf"};
  /// The bytes of a figure in one of figure_formats. Needed only when there are figures and
  /// formats.
  std::function<std::string(const Figure&, std::string_view format)> render{};
  bool overwrite{true};  ///< whether an older result in that folder is replaced
};

struct WrittenResult {
  std::filesystem::path folder{};
  std::vector<WrittenFile> files{};  ///< everything but manifest.json
  std::string manifest_sha256{};
};

/// Writes manifest.json, result.json, tables/NAME.csv, figures/ID.FORMAT, figures/ID.csv for line
/// figures, and arrays/NAME.npy. For load_result (saved_result.h) it adds figures/ID.json, and
/// figures/ID.values.npy and ID.masked.npy where a map's numbers are in no other file.
///
/// The folder appears at once and complete: everything is written to a hidden folder beside it,
/// brought to the disk, and then exchanged for what was there. When anything throws, what was there
/// stays and the hidden folder goes.
///
/// Replaced are only empty folders and result folders that hold nothing but what their manifest
/// lists. Throws IoError: the folder is something else, holds files of others, is the current
/// folder, or the system refuses (no space, no permission, read-only).
WrittenResult write_result(const Result& result, const RunRecord& run, const WriteOptions& options);

/// Throws the IoError that write_result would for what lies in options.folder now. Cheap: ask
/// before a long computation.
void require_replaceable(const WriteOptions& options);

}  // namespace orrery
