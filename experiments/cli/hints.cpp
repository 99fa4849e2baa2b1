#include "experiments/cli/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "core/unknown_name.h"
#include "experiments/cli/declare.h"
#include "experiments/sweeps/sweep_spec.h"

namespace orrery::cli {
namespace {

using Words = std::vector<std::string>;

/// What papers, captions and other programs call a parameter.
constexpr std::array<std::pair<const char*, const char*>, 14> other_names{{
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
}};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// "max_distance" in "--max-distance=4" and "max_distance=4".
std::string key_in(const std::string& word) {
  std::string key = word.substr(0, word.find('='));
  key.erase(0, key.find_first_not_of('-'));
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

/// The parameters of the experiment that the command names; none when it names no experiment.
Words parameters_of(const CLI::App& command) try {
  const CLI::Option* name = command.get_option_no_throw("NAME");
  Words keys;
  if (!name || name->results().empty()) return keys;
  for (const ParamSpec& spec : sweep_spec_named(name->results().front()).experiment->info.params)
    keys.push_back(spec.key);
  return keys;
} catch (const Error&) {
  return {};
}

std::string parameter_meant(const std::string& key, const Words& parameters) {
  for (const std::string& parameter : parameters)
    if (lower(key) == lower(parameter)) return parameter;
  for (const auto& [other, parameter] : other_names)
    if (lower(key) == other && std::count(parameters.begin(), parameters.end(), parameter) > 0)
      return parameter;
  return {};
}

void suggest(const CLI::App& command, const std::string& word, const Words& parameters) {
  const std::string typed = word.substr(0, word.find('='));
  if (const std::string meant = parameter_meant(key_in(word), parameters); !meant.empty())
    throw UsageError(typed, "is not a parameter here", fmt::format("did you mean {}?", meant));
  if (!word.starts_with("--")) return;
  if (typed == "--dry-run")
    throw UsageError(typed, "is not an option", "orrery plan shows what a sweep would compute");
  const Words options = option_names(command);
  Words names = options;
  for (const std::string& parameter : parameters) names.push_back("--" + parameter);
  // Where a parameter is nearer than any option, `error` suggests it already.
  if (const std::string name = nearest_name(typed, names);
      std::find(options.begin(), options.end(), name) != options.end())
    throw UsageError(typed, "is neither an option nor a parameter here",
                     fmt::format("did you mean {}?", name));
}

}  // namespace

void suggest_better(const CLI::App& command, const UsageError& error) {
  const Words parameters = parameters_of(command);
  for (const std::string& word : command.remaining()) {
    const std::string key = key_in(word);
    const bool known = std::find(parameters.begin(), parameters.end(), key) != parameters.end();
    if (!known && std::string_view(error.what()).starts_with(key + ":"))
      suggest(command, word, parameters);
  }
}

std::string message_of(const CLI::App& app, const CLI::ParseError& error) {
  std::string command = "--help";
  for (const CLI::App* one : app.get_subcommands()) command = "help " + one->get_name();
  return fmt::format("orrery: {}; orrery {} lists what it takes", error.what(), command);
}

}  // namespace orrery::cli
