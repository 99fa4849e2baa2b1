// run --from: a result is computed again from its manifest.
#include "experiments/cli/rerun.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/cli/figure_words.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/saved_result.h"
#include "experiments/setup/plugins.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_layout.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string manifest_name(const fs::path& folder) { return (folder / manifest_file).string(); }

/// Calls `read` on a part of the manifest; what is not in the form it was written in is named.
template <class Read>
auto read_from(const SavedFolder& saved, Read read) {
  try {
    return read(saved.manifest());
  } catch (const MalformedJson& error) {
    throw DataError(manifest_name(saved.folder()), fmt::format("is damaged: {}", error.what()),
                    "copy the folder again");
  }
}

const Experiment& experiment_in(const SavedFolder& saved, const Provenance& from) {
  const Experiment* found = known_experiment(from.experiment);
  if (!found)
    throw UsageError(saved.folder().string(),
                     fmt::format("is a result of {}, which is not an experiment", from.experiment),
                     "call the command in its manifest again");
  if (found->info.version != from.version)
    throw DataError(manifest_name(saved.folder()),
                    fmt::format("is of version {} of {}, and this program has version {}",
                                from.version, from.experiment, found->info.version),
                    "use the version of Orrery that the manifest names");
  return *found;
}

ParamSet params_of(const Experiment& experiment, const Provenance& from) {
  ParamSet params(experiment.info.params);
  for (const auto& [key, value] : from.params) params.set(key, value);
  return params;
}

/// Encodings of plug-ins are what their files make of them.
void require_same_plugins(const SavedFolder& saved) {
  if (!saved.manifest().contains("plugins")) return;
  const auto hashes = read_from(saved, [](const Json& manifest) {
    return list_from(manifest, "plugins", [](const Json& one) {
      return std::pair(text_field(one, "file"), text_field(one, "sha256"));
    });
  });
  std::vector<std::string> settings;
  const Provenance from = read_from(saved, experiment_of);
  for (const auto& [key, value] : from.params) settings.push_back(key + "=" + value);
  const std::vector<Plugin> loaded = plugins_named_in(settings);
  for (const auto& [file, hash] : hashes)
    if (std::ranges::none_of(loaded,
                             [&, &hash = hash](const Plugin& one) { return one.sha256 == hash; }))
      throw DataError(file, "is not the plug-in that the result was computed with",
                      "name its file as it was then: --plugin FILE");
}

/// Options of the sweep where it is a point, otherwise of the command that wrote it.
FigureOptions figures_of(const SavedFolder& saved) {
  const fs::path points = fs::weakly_canonical(saved.folder()).parent_path();
  if (points.filename() == "points" && is_sweep_folder(points.parent_path()))
    return read_plan_record(points.parent_path()).figures;
  const auto argv = read_from(
      saved, [](const Json& manifest) { return texts_field(field(manifest, "run"), "argv"); });
  FigureOptions figures = figures_in(argv);
  figures.formats.clear();
  for (const char* format : {"svg", "png", "pdf", "tex"})
    if (std::ranges::any_of(saved.files(), [&](const WrittenFile& file) {
          return file.path.starts_with("figures/") &&
                 file.path.ends_with(fmt::format(".{}", format));
        }))
      figures.formats.emplace_back(format);
  return figures;
}

}  // namespace

SavedRun saved_run(const fs::path& folder) {
  if (is_sweep_folder(folder))
    throw UsageError(folder.string(), "is a sweep, and run computes one point",
                     "name a point of it: --from DIR/points/ID");
  const SavedFolder saved(folder);
  require_same_plugins(saved);
  const Provenance from = read_from(saved, experiment_of);
  const Experiment& experiment = experiment_in(saved, from);
  return {&experiment, params_of(experiment, from), figures_of(saved)};
}

void require_same_inputs(const fs::path& folder, const std::vector<InputFile>& files) {
  const SavedFolder saved(folder);
  const auto before = read_from(saved, [](const Json& manifest) {
    return list_from(manifest, "inputs", [](const Json& one) {
      return std::pair(text_field(one, "key"), text_field(one, "sha256"));
    });
  });
  for (const InputFile& file : files)
    if (std::ranges::find(before, std::pair(file.key, file.sha256)) == before.end())
      throw DataError(fmt::format("{}={}", file.key, file.path),
                      fmt::format("has changed since {} was computed", folder.string()),
                      "restore the file, or name the experiment and compute it anew");
}

Words command_again(const SavedRun& saved, const std::string& out, bool force) {
  Words words{"orrery", "run", saved.experiment->info.name};
  for (std::string& word : saved.params.overrides()) words.push_back(std::move(word));
  for (std::string& word : figure_words(saved.figures)) words.push_back(std::move(word));
  if (!out.empty()) words.insert(words.end(), {"--out", out});
  if (force) words.emplace_back("--force");
  for (std::string& word : plugin_words()) words.push_back(std::move(word));
  return words;
}

}  // namespace orrery
