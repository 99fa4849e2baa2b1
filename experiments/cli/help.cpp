#include <algorithm>

#include "core/unknown_name.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {
namespace {

constexpr const char* exit_codes =
    "Exit statuses of orrery\n"
    "  0    done, and every check holds\n"
    "  1    a check, a claim or a point failed, or the results compared differ\n"
    "  2    words or settings that do not fit: a wrong name, value or option\n"
    "  3    a file that is damaged or of another form\n"
    "  4    a file or folder that cannot be read or written, or too little memory\n"
    "  5    the folder has a different plan\n"
    "  6    another process writes to the folder\n"
    "  129  stopped by SIGHUP: the terminal was closed\n"
    "  130  stopped by SIGINT: Ctrl-C\n"
    "  141  whoever read standard output has left\n"
    "  143  stopped by SIGTERM\n"
    "After 1, 4 and the signals a sweep keeps its points: orrery resume DIR goes on.\n";

/// CLI11's own help() of the program shows the command that was given: help.
std::string help_of(const CLI::App& app, const std::string& topic) {
  return app.get_formatter()->make_help(&app, topic.empty() ? "orrery" : "orrery " + topic,
                                        CLI::AppFormatMode::Normal);
}

}  // namespace

int help_command(const CLI::App& app, const std::string& topic) {
  std::vector<std::string> topics{"exit-codes"};
  for (const CLI::App* command : app.get_subcommands({})) topics.push_back(command->get_name());
  if (!topic.empty() && std::find(topics.begin(), topics.end(), topic) == topics.end())
    throw_unknown_name(topic, "a command, nor exit-codes", topics);
  if (topic == "exit-codes")
    print(exit_codes);
  else
    print(help_of(topic.empty() ? app : *app.get_subcommand(topic), topic));
  return exit_ok;
}

}  // namespace orrery::cli
