#include "experiments/cli/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/unknown_name.h"
#include "experiments/cli/name_hints.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

/// What papers, captions and other programs call a parameter.
constexpr std::array<std::pair<const char*, const char*>, 15> other_names{{
    {"d", "dim"},
    {"d_head", "dim"},
    {"d_model", "dim"},
    {"head_dim", "dim"},
    {"theta", "base"},
    {"rope_theta", "base"},
    {"rotary_base", "base"},
    {"n", "max_length"},
    {"n", "max_tokens"},
    {"n", "max_distance"},
    {"seq_len", "max_length"},
    {"seq_len", "max_tokens"},
    {"seq_len", "max_distance"},
    {"n_heads", "heads"},
    {"mask", "causal"},
}};

/// "max_distance" in "--max-distance=4" and "max_distance=4".
std::string key_in(const std::string& word) {
  std::string key = word.substr(0, word.find('='));
  key.erase(0, key.find_first_not_of('-'));
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

/// What the user gave as NAME; empty where the command has none.
std::string name_in(const Command& command) {
  for (const Option& option : command.options)
    if (option.name == "NAME")
      if (const auto* name = std::get_if<std::string*>(&option.target)) return **name;
  return {};
}

/// The parameters of the experiment that the command names; none when it names no experiment.
Words parameters_of(const Command& command) try {
  Words keys;
  const std::string name = name_in(command);
  if (name.empty()) return keys;
  for (const ParamSpec& spec : sweep_spec_named(name).experiment->info.params)
    keys.push_back(spec.key);
  return keys;
} catch (const Error&) {
  return {};
}

std::string parameter_meant(const std::string& key, const Words& parameters) {
  for (const std::string& parameter : parameters)
    if (lower_ascii(key) == lower_ascii(parameter)) return parameter;
  for (const auto& [other, parameter] : other_names)
    if (lower_ascii(key) == other &&
        std::count(parameters.begin(), parameters.end(), parameter) > 0)
      return parameter;
  return {};
}

/// "rope.factor" for "factor"; several are joined by "or".
std::string with_encoding(const std::string& key, const Words& parameters) {
  Words found;
  for (const std::string& parameter : parameters)
    if (parameter.ends_with("." + key)) found.push_back(parameter);
  return fmt::format("{}", fmt::join(found, " or "));
}

/// The other commands that have an option, such as --repeats.
Words commands_with(const std::vector<Command>& commands, const Command& command,
                    const std::string& option) {
  Words found;
  for (const Command& other : commands) {
    const Words options = option_names(other.options);
    if (other.name != command.name && std::count(options.begin(), options.end(), option) > 0)
      found.push_back(other.name);
  }
  return found;
}

/// The experiments that have a parameter, at most three.
std::string experiments_with(const std::string& key) {
  constexpr std::size_t most = 3;
  Words found;
  for (const Experiment* experiment : experiment_catalogue())
    for (const ParamSpec& spec : experiment->info.params)
      if (spec.key == key && found.size() < most) found.push_back(experiment->info.name);
  return fmt::format("{}", fmt::join(found, ", "));
}

void suggest_parameter(const std::string& word, const Words& parameters) {
  const std::string typed = word.substr(0, word.find('='));
  const std::string key = key_in(word);
  if (const std::string meant = parameter_meant(key, parameters); !meant.empty())
    throw UsageError(typed, "is not a parameter here",
                     word == "mask=causal" ? "did you mean causal=true?"
                                           : fmt::format("did you mean {}?", meant));
  if (const std::string meant = with_encoding(key, parameters); !meant.empty())
    throw UsageError(typed, "is not a parameter here", fmt::format("did you mean {}?", meant));
}

/// "plan", "plan and sweep", "plan, resume and sweep".
std::string enumerated(const Words& words) {
  if (words.size() < 2) return words.empty() ? std::string() : words.front();
  return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

void suggest_elsewhere(const std::vector<Command>& commands, const Command& command,
                       const std::string& word) {
  const std::string typed = word.substr(0, word.find('='));
  if (const Words others = commands_with(commands, command, typed);
      typed.starts_with("--") && !others.empty())
    throw UsageError(typed, fmt::format("is not an option of {}", command.name),
                     fmt::format("{} {} it: orrery help {}", enumerated(others),
                                 others.size() == 1 ? "has" : "have", others.front()));
  if (const std::string others = experiments_with(key_in(word));
      !others.empty() && !name_in(command).empty())
    throw UsageError(typed, fmt::format("is not a parameter of {}", name_in(command)),
                     fmt::format("it is one of {}", others));
}

void suggest(const std::vector<Command>& commands, const Command& command, const std::string& word,
             const Words& parameters) {
  suggest_parameter(word, parameters);
  const std::string typed = word.substr(0, word.find('='));
  if (typed == "--dry-run")
    throw UsageError(typed, "is not an option", "orrery plan shows what a sweep would compute");
  suggest_elsewhere(commands, command, word);
  if (!word.starts_with("--")) return;
  const Words options = option_names(command.options);
  Words names = options;
  for (const std::string& parameter : parameters) names.push_back("--" + parameter);
  // Where a parameter is nearer than any option, `error` suggests it already.
  if (const std::string name = nearest_name(typed, names);
      std::find(options.begin(), options.end(), name) != options.end())
    throw UsageError(typed, "is neither an option nor a parameter here",
                     fmt::format("did you mean {}?", name));
}

/// Throws UsageError for an experiment, and for commands that became experiments.
void suggest_experiment(const std::string& word) {
  const std::string name = word == "what_if" ? "model_heads" : word;
  const Experiment* experiment = known_experiment(name);
  if (!experiment) return;
  const std::vector<ParamSpec>& specs = experiment->info.params;
  const bool asks_model = std::any_of(specs.begin(), specs.end(), [](const ParamSpec& spec) {
    return spec.key == "model" && spec.kind == ParamKind::file;
  });
  throw UsageError(word, "is an experiment and no command",
                   fmt::format("type orrery run {}{}{}", name, asks_model ? " model=MODEL" : "",
                               word == "what_if" ? " edit=EDITS" : ""));
}

/// Throws UsageError for commands that became part of others.
void suggest_command(const std::string& word) {
  for (const auto& [name, other, words] : {std::tuple("families", "list", "list families"),
                                           std::tuple("tag", "note", "note DIR --tag TAG")})
    if (word == name)
      throw UsageError(word, fmt::format("is part of {} and no command", other),
                       fmt::format("type orrery {}", words));
}

}  // namespace

void suggest_better(const std::vector<Command>& commands, const Command& command,
                    const Error& error) {
  const std::string message = error.what();
  if (message.starts_with("mask=causal:"))
    throw UsageError("mask=causal", "names no file of a mask", "write causal=true");
  if (const std::string name = name_in(command);
      message.starts_with(name + ": is neither an experiment") || name.ends_with("manifest.json"))
    suggest_for_name(name);
  suggest_for_value(message);
  const Words parameters = parameters_of(command);
  if (!command.words) return;
  for (const std::string& word : *command.words) {
    const std::string key = key_in(word);
    const bool known = std::find(parameters.begin(), parameters.end(), key) != parameters.end();
    if (!known && message.starts_with(key + ":")) suggest(commands, command, word, parameters);
  }
}

void check_first_word(const std::string& word) {
  suggest_experiment(word);
  suggest_command(word);
  const Words options = option_names(program_options());
  if (std::find(options.begin(), options.end(), "--" + word) != options.end())
    throw UsageError(word, "is not a command", fmt::format("did you mean --{}?", word));
  const std::string typed = word.substr(0, word.find('='));
  if (!word.starts_with("--") || std::count(options.begin(), options.end(), typed) > 0) return;
  throw_unknown_name(typed, "an option before a command", options);
}

}  // namespace orrery
