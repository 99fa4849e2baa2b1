// open, completion, help
#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/completion.h"
#include "experiments/cli/console.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {
namespace {

using Words = std::vector<std::string>;

Command declare_open(CLI::App& app) {
  auto options_of = std::make_shared<OpenOptions>();
  CLI::App* command = app.add_subcommand(
      "open", "Open an experiment, a preset, or the folder of a result or a sweep in the desktop");
  command->allow_extras();
  command->add_option("NAME", options_of->name,
                      "An experiment, a preset, a .toml file or a result's folder");
  command->add_option("--render", options_of->render, "Draw it into this folder as PNG instead");
  command->footer(
      "Examples:\n"
      "  orrery open long_term_decay dim=64\n"
      "  orrery open roformer_figure_2\n"
      "  orrery open results/decay");
  return {command, [=] {
            options_of->words = command->remaining();
            return open_command(*options_of);
          }};
}

struct CompletionOptions {
  std::string shell{};
  Words words{};
};

Command declare_completion(CLI::App& app) {
  auto options_of = std::make_shared<CompletionOptions>();
  CLI::App* command =
      app.add_subcommand("completion", "Print a script that completes command lines in a shell");
  command
      ->add_option("SHELL", options_of->shell, "bash, zsh or fish; words is used by their scripts")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "words"}));
  command->add_option("WORDS", options_of->words,
                      "A command line whose last word is to be completed");
  command->footer(
      "Examples:\n"
      "  orrery completion bash > orrery-completion.bash\n"
      "  orrery completion words run long_term_decay assum");
  return {command, [=, &app] {
            if (options_of->shell != "words")
              print(completion_script(options_of->shell));
            else
              for (const std::string& word : completions(app, options_of->words))
                print(word + "\n");
            return exit_ok;
          }};
}

Command declare_help(CLI::App& app) {
  auto options_of = std::make_shared<HelpOptions>();
  CLI::App* command = app.add_subcommand("help", "Help on a command or a topic");
  command->add_option("TOPIC", options_of->topic, "A command or a topic; all where none is named");
  command->add_option("--man", options_of->man, "Write the man pages into this folder instead");
  command->footer(
      "Examples:\n"
      "  orrery help\n"
      "  orrery help sweep\n"
      "  orrery help sweeps");
  return {command, [=, &app] { return help_command(app, *options_of); }};
}

}  // namespace

std::vector<Command> declare_open_commands(CLI::App& app, const Words&) {
  return {declare_open(app), declare_completion(app), declare_help(app)};
}

}  // namespace orrery::cli
