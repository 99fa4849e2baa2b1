#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/data/load_inputs.h"
#include "experiments/model/result.h"

namespace orrery {

/// In a result's folder and in a sweep's.
inline constexpr const char* manifest_file = "manifest.json";
/// The longest that is read of a result: it lists files and contains no data.
inline constexpr std::uintmax_t max_manifest_bytes = std::uintmax_t{64} << 20;

inline constexpr std::string_view manifest_schema = "orrery.manifest/1";

/// The time and duration of a run.
struct RunTimes {
  std::chrono::system_clock::time_point started{};
  std::chrono::system_clock::time_point finished{};
  double wall_seconds{};
};

/// The circumstances of a run that the result itself must not depend on.
struct RunRecord {
  std::vector<std::string> argv{};
  std::vector<InputFile> inputs{};
  int threads{1};
  /// Left out for the points of a sweep, so that their bytes do not depend on when they were
  /// computed.
  std::optional<RunTimes> times{};
};

/// A file of a result folder.
struct WrittenFile {
  std::string path{};  ///< relative to the folder, with slashes
  std::uintmax_t bytes{};
  std::string sha256{};
};

/// The content of manifest.json: program and build, machine, run (times, seed, argv, threads),
/// experiment with every used parameter, input files and written files with their SHA-256.
nlohmann::ordered_json manifest_json(const Result& result, const RunRecord& run,
                                     const std::vector<WrittenFile>& files);

/// The files that a manifest lists. Throws MalformedJson: another schema or form, or a path that is
/// absolute or leads out of the folder.
std::vector<WrittenFile> files_of(const nlohmann::ordered_json& manifest);

/// The experiment that a manifest names, with its parameters. Throws MalformedJson.
Provenance experiment_of(const nlohmann::ordered_json& manifest);

// Parts of manifest_json, which the manifest of a sweep has too.
nlohmann::ordered_json program_json();
/// cpu ("AMD EPYC 7763 64-Core Processor"), os ("Debian GNU/Linux 12 (bookworm)"), kernel ("Linux
/// 6.1.0-18-amd64") and architecture ("x86_64"); "unknown" where the system gives no answer.
nlohmann::ordered_json machine_json();

/// "2024-05-17T09:30:00.123Z", in UTC.
std::string iso8601_utc(std::chrono::system_clock::time_point time);

/// The source and the build of this program.
struct BuildInfo {
  std::string version{};  ///< "0.1.0"
  std::string commit{};   ///< 40 hexadecimal digits; "unknown" outside a git checkout
  std::optional<bool>
      dirty{};             ///< whether tracked files differed from the commit; empty when unknown
  std::string compiler{};  ///< "GNU 12.2.0"
  std::string flags{};
  std::string build_type{};  ///< "Release"
  std::string cpu_level{};   ///< "x86-64-v3"; "default" when none was chosen
};

const BuildInfo& build_info();

}  // namespace orrery
