#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/cli/parser.h"
#include "experiments/files/atomic_write.h"
#include "experiments/manual/terminal.h"
#include "experiments/manual/topic.h"
#include "experiments/results/manifest.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/text/display_width.h"

namespace orrery {
namespace {

std::string in_bold(const std::string& words) { return "\\fB" + roff(words) + "\\fR"; }
std::string in_italic(const std::string& words) { return "\\fI" + roff(words) + "\\fR"; }

std::string entry(const std::string& head, const std::string& words) {
  return fmt::format(".TP\n{}\n{}\n", head, roff(words));
}

std::string option_entry(const Option& option) {
  if (option.is_positional()) return entry(in_italic(option.name), option.about);
  return entry(in_bold(option.name) + (option.takes_value() ? " " + in_italic("VALUE") : ""),
               option.about);
}

/// Options that every command has are said once.
std::string entries_of(const std::vector<Option>& options, const std::set<std::string>& said) {
  std::string text;
  for (const Option& option : options)
    if (!said.contains(option.name)) text += option_entry(option);
  return text;
}

std::string verbatim(const std::string& lines) {
  std::string text = ".PP\n.nf\n";
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) text += roff(line) + "\n";
  return text + ".fi\n";
}

std::string section_of(const char* page, const char* heading) {
  const Topic* topic = find_topic(page);
  return topic ? man_blocks(section(*topic, heading)) : "";
}
/// The man page of the program: every command with its options, as declared.
std::string man_page() {
  std::set<std::string> said;
  for (const Option& option : program_options()) said.insert(option.name);
  std::string text =
      man_head("orrery", 1, "position encodings of transformers: see, measure, compare",
               build_info().version) +
      ".SH SYNOPSIS\n.B orrery\n.I COMMAND\n.RI [ OPTIONS ]\n.RI [ NAME ]\n.RI [ key = value \" "
      "...]\"\n.SH OPTIONS\n" +
      entries_of(program_options(), {});
  text += ".SH COMMANDS\n";
  for (const Command& command : all_commands())
    text += fmt::format(".SS {}\n{}.\n{}{}", roff("orrery " + command.name), roff(command.about),
                        entries_of(command.options, said), verbatim(footer_of(command)));
  text += ".SH EXIT STATUS\n" + section_of("exit-codes", "Statuses");
  text += ".SH ENVIRONMENT\n" + section_of("command-line", "Environment");
  text += ".SH TOPICS\n";
  for (const Topic& topic : topics())
    text += entry(in_bold("orrery-" + topic.name) + "(7)", topic.about);
  return text;
}

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

/// Throws UsageError. What `orrery describe` knows is said to be there.
[[noreturn]] void refuse_topic(const std::string& topic, const Words& names) {
  const std::vector<EncodingSummary>& encodings = encoding_list();
  const bool is_encoding = std::ranges::any_of(
      encodings, [&](const EncodingSummary& encoding) { return encoding.name == topic; });
  if (is_encoding || known_experiment(topic))
    throw UsageError(topic, fmt::format("is an {}", is_encoding ? "encoding" : "experiment"),
                     fmt::format("orrery describe {} explains it", topic));
  throw_unknown_name(topic, "a command or a topic", names);
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
    refuse_topic(options.topic, names);
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
