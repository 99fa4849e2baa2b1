// Sweep files and presets: TOML in, SweepSpec out.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/files/assets.h"
#include "experiments/files/file.h"
#include "experiments/files/presence.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/text/toml_fields.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_sweep_bytes = std::uintmax_t{1} << 20;

/// A file being read: its name in messages, and the presets that led to it.
struct Source {
  std::string display_name{};
  std::vector<std::string> parents{};
  fs::path folder{};  ///< of the file: its parents are relative to it
};

SweepSpec read_spec(std::string_view text, const Source& source);

/// Names the file and the line in the errors of an entry.
Guarded located(const Source& source) {
  return [&source](int line, const std::function<void()>& read) {
    try {
      read();
    } catch (const UsageError& error) {
      throw UsageError(source.display_name, error.what(), fmt::format("correct line {}", line));
    }
  };
}

bool is_list(const ParamSpec& spec) {
  return spec.kind == ParamKind::choice_list || spec.kind == ParamKind::number_list;
}

SweepSpec::Axis fixed_axis(const ParamSpec& spec, const toml::node& node) {
  if (node.is_array() && !is_list(spec))
    throw UsageError(spec.key, "is a list under [params]", "put lists under [sweep]");
  return {.key = spec.key, .values = {param_text_in(node, spec.key)}};
}

SweepSpec::Axis swept_axis(const ParamSpec& spec, const toml::node& node) {
  const toml::array* array = node.as_array();
  if (!array) return read_axis(spec, param_text_in(node, spec.key));
  SweepSpec::Axis axis{.key = spec.key};
  for (const toml::node& item : *array)
    axis.values.push_back(is_list(spec) ? param_text_in(item, spec.key)
                                        : scalar_text_in(item, spec.key));
  if (axis.values.empty())
    throw UsageError(spec.key, "is an empty list", "give at least one value");
  return axis;
}

TomlField<SweepSpec> axes_field(std::string_view key,
                                SweepSpec::Axis axis_of(const ParamSpec&, const toml::node&)) {
  return {key, [=](SweepSpec& spec, const toml::node& node, const Guarded& guarded) {
            ParamSet trial(spec.experiment->info.params);
            for_each_param(node, key, guarded,
                           [&](const std::string& name, const toml::node& value) {
                             SweepSpec::Axis axis = axis_of(trial.spec(name), value);
                             for (const std::string& text : axis.values) trial.set(name, text);
                             put_axis(spec, std::move(axis));
                           });
          }};
}

std::string preset_text(const std::string& name) {
  const fs::path path = asset_path("presets") / (name + ".toml");
  if (!is_file_name(name) || !is_file_at(path))
    throw_unknown_name(name, "a preset", preset_names());
  return read_file(path, max_sweep_bytes);
}

void add_parent(std::vector<std::string>& parents, const std::string& name) {
  if (std::find(parents.begin(), parents.end(), name) != parents.end())
    throw UsageError(fmt::format("{} -> {}", fmt::join(parents, " -> "), name),
                     "is a cycle of parents", "remove one of them");
  parents.push_back(name);
}

SweepSpec read_preset(const std::string& name, std::vector<std::string> parents) {
  add_parent(parents, name);
  SweepSpec spec =
      read_spec(preset_text(name), {.display_name = "preset " + name, .parents = parents});
  spec.name = name;
  return spec;
}

bool is_sweep_file(const fs::path& name) { return name.extension() == ".toml"; }

/// Throws UsageError for a file in a form that is not read.
void require_toml(const fs::path& path) {
  const fs::path kind = path.extension();
  if (kind == ".yaml" || kind == ".yml" || kind == ".json")
    throw UsageError(path.string(), "is not a .toml file",
                     "write the same keys in TOML: experiment = \"NAME\", [params], [sweep]");
}

SweepSpec read_file_spec(const fs::path& path, std::vector<std::string> parents) {
  std::error_code failure;
  const fs::path real = fs::weakly_canonical(path, failure);
  add_parent(parents, failure ? path.string() : real.string());
  SweepSpec spec = read_spec(
      read_file(path, max_sweep_bytes),
      {.display_name = path.string(), .parents = std::move(parents), .folder = path.parent_path()});
  spec.name = path.stem().string();
  return spec;
}

/// The errors of a parent name its own file.
void read_parent(SweepSpec& spec, const toml::node& node, const Source& source) {
  std::string parent;
  located(source)(line_of(node), [&] { parent = toml_text().read(node, "parent"); });
  spec = is_sweep_file(parent) ? read_file_spec(source.folder / parent, source.parents)
                               : read_preset(parent, source.parents);
  spec.description.clear();
}

void set_experiment(SweepSpec& spec, const std::string& name) {
  const Experiment& named = find_experiment(name);
  if (spec.experiment && spec.experiment != &named)
    throw UsageError("experiment = \"" + name + "\"",
                     fmt::format("differs from {}, which the parent {} runs",
                                 spec.experiment->info.name, spec.name),
                     "remove the experiment or choose another parent");
  spec.experiment = &named;
}

void set_zips(SweepSpec& spec, const std::vector<std::vector<std::string>>& groups) {
  spec.zips.clear();
  for (const std::vector<std::string>& keys : groups)
    add_zip(spec, fmt::format("{}", fmt::join(keys, ",")));
}

TomlFields<SweepSpec> fields_of(const Source& source) {
  return {{"parent", [&source](SweepSpec& spec, const toml::node& node,
                               const Guarded&) { read_parent(spec, node, source); }},
          field_read<SweepSpec>("experiment", toml_text(), set_experiment),
          field("description", &SweepSpec::description, toml_text()),
          axes_field("params", fixed_axis),
          axes_field("sweep", swept_axis),
          field_read<SweepSpec>(
              "zip", toml_list<std::vector<std::vector<std::string>>>(toml_words()), set_zips),
          field("draws", &SweepSpec::draws, toml_whole_number(1, max_draws)),
          field("sampling", &SweepSpec::latin,
                toml_name<bool>({{true, "latin"}, {false, "random"}}, "a way to draw")),
          field("repeats", &SweepSpec::repeats, toml_whole_number(1, max_repeats)),
          field("seed", &SweepSpec::seed, toml_whole_number<std::int64_t>(0, INT32_MAX)),
          field("paired", &SweepSpec::paired, toml_flag()),
          field("out", &SweepSpec::out, toml_text())};
}

SweepSpec read_spec(std::string_view text, const Source& source) {
  const toml::table root = parse_toml(text, source.display_name);
  if (!root.contains("experiment") && !root.contains("parent"))
    throw UsageError(source.display_name, "names neither an experiment nor a parent",
                     "begin with experiment = \"long_term_decay\"");
  SweepSpec spec;
  read_fields(spec, fields_of(source), root, "a key above [params] and [sweep]", located(source));
  return spec;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names = preset_names();
  for (const Experiment* experiment : experiment_catalogue())
    names.push_back(experiment->info.name);
  return names;
}

}  // namespace

SweepSpec parse_sweep(std::string_view toml, const std::string& display_name) {
  return read_spec(toml,
                   {.display_name = display_name, .folder = fs::path(display_name).parent_path()});
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(asset_path("presets")))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

SweepSpec preset_named(const std::string& name) { return read_preset(name, {}); }

std::string preset_description(const std::string& name) {
  return parse_toml(preset_text(name), "preset " + name)["description"].value_or(std::string());
}

SweepSpec sweep_spec_named(const std::string& name) {
  require_toml(name);
  if (is_sweep_file(name)) return read_file_spec(name, {});
  if (const Experiment* experiment = known_experiment(name)) {
    SweepSpec spec;
    spec.experiment = experiment;
    return spec;
  }
  const std::vector<std::string> presets = preset_names();
  if (std::find(presets.begin(), presets.end(), name) != presets.end()) return preset_named(name);
  throw UsageError(name, "is neither an experiment, a preset nor a .toml file",
                   remedy_for_unknown(name, all_names(), "orrery list shows all names"));
}

}  // namespace orrery
