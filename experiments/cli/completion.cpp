#include "experiments/cli/completion.h"

#include <algorithm>

#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/declare.h"
#include "experiments/lessons/library.h"
#include "experiments/lessons/paper_card.h"
#include "experiments/manual/topic.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_spec.h"

namespace orrery::cli {
namespace {

using Words = std::vector<std::string>;

bool runs_experiments(const std::string& command) {
  return command == "run" || command == "sweep" || command == "plan" || command == "open";
}

void append(Words& to, const Words& from) { to.insert(to.end(), from.begin(), from.end()); }

Words names_for(const std::string& command) {
  if (command == "list") return {"all", "experiments", "encodings", "presets"};
  if (command == "completion") return {"bash", "zsh", "fish"};
  if (command == "lesson") return {"list", "check", "print", "show", "play", "render"};
  Words names;
  if (command == "help")
    for (const manual::Topic& topic : manual::topics()) names.push_back(topic.name);
  if (!runs_experiments(command) && command != "describe") return names;
  for (const Experiment* experiment : experiment_catalogue())
    names.push_back(experiment->info.name);
  append(names, preset_names());
  if (command == "describe")
    for (const EncodingSummary& encoding : encoding_list()) names.push_back(encoding.name);
  return names;
}

/// What an action of the command lesson takes.
Words lesson_names(const std::string& action) {
  Words names;
  if (action == "show")
    for (const PaperCard& card : paper_cards()) names.push_back(card.name);
  else
    for (const auto& file : bundled_lessons()) names.push_back(file.stem().string());
  return names;
}

/// The choices of an option, from the type that CLI11 displays: "TEXT:{svg,png}".
Words choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open);
  Words choices;
  if (open == std::string::npos || close == std::string::npos) return choices;
  for (std::size_t start = open + 1; start < close;) {
    const std::size_t comma = std::min(type.find(',', start), close);
    choices.push_back(type.substr(start, comma - start));
    start = comma + 1;
  }
  return choices;
}

const CLI::Option* option_named(const CLI::App& command, const std::string& word) {
  for (const CLI::Option* option : command.get_options())
    if (option->check_name(word)) return option;
  return nullptr;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

/// The first word that is neither an option nor the value of one.
std::string first_name(const CLI::App& command, const Words& words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (!words[i].starts_with("-")) return words[i];
    const CLI::Option* option = option_named(command, words[i]);
    if (option && takes_value(*option) && words[i].find('=') == std::string::npos) ++i;
  }
  return {};
}

Words values_for(const ParamSpec& spec) {
  Words values;
  if (spec.kind == ParamKind::boolean) return {"true", "false"};
  for (const Choice& choice : spec.choices) values.push_back(choice.name);
  return values;
}

/// "key=" of every parameter of the named experiment; after the "=" its values.
Words assignments(const std::string& name, const std::string& partial) {
  Words found;
  try {
    const ExperimentInfo& info = sweep_spec_named(name).experiment->info;
    const std::size_t equals = partial.find('=');
    if (equals == std::string::npos) found = {"model=", "layer="};  // a layer's settings
    for (const ParamSpec& spec : info.params) {
      if (equals == std::string::npos)
        found.push_back(spec.key + "=");
      else if (spec.key == partial.substr(0, equals))
        for (const std::string& value : values_for(spec)) found.push_back(spec.key + "=" + value);
    }
  } catch (const Error&) {
    // A wrong name has no completions; running the command explains why.
  }
  return found;
}

const CLI::App* command_named(const CLI::App& app, const std::string& name) {
  for (const CLI::App* command : app.get_subcommands({}))
    if (command->get_name() == name) return command;
  return nullptr;
}

Words all_candidates(const CLI::App& app, const Words& words) {
  Words found;
  if (words.size() < 2) {
    for (const CLI::App* command : app.get_subcommands({})) found.push_back(command->get_name());
    append(found, {"--help", "--version"});
    return found;
  }
  const CLI::App* command = command_named(app, words.front());
  if (!command) return found;
  const std::string& partial = words.back();
  const CLI::Option* before = option_named(*command, words[words.size() - 2]);
  if (before && takes_value(*before) && words[words.size() - 2].starts_with("-"))
    return choices_of(*before);
  if (partial.starts_with("-")) return option_names(*command);
  const std::string name = first_name(*command, words);
  if (name.empty()) return names_for(words.front());
  if (runs_experiments(words.front())) return assignments(name, partial);
  if (words.front() == "lesson") return lesson_names(name);
  return found;
}

// Candidates contain no blanks, so the shells need not quote them.
constexpr const char* bash_script = R"SH(# orrery completion bash: source it from ~/.bashrc
_orrery() {
  local line=${COMP_LINE:0:COMP_POINT} words
  read -ra words <<<"$line"
  [[ $line == *' ' ]] && words+=('')
  local current=${words[-1]}
  local IFS=$'\n'
  COMPREPLY=($("${words[0]}" completion words -- "${words[@]:1}" 2>/dev/null))
  # bash treats the text after = as a separate word.
  [[ $current == *=* ]] && COMPREPLY=("${COMPREPLY[@]#*=}")
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _orrery orrery ./orrery
)SH";

// clang-format 14 takes the $ in this script for code of its own and spaces it out.
// clang-format off
constexpr const char* zsh_script = R"SH(#compdef orrery
# orrery completion zsh: save it as _orrery in a folder of $fpath, or source it after compinit
_orrery() {
  local -a found
  found=(${(f)"$(${words[1]} completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then
    compadd -S '' -- ${(M)found:#*=}
    compadd -- ${found:#*=}
  else
    _files
  fi
}
compdef _orrery orrery
)SH";
// clang-format on

constexpr const char* fish_script =
    R"SH(# orrery completion fish: save it as ~/.config/fish/completions/orrery.fish
function __orrery_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] completion words -- $words[2..-1] 2>/dev/null
end
complete -c orrery -a '(__orrery_complete)'
)SH";

}  // namespace

std::vector<std::string> completions(const CLI::App& app, const Words& words) {
  Words found = all_candidates(app, words);
  const std::string partial = words.empty() ? "" : words.back();
  std::erase_if(found, [&](const std::string& word) { return !word.starts_with(partial); });
  return found;
}

std::string completion_script(const std::string& shell) {
  if (shell == "zsh") return zsh_script;
  return shell == "fish" ? fish_script : bash_script;
}

}  // namespace orrery::cli
