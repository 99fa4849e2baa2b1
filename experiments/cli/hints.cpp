#include "experiments/cli/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/lessons/library.h"
#include "experiments/reports/report_parts.h"
#include "experiments/results/manifest.h"
#include "experiments/results/saved_result.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/text/ascii.h"
#include "experiments/text/shell_quote.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

/// What papers and other programs call an encoding.
constexpr std::array<std::pair<const char*, const char*>, 8> other_encodings{{
    {"rotary", "rope"},
    {"roformer", "rope"},
    {"nope", "none"},
    {"absolute", "learned"},
    {"fourier", "sinusoidal"},
    {"relative", "shaw"},
    {"mrope", "axis_rope"},
    {"forgetting", "fox"},
}};

bool has_choice(const ParamSpec& spec, const std::string& name) {
  return std::ranges::any_of(spec.choices, [&](const Choice& choice) {
    return lower_ascii(choice.name) == lower_ascii(name);
  });
}

/// An encoding's parameter that has this choice, and the encoding.
std::optional<std::pair<std::string, std::string>> setting_with_choice(const std::string& name) {
  for (const EncodingSummary& encoding : encoding_list())
    for (const ParamSpec& spec : encoding.params)
      if (has_choice(spec, name)) return std::pair(encoding.name, spec.key);
  return std::nullopt;
}

std::string encoding_called(const std::string& name) {
  for (const EncodingSummary& encoding : encoding_list())
    if (encoding.name == lower_ascii(name)) return encoding.name;
  for (const auto& [other, encoding] : other_encodings)
    if (lower_ascii(name) == other) return encoding;
  return {};
}

/// "plan", "plan and sweep", "plan, resume and sweep".
std::string enumerated(const Words& words) {
  if (words.size() < 2) return words.empty() ? std::string() : words.front();
  return fmt::format("{} and {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

void suggest_for_folder(const std::string& name) {
  const std::string quoted = shell_line({name});
  if (is_sweep_folder(name))
    throw UsageError(name, "is the folder of a sweep",
                     fmt::format("orrery resume {0} computes what is left, orrery report {0} and "
                                 "orrery plot {0} show it",
                                 quoted));
  std::error_code failure;
  if (fs::exists(fs::path(name) / "manifest.json", failure))
    throw UsageError(
        name, "is the folder of a result",
        fmt::format("orrery redraw {0} draws it again, orrery report {0} shows it, and "
                    "its settings with other values are orrery run again",
                    quoted));
}

/// "orrery run rotation dim=64 …" of the result in this folder.
std::string command_of(const fs::path& folder) {
  return run_command_line(experiment_of(SavedFolder(folder).manifest()), "");
}

void suggest_for_manifest(const std::string& name) {
  const fs::path path(name);
  std::error_code failure;
  if (path.filename() != "manifest.json" || !fs::exists(path, failure)) return;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (is_sweep_folder(folder)) suggest_for_folder(folder.string());
  std::string command;
  try {
    command = command_of(folder);
  } catch (const std::exception&) {
    return;  // not one of ours
  }
  throw UsageError(name, "says how a result was made, and is no sweep file",
                   fmt::format("make it again with {}", command));
}

/// "rope.pairing" and the encodings that have it, for "pairing".
std::pair<std::string, Words> encoding_parameter(const std::string& name) {
  std::pair<std::string, Words> found;
  for (const EncodingSummary& encoding : encoding_list())
    for (const ParamSpec& spec : encoding.params) {
      if (spec.key != name && !spec.key.ends_with("." + name)) continue;
      if (found.first.empty()) found.first = spec.key;
      if (spec.key == found.first) found.second.push_back(encoding.name);
    }
  return found;
}

void suggest_for_parameter(const std::string& name) {
  const auto [key, encodings] = encoding_parameter(name);
  if (!encodings.empty()) {
    const bool rope = std::ranges::count(encodings, "rope") > 0;
    const std::string of = "a parameter of " + enumerated(encodings);
    throw UsageError(name, key == name ? "is " + of : fmt::format("is {}, {}", key, of),
                     fmt::format("orrery describe {} explains it",
                                 rope ? std::string("rope") : encodings.front()));
  }
  for (const Experiment* experiment : experiment_catalogue())
    for (const ParamSpec& spec : experiment->info.params)
      if (spec.key == name)
        throw UsageError(name, fmt::format("is a parameter of {}", experiment->info.name),
                         fmt::format("orrery describe {} explains it", experiment->info.name));
}

/// For a NAME that is neither an experiment, a preset nor a sweep file: throws a UsageError that
/// says what it is instead: the folder of a result or a sweep, a manifest, an encoding, a
/// parameter, or a choice of one. Returns when it is none of these.
void suggest_for_name(const std::string& name) {
  if (name == "model_answers")
    throw UsageError(name, "was parted into four experiments",
                     "type lens, patch, repeat or needle in place of ask=");
  suggest_for_folder(name);
  suggest_for_manifest(name);
  if (const std::string encoding = encoding_called(name); !encoding.empty())
    throw UsageError(name, fmt::format("is an encoding, {}", encoding),
                     fmt::format("orrery describe {0} explains it, and orrery run long_term_decay "
                                 "encoding={0} runs an experiment with it",
                                 encoding));
  suggest_for_parameter(name);
  if (const auto setting = setting_with_choice(name))
    throw UsageError(
        name, fmt::format("is a choice of {}", setting->second),
        fmt::format("orrery describe {0} explains it, and encoding={0} {1}={2} sets it",
                    setting->first, setting->second, lower_ascii(name)));
}

/// For "KEY=VALUE: must be one of …": throws a UsageError with what papers and other programs mean
/// by that value, or with the parameter of the same experiment or encoding that has it. Returns
/// when there is none.
/// @param message  of the error that was thrown
void suggest_for_value(const std::string& message) {
  const std::size_t equals = message.find('=');
  const std::size_t colon = message.find(": must be one of ");
  if (equals == std::string::npos || colon == std::string::npos || equals > colon) return;
  const std::string key = message.substr(0, equals);
  const std::string value = message.substr(equals + 1, colon - equals - 1);
  if (key != "encoding") return;
  const std::string rule = "is not an encoding";
  if (const std::string encoding = encoding_called(value); !encoding.empty())
    throw UsageError(message.substr(0, colon), rule,
                     fmt::format("did you mean encoding={}?", encoding));
  if (const auto setting = setting_with_choice(value))
    throw UsageError(message.substr(0, colon), rule,
                     fmt::format("did you mean encoding={} {}={}?", setting->first, setting->second,
                                 lower_ascii(value)));
}

/// For "dim=64..128: must be a whole number" and "dim=64:128:32": throws a UsageError with how a
/// sweep takes several values.
void suggest_range(const std::string& message) {
  const std::size_t equals = message.find('='), colon = message.find(": must be a ");
  if (equals == std::string::npos || colon == std::string::npos || equals > colon) return;
  std::string value = message.substr(equals + 1, colon - equals - 1);
  for (std::size_t dots; (dots = value.find("..")) != std::string::npos;)
    value.replace(dots, 2, ":");
  const auto marks = std::ranges::count(value, ':');
  if (value.find_first_not_of("0123456789.:") != std::string::npos || marks < 1 || marks > 2)
    return;
  std::ranges::replace(value, ':', ',');
  throw UsageError(message.substr(0, colon), "is not one value",
                   fmt::format("orrery sweep takes several: {}=range({}{})",
                               message.substr(0, equals), value, marks == 1 ? ",STEP" : ""));
}

/// What papers, captions and other programs call a parameter.
constexpr std::array<std::pair<const char*, const char*>, 21> other_names{{
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
    {"max_len", "max_length"},
    {"max_len", "max_tokens"},
    {"max_len", "max_distance"},
    {"context_length", "max_length"},
    {"context_length", "max_tokens"},
    {"context_length", "max_distance"},
    {"n_heads", "heads"},
    {"mask", "causal"},
}};

/// "max_distance" in "--max-distance=4" and "max_distance=4".
std::string key_in(const std::string& word) {
  std::string key = word.substr(0, word.find('='));
  key.erase(0, key.find_first_not_of('-'));
  std::ranges::replace(key, '-', '_');
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
    if (lower_ascii(key) == other && std::ranges::count(parameters, parameter) > 0)
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
    if (other.name != command.name && std::ranges::count(options, option) > 0)
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
  if (key_in(word) == "o" || key_in(word) == "output")
    throw UsageError(typed, "is not an option", "did you mean --out?");
  if (typed == "--dry-run")
    throw UsageError(typed, "is not an option", "orrery plan shows what a sweep would compute");
  suggest_elsewhere(commands, command, word);
  if (!word.starts_with("--")) return;
  const Words options = option_names(command.options);
  Words names = options;
  for (const std::string& parameter : parameters) names.push_back("--" + parameter);
  // Where a parameter is nearer than any option, `error` suggests it already.
  if (const std::string name = nearest_name(typed, names);
      std::ranges::find(options, name) != options.end())
    throw UsageError(typed, "is neither an option nor a parameter here",
                     fmt::format("did you mean {}?", name));
}

/// Throws UsageError for an experiment, and for commands that became experiments.
void suggest_experiment(const std::string& word) {
  const std::string name = word == "what_if"     ? "model_heads"
                           : word == "positions" ? "model_layers"
                                                 : word;
  const Experiment* experiment = known_experiment(name);
  if (!experiment) return;
  const std::vector<ParamSpec>& specs = experiment->info.params;
  const bool asks_model = std::ranges::any_of(specs, [](const ParamSpec& spec) {
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

/// In place of all parameters, which are too many to read: those of the experiment's own.
void suggest_list(const Command& command, const std::string& message, const Words& parameters) {
  const std::size_t rule = message.find(": is not a parameter here; the parameters are ");
  if (rule == std::string::npos) return;
  Words own;
  for (const std::string& parameter : parameters)
    if (parameter.find('.') == std::string::npos && own.size() < 10) own.push_back(parameter);
  throw UsageError(
      message.substr(0, rule), fmt::format("is not a parameter of {}", name_in(command)),
      fmt::format("orrery describe {} lists them: {}, …", name_in(command), fmt::join(own, ", ")));
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
  suggest_range(message);
  const Words parameters = parameters_of(command);
  if (!command.words) return;
  for (const std::string& word : *command.words) {
    const std::string key = key_in(word);
    const bool known = std::ranges::find(parameters, key) != parameters.end();
    if (known || !message.starts_with(
                     word.starts_with("--") ? key + ":" : word.substr(0, word.find('=')) + ":"))
      continue;
    suggest(commands, command, word, parameters);
    suggest_list(command, message, parameters);
  }
}

void check_first_word(const std::string& word) {
  suggest_experiment(word);
  suggest_command(word);
  const Words options = option_names(program_options());
  if (std::ranges::find(options, "--" + word) != options.end())
    throw UsageError(word, "is not a command", fmt::format("did you mean --{}?", word));
  const std::string typed = word.substr(0, word.find('='));
  if (!word.starts_with("--") || std::ranges::count(options, typed) > 0) return;
  throw_unknown_name(typed, "an option before a command", options);
}

void check_lesson_action(const Command& lesson, const std::string& word) {
  const Words& actions = lesson.options.front().rules.choices;
  if (std::ranges::count(actions, word) > 0 || !is_lesson(word)) return;
  throw UsageError(word, "is a lesson",
                   fmt::format("orrery lesson play {0} opens it, and orrery lesson print {0} "
                               "makes a page of it",
                               word));
}

}  // namespace orrery
