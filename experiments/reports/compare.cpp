#include "experiments/reports/compare.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/reports/compare_results.h"
#include "experiments/reports/compare_sweeps.h"
#include "experiments/results/saved_result.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery::reports {
namespace {

std::vector<TextDifference> compare_objects(const nlohmann::ordered_json& a,
                                            const nlohmann::ordered_json& b, const char* key) {
  std::vector<TextDifference> found;
  const auto fields = [&](const nlohmann::ordered_json& manifest) {
    std::map<std::string, std::string> texts;
    if (!manifest.is_object() || !manifest.contains(key)) return texts;
    for (const auto& item : manifest[key].items())
      texts[item.key()] =
          item.value().is_string() ? item.value().get<std::string>() : item.value().dump();
    return texts;
  };
  auto in_a = fields(a), in_b = fields(b);
  std::map<std::string, std::string> all = in_a;
  all.insert(in_b.begin(), in_b.end());
  for (const auto& [name, value] : all)
    if (in_a[name] != in_b[name]) found.push_back({name, in_a[name], in_b[name]});
  return found;
}

std::vector<TextDifference> compare_inputs(const nlohmann::ordered_json& a,
                                           const nlohmann::ordered_json& b) {
  const auto hashes = [](const nlohmann::ordered_json& manifest) {
    nlohmann::ordered_json found;
    found["inputs"] = nlohmann::ordered_json::object();
    if (manifest.contains("inputs") && manifest["inputs"].is_array())
      for (const auto& input : manifest["inputs"])
        if (input.is_object()) found["inputs"][input.value("key", "")] = input.value("sha256", "");
    return found;
  };
  return compare_objects(hashes(a), hashes(b), "inputs");
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
    found.program = compare_objects(in_a.manifest, in_b.manifest, "program");
    found.sweep = compare_sweeps(in_a, in_b, tolerance);
    return found;
  }
  const SavedFolder in_a(a), in_b(b);
  found.program = compare_objects(in_a.manifest(), in_b.manifest(), "program");
  found.inputs = compare_inputs(in_a.manifest(), in_b.manifest());
  found.result = compare_results(load_result(in_a), load_result(in_b), tolerance);
  return found;
}

}  // namespace orrery::reports
