#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/unknown_name.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/declare.h"
#include "experiments/files/atomic_write.h"
#include "experiments/manual/man.h"
#include "experiments/manual/terminal.h"
#include "experiments/results/build_info.h"
#include "experiments/text/display_width.h"

namespace orrery::cli {
namespace {

/// CLI11's own help() of the program shows the command that was given: help.
std::string help_of(const CLI::App& app, const std::string& topic) {
  return app.get_formatter()->make_help(&app, topic.empty() ? "orrery" : "orrery " + topic,
                                        CLI::AppFormatMode::Normal);
}

std::string list_of_topics() {
  std::string text = "\nTopics (orrery help TOPIC, or F1 on the desktop):\n";
  for (const manual::Topic& topic : manual::topics())
    text += fmt::format("  {}{}\n", padded(topic.name, 28), topic.about);
  return text;
}

void write_man_pages(const CLI::App& app, const std::filesystem::path& folder) {
  atomic_write(folder / "orrery.1", man_page_of(app));
  for (const manual::Topic& topic : manual::topics())
    atomic_write(folder / fmt::format("orrery-{}.7", topic.name),
                 manual::man_page(topic, build_info().version));
}

}  // namespace

int help_command(const CLI::App& app, const HelpOptions& options) {
  if (!options.man.empty()) {
    write_man_pages(app, options.man);
    return exit_ok;
  }
  if (const manual::Topic* topic = manual::find_topic(options.topic)) {
    print(manual::terminal_text(*topic));
    return exit_ok;
  }
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  const bool is_command = std::find(names.begin(), names.end(), options.topic) != names.end();
  for (const manual::Topic& topic : manual::topics()) names.push_back(topic.name);
  if (options.topic.empty())
    print(help_of(app, "") + list_of_topics());
  else if (is_command)
    print(help_of(*app.get_subcommand(options.topic), options.topic));
  else
    throw_unknown_name(options.topic, "a command or a topic", names);
  return exit_ok;
}

}  // namespace orrery::cli
