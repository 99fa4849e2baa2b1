#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "core/unknown_name.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/cli/man.h"
#include "experiments/cli/parser.h"
#include "experiments/files/atomic_write.h"
#include "experiments/manual/man.h"
#include "experiments/manual/terminal.h"
#include "experiments/results/build_info.h"
#include "experiments/text/display_width.h"

namespace orrery {
namespace {

struct HelpOptions {
  std::string topic{}, man{};
};

std::string list_of_topics() {
  std::string text = "\nTopics (orrery help TOPIC, or F1 on the desktop):\n";
  for (const Topic& topic : topics())
    text += fmt::format("  {}{}\n", padded(topic.name, 28), topic.about);
  return text;
}

void write_man_pages(const std::filesystem::path& folder) {
  atomic_write(folder / "orrery.1", man_page());
  for (const Topic& topic : topics())
    atomic_write(folder / fmt::format("orrery-{}.7", topic.name),
                 man_page(topic, build_info().version));
}

int show_help(const HelpOptions& options) {
  if (!options.man.empty()) {
    write_man_pages(options.man);
    return exit_ok;
  }
  if (const Topic* topic = find_topic(options.topic)) {
    print(terminal_text(*topic));
    return exit_ok;
  }
  const std::vector<Command> commands = all_commands();
  Words names = names_of(commands);
  for (const Topic& topic : topics()) names.push_back(topic.name);
  if (options.topic.empty())
    print(help_of(commands, "") + list_of_topics());
  else if (find_command(commands, options.topic))
    print(help_of(commands, options.topic));
  else
    throw_unknown_name(options.topic, "a command or a topic", names);
  return exit_ok;
}

}  // namespace

Command help_command() {
  const auto o = std::make_shared<HelpOptions>();
  Command command{"help", "Help on a command or a topic", [o] { return show_help(*o); }};
  command.options = {{"TOPIC", &o->topic, "A command or a topic; all where none is named"},
                     {"--man", &o->man, "Write the man pages into this folder instead"}};
  command.footer = R"(Examples:
  orrery help
  orrery help sweep
  orrery help sweeps)";
  return command;
}

}  // namespace orrery
