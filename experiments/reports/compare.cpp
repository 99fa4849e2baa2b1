#include "experiments/reports/compare.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/results/saved_result.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery {
namespace {

using Texts = std::map<std::string, std::string>;

Texts program_of(const nlohmann::ordered_json& manifest) {
  Texts texts;
  if (!manifest.is_object() || !manifest.contains("program")) return texts;
  for (const auto& item : manifest["program"].items())
    texts[item.key()] =
        item.value().is_string() ? item.value().get<std::string>() : item.value().dump();
  return texts;
}

/// SHA-256 by parameter.
Texts inputs_of(const nlohmann::ordered_json& manifest) {
  Texts hashes;
  if (manifest.contains("inputs") && manifest["inputs"].is_array())
    for (const auto& input : manifest["inputs"])
      if (input.is_object()) hashes[input.value("key", "")] = input.value("sha256", "");
  return hashes;
}

/// load_sweep, but throws DataError for the first problem.
SavedSweep load_whole_sweep(const std::filesystem::path& folder) {
  SavedSweep sweep = load_sweep(folder);
  if (!sweep.problems.empty())
    throw DataError(fmt::format("{}", fmt::join(sweep.problems, "; ")),
                    "so the sweep is incomplete",
                    "orrery resume completes it, orrery report shows the rest");
  return sweep;
}

}  // namespace

Comparison compare_folders(const std::filesystem::path& a, const std::filesystem::path& b,
                           double tolerance) {
  Comparison found{.sweeps = is_sweep_folder(a)};
  if (found.sweeps != is_sweep_folder(b))
    throw UsageError(fmt::format("{} and {}", a.string(), b.string()),
                     "are not of the same kind: one is a result, the other a sweep",
                     "compare a point of the sweep: DIR/points/ID");
  if (found.sweeps) {
    const SavedSweep in_a = load_whole_sweep(a);
    const SavedSweep in_b = load_whole_sweep(b);
    found.program = text_differences(program_of(in_a.manifest), program_of(in_b.manifest));
    found.sweep = compare_sweeps(in_a, in_b, tolerance);
    return found;
  }
  const SavedFolder in_a(a), in_b(b);
  found.program = text_differences(program_of(in_a.manifest()), program_of(in_b.manifest()));
  found.inputs = text_differences(inputs_of(in_a.manifest()), inputs_of(in_b.manifest()));
  found.result = compare_results(load_result(in_a), load_result(in_b), tolerance);
  return found;
}

}  // namespace orrery
