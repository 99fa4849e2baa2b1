#include <algorithm>
#include <memory>

#include "core/errors.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/lessons/library.h"
#include "experiments/manual/topic.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_spec.h"

namespace orrery {
namespace {

struct CompletionOptions {
  std::string shell{};
  Words words{};
};

bool runs_experiments(const std::string& command) {
  return command == "run" || command == "sweep" || command == "plan" || command == "open";
}

void append(Words& to, const Words& from) { to.insert(to.end(), from.begin(), from.end()); }

/// Of its first word.
Words names_for(const Command& of) {
  const std::string& command = of.name;
  if (command == "completion") return {"bash", "zsh", "fish"};
  for (const Option& option : of.options)
    if (option.is_positional() && !option.rules.choices.empty()) return option.rules.choices;
  Words names;
  if (command == "help")
    for (const Topic& topic : topics()) names.push_back(topic.name);
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

const Option* option_named(const Command& command, const std::string& word) {
  for (const Option& option : command.options)
    if (option.is_called(word)) return &option;
  return nullptr;
}

bool takes_value(const Option* option) { return option && option->takes_value(); }

/// The first word that is neither an option nor the value of one.
std::string first_name(const Command& command, const Words& words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (!words[i].starts_with("-")) return words[i];
    if (takes_value(option_named(command, words[i]))) ++i;
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

Words all_candidates(const Words& words) {
  const std::vector<Command> commands = all_commands();
  Words found;
  if (words.size() < 2) {
    found = names_of(commands);
    append(found, {"--help", "--version"});
    return found;
  }
  const Command* command = find_command(commands, words.front());
  if (!command) return found;
  const std::string &partial = words.back(), &before = words[words.size() - 2];
  const Option* option = before.starts_with("-") ? option_named(*command, before) : nullptr;
  if (takes_value(option)) return option->rules.choices;
  if (partial.starts_with("-")) return option_names(command->options);
  const std::string name = first_name(*command, words);
  if (name.empty()) return names_for(*command);
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

/// The candidates for the last of `words`, which may be incomplete or empty: commands, their
/// options and the choices of these, names of experiments, presets and encodings, "key=" of the
/// parameters, and "key=choice". Files are left to the shell.
/// @param words  the command line without the program's name
Words completions(const Words& words) {
  Words found = all_candidates(words);
  const std::string partial = words.empty() ? "" : words.back();
  std::erase_if(found, [&](const std::string& word) { return !word.starts_with(partial); });
  return found;
}

/// The script with which a shell requests them.
std::string completion_script(const std::string& shell) {
  if (shell == "zsh") return zsh_script;
  return shell == "fish" ? fish_script : bash_script;
}

int complete(const CompletionOptions& options) {
  if (options.shell != "words")
    print(completion_script(options.shell));
  else
    for (const std::string& word : completions(options.words)) print(word + "\n");
  return exit_ok;
}

}  // namespace

Command completion_command() {
  const auto o = std::make_shared<CompletionOptions>();
  Command command{"completion", "Print a script that completes command lines in a shell",
                  [o] { return complete(*o); }};
  command.options = {{"SHELL",
                      &o->shell,
                      "bash, zsh or fish; words is used by their scripts",
                      {.required = true, .choices = {"bash", "zsh", "fish", "words"}}},
                     {"WORDS", &o->words, "A command line whose last word is to be completed"}};
  command.footer = R"(Examples:
  orrery completion bash > orrery-completion.bash
  orrery completion words run long_term_decay assum)";
  return command;
}

}  // namespace orrery
