#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/data/array_sink.h"
#include "experiments/files/atomic_write.h"
#include "experiments/model/result.h"
#include "experiments/results/manifest.h"

namespace orrery {

/// Which older result in the folder is replaced.
enum class Replaceable {
  none,
  same_settings,  ///< of the same experiment with the same parameters
  any_result
};

struct WriteOptions {
  std::filesystem::path folder{};  ///< created with its parents
  std::vector<std::string> figure_formats{"svg", "png", "pdf"};
  /// Returns the bytes of a figure in one of figure_formats. Needed only when there are figures and
  /// formats.
  std::function<std::string(const Figure&, std::string_view format)> render{};
  Replaceable replaceable{Replaceable::any_result};
};

struct WrittenResult {
  std::filesystem::path folder{};
  std::vector<WrittenFile> files{};  ///< everything but manifest.json
  std::string manifest_sha256{};
};

/// Writes manifest.json, result.json, tables/NAME.csv, figures/ID.FORMAT, figures/ID.csv for line
/// figures, arrays/NAME.npy, and the result's own files. For load_result (saved_result.h) it adds figures/ID.json, and
/// figures/ID.values.npy and ID.masked.npy where no other file has a heatmap's numbers. Tables and
/// curves of more than most_rows_in_json rows are in their CSV file alone.
///
/// The folder appears as a whole: everything is written to a hidden folder beside it, brought to
/// the disk, and then takes the place of an older folder. If anything throws, the older folder is
/// unchanged and the hidden one is removed.
///
/// Only empty folders and result folders with no other files than their manifest lists are
/// replaced; notes (notes.h) are kept where the settings are the same, and otherwise count as such
/// a file. Throws IoError: the folder is something else, contains other files, is the current
/// folder, or the system refuses (no space, no permission, read-only).
WrittenResult write_result(const Result& result, const RunRecord& run, const WriteOptions& options);

/// A result whose arrays are written while they are computed, as write_result would write them.
class StreamedResult final : public ArraySink {
 public:
  /// Throws as require_replaceable does.
  StreamedResult(WriteOptions options, const Provenance& wanted);
  ~StreamedResult() override;

  /// Throws IoError, also where the disk is too small for the arrays.
  void begin(std::span<const Array> arrays) override;
  void append(std::size_t array, std::string_view bytes) override;
  /// Ends the folder.
  /// @param result  with those arrays, without values
  WrittenResult commit(const Result& result, const RunRecord& run);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// write_result in two steps: written to the hidden folder, and brought to the disk and in place
/// with others that lie beside it, in one wait for all. What is not committed is removed.
struct StagedResult {
  WrittenResult written{};
  std::unique_ptr<AtomicFolder> swap{};
  std::string group{};  ///< instead of a folder: the result as a group of a pack, see zip_pack.h
};
StagedResult stage_result(const Result& result, const RunRecord& run, const WriteOptions& options);
void commit_results(std::span<const StagedResult> results);

/// The same files as a group of the pack beside options.folder, which is neither looked at nor
/// written. The manifest is on one line there, without the compiler's flags, which the sweep's has.
StagedResult pack_result(const Result& result, const RunRecord& run, const WriteOptions& options);

/// Throws the IoError with which write_result would refuse to replace the present content of
/// options.folder by a result of this provenance. Cheap: call it before a long computation.
void require_replaceable(const WriteOptions& options, const Provenance& wanted);

}  // namespace orrery
