#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/results/result_json.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/catalogue_json.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/text/display_width.h"

namespace orrery {
namespace {

struct DescribeOptions {
  std::string name{};
  bool all{false}, json{false};
};

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
    case ParamKind::text:
      return "free text";
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
    const auto same = std::ranges::find_if(
        groups, [&](const auto& group) { return group.front()->group == spec.group; });
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
      "\nTables (orrery run attend NAME=FILE; random ones are drawn from the seed)\n";
  for (const auto& table : encoding.tables)
    text += fmt::format("  {} {}\n  {:25} {} Otherwise {}.\n", bold(padded(table.name, 25)),
                        table.shape, "", plain_text(table.description), plain_text(table.initial));
  const auto is_projection = [](const auto& table) { return table.shape == projection_shape; };
  if (std::ranges::any_of(encoding.tables, is_projection))
    text += fmt::format(
        "  {} are applied as x·W, and need weights=x_W; with weights=torch_linear they are\n"
        "  [heads·d_head, d_model], as the weight of a torch.nn.Linear.\n",
        projection_shape);
  return text;
}

constexpr std::size_t main_params = 5;

/// Those of `first`, what a desktop offers to move, then those that are read whatever others are.
std::vector<const ParamSpec*> most_telling(const std::vector<ParamSpec>& params,
                                           const std::vector<std::string>& first) {
  std::vector<const ParamSpec*> found;
  const auto add = [&](const ParamSpec& spec) {
    if (found.size() < main_params && std::ranges::find(found, &spec) == found.end())
      found.push_back(&spec);
  };
  for (const std::string& key : first)
    for (const ParamSpec& spec : params)
      if (spec.key == key) add(spec);
  for (const ParamSpec& spec : params)
    if (spec.group.empty() && !spec.used_when) add(spec);
  return found;
}

/// "rope, alibi, t5 …", as many as a line has room for.
std::string choice_names(const ParamSpec& spec) {
  constexpr std::size_t room = 60;
  std::string names;
  for (const Choice& choice : spec.choices) {
    if (names.size() + choice.name.size() > room) return names + " …";
    names += (names.empty() ? "" : ", ") + choice.name;
  }
  return names;
}

std::string brief_param_text(const ParamSpec& spec) {
  const std::string value = to_text(spec.default_value);
  const std::string range = spec.choices.empty() ? range_text(spec) : choice_names(spec);
  return fmt::format("  {} {}; default {}\n  {:18} {}\n", bold(padded(spec.key, 18)), range,
                     value.empty() ? "none" : value, "", plain_text(spec.description));
}

std::string heading_text(const ExperimentInfo& info) {
  return fmt::format("{} (experiment, version {})\n{}\n\n{}\n", bold(info.name), info.version,
                     info.title, plain_text(info.question));
}

std::string example_text(const ExperimentInfo& info) {
  return fmt::format("\nExample\n  orrery run {}\n", info.name);
}

/// What one screen has room for.
std::string brief_params_text(const std::string& name, const std::vector<ParamSpec>& params,
                              const std::vector<std::string>& first) {
  const std::vector<const ParamSpec*> shown = most_telling(params, first);
  std::string text = shown.empty() ? "" : "\nMain parameters\n";
  for (const ParamSpec* spec : shown) text += brief_param_text(*spec);
  if (shown.size() == params.size())
    return text + fmt::format("\nAll choices and equations: orrery describe {} --all\n", name);
  return text + fmt::format("\n{} more, all choices and equations: orrery describe {} --all\n",
                            params.size() - shown.size(), name);
}

void describe_briefly(const ExperimentInfo& info) {
  std::string text = heading_text(info);
  const std::vector<std::string> equations = equations_of(info);
  if (!equations.empty()) text += "\n  " + equations.front() + "\n";
  print(text + brief_params_text(info.name, info.params, info.view.controls) + example_text(info));
}

void describe_experiment(const ExperimentInfo& info) {
  std::string text = heading_text(info);
  text += "\nEquations\n";
  for (const std::string& equation : equations_of(info)) text += "  " + equation + "\n";
  print(text + params_text(info.params) + example_text(info));
}

void describe_encoding(const EncodingSummary& encoding, bool all) {
  std::vector<std::string> formulas = formula_texts(encoding.formulas);
  constexpr std::size_t brief_formulas = 2;
  if (!all && formulas.size() > brief_formulas) formulas.resize(brief_formulas);
  std::string text = fmt::format(
      "{} (encoding)\n{}\n\n{}\n\n  {}\n\nSource  {}\nDoors   {}\n", bold(encoding.name),
      encoding.title, plain_text(encoding.statement), fmt::join(formulas, "\n  "), encoding.source,
      encoding.doors.empty() ? "none" : fmt::format("{}", fmt::join(encoding.doors, ", ")));
  text += all ? params_text(encoding.params) + tables_text(encoding)
              : brief_params_text(encoding.name, encoding.params, {});
  text += fmt::format("\nExample\n  orrery run attention_map encoding={}\n", encoding.name);
  print(text);
}

void describe_preset(const SweepSpec& preset) {
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

int describe_name(const DescribeOptions& options) {
  if (options.json) {
    print(json_text(description_json(options.name)));
    return exit_ok;
  }
  if (const Experiment* experiment = known_experiment(options.name))
    (options.all ? describe_experiment : describe_briefly)(experiment->info);
  else if (const EncodingSummary* encoding = find_encoding_summary(options.name))
    describe_encoding(*encoding, options.all);
  else
    describe_preset(find_preset(options.name));
  return exit_ok;
}

}  // namespace

Command describe_command() {
  const auto o = std::make_shared<DescribeOptions>();
  Command command{"describe",
                  "Describe an experiment, an encoding or a preset, with equations and parameters",
                  [o] { return describe_name(*o); }};
  command.options = {{"NAME", &o->name, "An experiment, an encoding or a preset", required()},
                     {"--all", &o->all, "Every parameter, choice and equation"},
                     {"--json", &o->json, "As JSON"}};
  command.footer = R"(Examples:
  orrery describe long_term_decay
  orrery describe deberta

Each of "params" with --json says which values it takes, by its "kind":
  boolean       true or false
  integer       a whole number from min to max, both included, a multiple of multiple_of
  real          a number from min to max, both included
  choice        the name of one of choices
  choice_list   names of choices joined by +, each once; none only if may_be_empty
  number_list   numbers from min to max joined by +; none only if may_be_empty
  file          a path; file_types are the extensions that are read, * any
  text          any text
logarithmic: numbers of every size matter alike. used_when: the parameter is read only
while the one called key is, or contains, one of any_of (an empty name: while no file is
given; *: while one is), and is refused otherwise.)";
  return command;
}

}  // namespace orrery
