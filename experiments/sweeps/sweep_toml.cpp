// Sweep files and presets: TOML in, SweepSpec out.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/files/assets.h"
#include "experiments/files/file.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/sweeps/value_list.h"
#include "experiments/text/parse_toml.h"

namespace orrery::sweeps {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_file_bytes = std::uintmax_t{1} << 20;

/// A file being read: its name in messages, and the presets that led to it.
struct Source {
  std::string display_name{};
  std::vector<std::string> parents{};
  fs::path folder{};  ///< of the file: its parents are relative to it
};

SweepSpec read_spec(std::string_view text, const Source& source);

[[noreturn]] void refuse(const Source& source, std::string_view what, std::string_view rule,
                         std::string_view remedy) {
  throw UsageError(fmt::format("{}: {}", source.display_name, what), rule, remedy);
}

toml::table parsed(std::string_view text, const Source& source) {
  try {
    return parse_toml(text);
  } catch (const TomlFault& fault) {
    const TextPlace at = fault.place();
    throw DataError(fmt::format("{}, line {}, column {}", source.display_name, at.line, at.column),
                    fault.what(), fault.remedy());
  }
}

/// The entries in the order of the file, as toml++ sorts keys.
std::vector<std::pair<std::string, const toml::node*>> in_written_order(const toml::table& table) {
  std::vector<std::pair<std::string, const toml::node*>> entries;
  for (const auto& [key, node] : table) entries.emplace_back(std::string(key.str()), &node);
  const auto place = [](const auto& entry) {
    const toml::source_position at = entry.second->source().begin;
    return std::pair(at.line, at.column);
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return entries;
}

void require_known_keys(const toml::table& table, const Source& source) {
  static const std::vector<std::string> known{"experiment", "parent", "description", "params",
                                              "sweep",      "zip",    "draws",       "sampling",
                                              "repeats",    "seed",   "paired",      "out"};
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    refuse(source, name, "is not a key of a sweep file",
           remedy_for_unknown(
               name, known,
               fmt::format("the keys are {}; parameters belong under [params] or [sweep]",
                           fmt::join(known, ", "))));
  }
}

std::optional<std::string> text_at(const toml::table& table, const char* key,
                                   const Source& source) {
  const toml::node* node = table.get(key);
  if (!node) return std::nullopt;
  if (const auto text = node->value_exact<std::string>()) return *text;
  refuse(source, key, "is not a string", fmt::format("write {} = \"…\"", key));
}

std::optional<std::int64_t> integer_at(const toml::table& table, const char* key, std::int64_t min,
                                       std::int64_t max, const Source& source) {
  const toml::node* node = table.get(key);
  if (!node) return std::nullopt;
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < min || *value > max)
    refuse(source, key, fmt::format("is not a whole number from {} to {}", min, max),
           fmt::format("write {} = {}", key, min));
  return value;
}

/// One value as ParamSet::set reads it.
std::string scalar_text(const toml::node& node, const std::string& key, const Source& source) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto whole = node.value_exact<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto real = node.value_exact<double>()) return number_text(*real);
  if (const auto flag = node.value_exact<bool>()) return *flag ? "true" : "false";
  refuse(source, key, "is neither a string, a number, true nor false", "write one of these");
}

/// ["rope", "alibi"] as one value of a parameter that takes several names.
std::string joined_text(const toml::array& array, const std::string& key, const Source& source) {
  std::vector<std::string> names;
  for (const toml::node& node : array) names.push_back(scalar_text(node, key, source));
  return fmt::format("{}", fmt::join(names, "+"));
}

bool is_list(const ParamSpec& spec) {
  return spec.kind == ParamKind::choice_list || spec.kind == ParamKind::number_list;
}

std::string fixed_text(const ParamSpec& spec, const toml::node& node, const Source& source) {
  const toml::array* array = node.as_array();
  if (!array) return scalar_text(node, spec.key, source);
  if (is_list(spec)) return joined_text(*array, spec.key, source);
  refuse(source, spec.key, "is a list under [params]", "put lists under [sweep]");
}

SweepSpec::Axis swept_axis(const ParamSpec& spec, const toml::node& node, const Source& source) {
  const toml::array* array = node.as_array();
  if (!array) return read_axis(spec, scalar_text(node, spec.key, source));
  std::vector<std::string> values;
  for (const toml::node& item : *array) {
    const bool joined = is_list(spec) && item.is_array();
    values.push_back(joined ? joined_text(*item.as_array(), spec.key, source)
                            : scalar_text(item, spec.key, source));
  }
  if (values.empty()) refuse(source, spec.key, "is an empty list", "give at least one value");
  return {.key = spec.key, .values = std::move(values)};
}

const toml::table* table_at(const toml::table& root, const char* key, const Source& source) {
  const toml::node* node = root.get(key);
  if (!node) return nullptr;
  if (!node->is_table())
    refuse(source, key, "is not a table", fmt::format("write [{}] on its own line", key));
  return node->as_table();
}

/// Parameters of encodings have a dot in their key, which TOML reads as a nested table.
void flatten(const toml::table& table, const std::string& before,
             std::vector<std::pair<std::string, const toml::node*>>& entries) {
  for (const auto& [key, node] : in_written_order(table)) {
    const std::string name = before.empty() ? key : before + "." + key;
    if (node->is_table())
      flatten(*node->as_table(), name, entries);
    else
      entries.emplace_back(name, node);
  }
}

template <class AxisOf>
void read_axes(const toml::table* table, SweepSpec& spec, const Source& source, AxisOf axis_of) {
  if (!table) return;
  ParamSet trial(spec.experiment->info.params);
  std::vector<std::pair<std::string, const toml::node*>> entries;
  flatten(*table, "", entries);
  for (const auto& [key, node] : entries) try {
      SweepSpec::Axis axis = axis_of(trial.spec(key), *node);
      for (const std::string& value : axis.values) trial.set(key, value);
      put_axis(spec, std::move(axis));
    } catch (const UsageError& error) {
      const std::string_view what = error.what();
      if (what.starts_with(source.display_name)) throw;
      throw UsageError(source.display_name, what,
                       fmt::format("correct line {}", node->source().begin.line));
    }
}

void read_zips(const toml::table& root, SweepSpec& spec, const Source& source) {
  const toml::node* node = root.get("zip");
  if (!node) return;
  const toml::array* groups = node->as_array();
  if (!groups) refuse(source, "zip", "is not a list of lists", "write zip = [[\"dim\", \"base\"]]");
  spec.zips.clear();
  for (const toml::node& group : *groups) {
    const toml::array* keys = group.as_array();
    if (!keys) refuse(source, "zip", "is not a list of lists", "write zip = [[\"dim\", \"base\"]]");
    std::string joined;
    for (const toml::node& key : *keys) {
      if (!joined.empty()) joined += ",";
      joined += scalar_text(key, "zip", source);
    }
    add_zip(spec, joined);
  }
}

std::string preset_text(const std::string& name) {
  const std::vector<std::string> names = preset_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw_unknown_name(name, "a preset", names);
  return read_file(asset_path("presets/" + name + ".toml"), max_file_bytes);
}

SweepSpec read_preset(const std::string& name, std::vector<std::string> parents) {
  if (std::find(parents.begin(), parents.end(), name) != parents.end())
    throw UsageError(fmt::format("{} -> {}", fmt::join(parents, " -> "), name),
                     "is a cycle of parents", "remove one of them");
  parents.push_back(name);
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
  const std::string known = failure ? path.string() : real.string();
  if (std::find(parents.begin(), parents.end(), known) != parents.end())
    throw UsageError(fmt::format("{} -> {}", fmt::join(parents, " -> "), known),
                     "is a cycle of parents", "remove one of them");
  parents.push_back(known);
  SweepSpec spec = read_spec(
      read_file(path, max_file_bytes),
      {.display_name = path.string(), .parents = std::move(parents), .folder = path.parent_path()});
  spec.name = path.stem().string();
  return spec;
}

SweepSpec start_of(const toml::table& root, const Source& source) {
  const auto experiment = text_at(root, "experiment", source);
  const auto parent = text_at(root, "parent", source);
  SweepSpec spec;
  if (parent)
    spec = is_sweep_file(*parent) ? read_file_spec(source.folder / *parent, source.parents)
                                  : read_preset(*parent, source.parents);
  if (experiment) {
    const Experiment& named = find_experiment(*experiment);
    if (spec.experiment && spec.experiment != &named)
      refuse(source, "experiment = \"" + *experiment + "\"",
             fmt::format("differs from {}, which the parent {} runs", spec.experiment->info.name,
                         *parent),
             "remove the experiment or choose another parent");
    spec.experiment = &named;
  }
  if (!spec.experiment)
    refuse(source, "this file", "names neither an experiment nor a parent",
           "begin with experiment = \"long_term_decay\"");
  return spec;
}

SweepSpec read_spec(std::string_view text, const Source& source) {
  const toml::table root = parsed(text, source);
  require_known_keys(root, source);
  SweepSpec spec = start_of(root, source);
  spec.description = text_at(root, "description", source).value_or("");
  read_axes(table_at(root, "params", source), spec, source,
            [&](const ParamSpec& param, const toml::node& node) {
              return SweepSpec::Axis{.key = param.key, .values = {fixed_text(param, node, source)}};
            });
  read_axes(table_at(root, "sweep", source), spec, source,
            [&](const ParamSpec& param, const toml::node& node) {
              return swept_axis(param, node, source);
            });
  read_zips(root, spec, source);
  if (const auto repeats = integer_at(root, "repeats", 1, max_repeats, source))
    spec.repeats = static_cast<int>(*repeats);
  if (const auto draws = integer_at(root, "draws", 1, max_draws, source))
    spec.draws = static_cast<int>(*draws);
  if (const auto sampling = text_at(root, "sampling", source)) {
    if (*sampling != "latin" && *sampling != "random")
      refuse(source, "sampling", "is neither latin nor random", "write one of them");
    spec.latin = *sampling == "latin";
  }
  if (const auto seed = integer_at(root, "seed", 0, INT32_MAX, source)) spec.seed = *seed;
  if (const toml::node* paired = root.get("paired")) {
    const auto flag = paired->value_exact<bool>();
    if (!flag) refuse(source, "paired", "is neither true nor false", "write paired = false");
    spec.paired = *flag;
  }
  if (const auto out = text_at(root, "out", source)) spec.out = *out;
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

}  // namespace orrery::sweeps
