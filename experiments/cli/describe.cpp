#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/arrays/attend.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/text/display_width.h"

namespace orrery::cli {
namespace {

using nlohmann::ordered_json;

std::string range_text(const ParamSpec& spec) {
  switch (spec.kind) {
    case ParamKind::boolean:
      return "true or false";
    case ParamKind::choice:
      return "one of those below";
    case ParamKind::choice_list:
      return spec.may_be_empty ? "any of those below, joined by +"
                               : "one or more of those below, joined by +";
    case ParamKind::number_list:
      return fmt::format("numbers joined by +, {} … {}", number_text(spec.min),
                         number_text(spec.max));
    case ParamKind::file:
      return "a file";
    case ParamKind::integer:
    case ParamKind::real:
      break;
  }
  std::string text = fmt::format("{} … {}", number_text(spec.min), number_text(spec.max));
  if (!spec.unit.empty()) text += " " + spec.unit;
  if (spec.multiple_of == 2) text += ", even";
  return text;
}

std::string condition_text(const Condition& condition) {
  if (condition.any_of == std::vector<std::string>{""})
    return fmt::format("read only when {} is not given", condition.key);
  if (condition.any_of == std::vector<std::string>{"*"})
    return fmt::format("read only when {} is given", condition.key);
  return fmt::format("read only when {} is {}", condition.key, fmt::join(condition.any_of, " or "));
}

std::string param_text(const ParamSpec& spec) {
  const std::string written = plain_text(spec.symbol);
  const std::string symbol = written == spec.key ? "" : written;
  const std::string value = to_text(spec.default_value);
  std::string text =
      fmt::format("  {} {} {}\n", bold(padded(spec.key, 18)), padded(symbol, 6),
                  fmt::format("{}; default {}", range_text(spec), value.empty() ? "none" : value));
  text += fmt::format("  {:25} {}\n", "", plain_text(spec.description));
  for (const Choice& choice : spec.choices)
    text += fmt::format("  {:25}   {} {}\n", "", padded(choice.name, 14),
                        plain_text(choice.description));
  if (spec.used_when) text += fmt::format("  {:25} ({})\n", "", condition_text(*spec.used_when));
  return text;
}

std::string short_condition(const ParamSpec& spec) {
  if (!spec.used_when) return "";
  return fmt::format("  [{}={}]", spec.used_when->key, fmt::join(spec.used_when->any_of, " or "));
}

/// A group of parameters with the same choices: the choices once, then one line per parameter.
std::string group_text(const std::vector<const ParamSpec*>& group) {
  const ParamSpec& first = *group.front();
  std::string text = fmt::format("\n{} (each {}; default {}; in brackets: when it is read)\n",
                                 first.group, range_text(first), to_text(first.default_value));
  for (const Choice& choice : first.choices)
    text += fmt::format("  {} {}\n", padded(choice.name, 18), plain_text(choice.description));
  text += "\n";
  for (const ParamSpec* spec : group)
    text += fmt::format("  {} {}{}\n", bold(padded(spec->key, 18)), plain_text(spec->description),
                        short_condition(*spec));
  return text;
}

/// The groups, in the order of their first parameters.
std::vector<std::vector<const ParamSpec*>> groups_of(const std::vector<ParamSpec>& params) {
  std::vector<std::vector<const ParamSpec*>> groups;
  for (const ParamSpec& spec : params) {
    if (spec.group.empty()) continue;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return group.front()->group == spec.group;
    });
    if (same == groups.end())
      groups.push_back({&spec});
    else
      same->push_back(&spec);
  }
  return groups;
}

std::string params_text(const std::vector<ParamSpec>& params) {
  if (params.empty()) return "";
  std::string text = "\nParameters (key, symbol, range; default)\n";
  for (const ParamSpec& spec : params)
    if (spec.group.empty()) text += param_text(spec);
  for (const auto& group : groups_of(params)) text += group_text(group);
  return text;
}

std::string tables_text(const EncodingSummary& encoding) {
  if (encoding.tables.empty()) return "";
  std::string text =
      "\nTables (orrery attend --table NAME=FILE; random ones are drawn from the seed)\n";
  for (const auto& table : encoding.tables)
    text += fmt::format("  {} {}\n  {:25} {} Otherwise {}.\n", bold(padded(table.name, 25)),
                        table.shape, "", plain_text(table.description), plain_text(table.initial));
  const auto is_projection = [](const auto& table) { return table.shape == projection_shape; };
  if (std::any_of(encoding.tables.begin(), encoding.tables.end(), is_projection))
    text += fmt::format(
        "  {} are applied as x·W, and need weights=x_W; with weights=torch_linear they are\n"
        "  [heads·d_head, d_model], as the weight of a torch.nn.Linear.\n",
        projection_shape);
  return text;
}

ordered_json tables_json(const EncodingSummary& encoding) {
  ordered_json list = ordered_json::array();
  for (const auto& table : encoding.tables)
    list.push_back({{"name", table.name},
                    {"shape", table.shape},
                    {"description", plain_text(table.description)},
                    {"initial", plain_text(table.initial)}});
  return list;
}

const char* kind_name(ParamKind kind) {
  switch (kind) {
    case ParamKind::boolean:
      return "boolean";
    case ParamKind::integer:
      return "integer";
    case ParamKind::real:
      return "real";
    case ParamKind::choice:
      return "choice";
    case ParamKind::choice_list:
      return "choice_list";
    case ParamKind::number_list:
      return "number_list";
    case ParamKind::file:
      break;
  }
  return "file";
}

/// As the help of `describe` states it: enough to write valid values.
ordered_json param_json(const ParamSpec& spec) {
  ordered_json json{{"key", spec.key},
                    {"kind", kind_name(spec.kind)},
                    {"symbol", plain_text(spec.symbol)},
                    {"unit", spec.unit},
                    {"description", plain_text(spec.description)},
                    {"default", to_text(spec.default_value)}};
  const bool is_number = spec.kind == ParamKind::integer || spec.kind == ParamKind::real;
  const bool is_list = spec.kind == ParamKind::choice_list || spec.kind == ParamKind::number_list;
  if (is_number || spec.kind == ParamKind::number_list) {
    json["min"] = spec.min;
    json["max"] = spec.max;
  }
  if (spec.kind == ParamKind::integer) json["multiple_of"] = spec.multiple_of;
  if (is_number) json["logarithmic"] = spec.logarithmic;
  if (is_list) json["may_be_empty"] = spec.may_be_empty;
  if (spec.kind == ParamKind::file) json["file_types"] = spec.file_types;
  if (!spec.group.empty()) json["group"] = spec.group;
  for (const Choice& choice : spec.choices)
    json["choices"].push_back(
        {{"name", choice.name}, {"description", plain_text(choice.description)}});
  if (spec.used_when)
    json["used_when"] = {{"key", spec.used_when->key}, {"any_of", spec.used_when->any_of}};
  return json;
}

ordered_json params_json(const std::vector<ParamSpec>& params) {
  ordered_json list = ordered_json::array();
  for (const ParamSpec& spec : params) list.push_back(param_json(spec));
  return list;
}

/// "θ = base  [sec. 3.3]"
std::string sourced_text(const Formula& formula) {
  const std::string text = formula_text(formula.tex);
  return formula.source.empty() ? text : fmt::format("{}  [{}]", text, formula.source);
}

std::vector<std::string> formula_texts(const std::vector<Formula>& formulas) {
  std::vector<std::string> texts;
  for (const Formula& formula : formulas) texts.push_back(sourced_text(formula));
  return texts;
}

std::vector<std::string> equations_of(const ExperimentInfo& info) {
  std::vector<std::string> texts = formula_texts(info.formulas);
  for (const FormulasOfChoice& choice : info.formulas_of_choices)
    for (const Formula& formula : choice.formulas)
      texts.push_back(fmt::format("{}={}: {}", choice.key, choice.value, sourced_text(formula)));
  return texts;
}

void describe_experiment(const ExperimentInfo& info, bool json) {
  if (json) {
    const ordered_json object{{"experiment", info.name},
                              {"version", info.version},
                              {"title", info.title},
                              {"question", plain_text(info.question)},
                              {"equations", equations_of(info)},
                              {"params", params_json(info.params)}};
    print(object.dump(2) + "\n");
    return;
  }
  std::string text = fmt::format("{} (experiment, version {})\n{}\n\n{}\n", bold(info.name),
                                 info.version, info.title, plain_text(info.question));
  text += "\nEquations\n";
  for (const std::string& equation : equations_of(info)) text += "  " + equation + "\n";
  text += params_text(info.params);
  text += fmt::format("\nExample\n  orrery run {}\n", info.name);
  print(text);
}

void describe_encoding(const EncodingSummary& encoding, bool json) {
  if (json) {
    const ordered_json object{{"encoding", encoding.name},
                              {"label", encoding.label},
                              {"title", encoding.title},
                              {"statement", plain_text(encoding.statement)},
                              {"formulas", formula_texts(encoding.formulas)},
                              {"source", encoding.source},
                              {"doors", encoding.doors},
                              {"params", params_json(encoding.params)},
                              {"tables", tables_json(encoding)}};
    print(object.dump(2) + "\n");
    return;
  }
  std::string text = fmt::format(
      "{} (encoding)\n{}\n\n{}\n\n  {}\n\nSource  {}\nDoors   {}\n", bold(encoding.name),
      encoding.title, plain_text(encoding.statement),
      fmt::join(formula_texts(encoding.formulas), "\n  "), encoding.source,
      encoding.doors.empty() ? "none" : fmt::format("{}", fmt::join(encoding.doors, ", ")));
  text += params_text(encoding.params);
  text += tables_text(encoding);
  text += fmt::format("\nExample\n  orrery run attention_map encoding={}\n", encoding.name);
  print(text);
}

ordered_json preset_json(const SweepSpec& preset) {
  ordered_json values = ordered_json::object();
  for (const SweepSpec::Axis& axis : preset.axes) values[axis.key] = axis.values;
  return {{"preset", preset.name},
          {"experiment", preset.experiment->info.name},
          {"description", preset.description},
          {"values", std::move(values)},
          {"zip", preset.zips},
          {"repeats", preset.repeats},
          {"seed", preset.seed}};
}

void describe_preset(const SweepSpec& preset, bool json) {
  if (json) return print(preset_json(preset).dump(2) + "\n");
  std::string text = fmt::format("{} (preset of {})\n{}\n\nSets\n", bold(preset.name),
                                 preset.experiment->info.name, preset.description);
  bool sweeps = preset.repeats > 1;
  for (const SweepSpec::Axis& axis : preset.axes) {
    text += fmt::format("  {} = {}\n", axis.key, fmt::join(axis.values, ", "));
    sweeps = sweeps || axis.values.size() > 1;
  }
  if (preset.repeats > 1) text += fmt::format("  {} repeats\n", preset.repeats);
  print(text + fmt::format("\nExample\n  orrery {} {}\n", sweeps ? "sweep" : "run", preset.name));
}

[[noreturn]] void refuse(const std::string& name) {
  std::vector<std::string> names;
  for (const Experiment* experiment : experiment_catalogue())
    names.push_back(experiment->info.name);
  for (const EncodingSummary& encoding : encoding_list()) names.push_back(encoding.name);
  for (const std::string& preset : preset_names()) names.push_back(preset);
  throw UsageError(name, "is neither an experiment, an encoding nor a preset",
                   remedy_for_unknown(name, names, "orrery list shows all names"));
}

}  // namespace

int describe_command(const DescribeOptions& options) {
  if (const Experiment* experiment = known_experiment(options.name)) {
    describe_experiment(experiment->info, options.json);
    return exit_ok;
  }
  if (const EncodingSummary* encoding = find_encoding_summary(options.name)) {
    describe_encoding(*encoding, options.json);
    return exit_ok;
  }
  const std::vector<std::string> presets = preset_names();
  if (std::find(presets.begin(), presets.end(), options.name) == presets.end())
    refuse(options.name);
  describe_preset(preset_named(options.name), options.json);
  return exit_ok;
}

}  // namespace orrery::cli
