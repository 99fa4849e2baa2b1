// The man page orrery.1, from what is declared.
#include "experiments/cli/man.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "experiments/cli/command.h"
#include "experiments/manual/man.h"
#include "experiments/manual/topic.h"
#include "experiments/results/build_info.h"

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

}  // namespace

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

}  // namespace orrery
