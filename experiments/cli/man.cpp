// The man page orrery.1, from what is declared.
#include "experiments/manual/man.h"

#include <fmt/format.h>

#include <set>
#include <sstream>

#include "experiments/cli/declare.h"
#include "experiments/manual/topic.h"
#include "experiments/results/build_info.h"

namespace orrery::cli {
namespace {

using manual::roff;

std::string bold(const std::string& words) { return "\\fB" + roff(words) + "\\fR"; }
std::string italic(const std::string& words) { return "\\fI" + roff(words) + "\\fR"; }

std::string entry(const std::string& head, const std::string& words) {
  return fmt::format(".TP\n{}\n{}\n", head, roff(words));
}

std::string option_entry(const CLI::Option& option) {
  if (option.get_positional())
    return entry(italic(option.get_name(true)), option.get_description());
  const bool has_value = option.get_items_expected_max() > 0;
  return entry(bold(option.get_name(false, true)) + (has_value ? " " + italic("VALUE") : ""),
               option.get_description());
}

/// Options that every command has are said once.
std::string options_of(const CLI::App& app, const std::set<std::string>& said) {
  std::string text;
  for (const CLI::Option* option : app.get_options())
    if (!said.contains(option->get_name(false, true))) text += option_entry(*option);
  return text;
}

std::string verbatim(const std::string& lines) {
  std::string text = ".PP\n.nf\n";
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) text += roff(line) + "\n";
  return text + ".fi\n";
}

std::string section_of(const char* page, const char* heading) {
  const manual::Topic* topic = manual::find_topic(page);
  return topic ? manual::man_blocks(manual::section(*topic, heading)) : "";
}

}  // namespace

std::string man_page_of(const CLI::App& app) {
  std::set<std::string> said;
  for (const CLI::Option* option : app.get_options()) said.insert(option->get_name(false, true));
  std::string text =
      manual::man_head("orrery", 1, "position encodings of transformers: see, measure, compare",
                       build_info().version) +
      ".SH SYNOPSIS\n.B orrery\n.I COMMAND\n.RI [ OPTIONS ]\n.RI [ NAME ]\n.RI [ key = value \" "
      "...]\"\n.SH OPTIONS\n" +
      options_of(app, {});
  text += ".SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands({}))
    text += fmt::format(".SS {}\n{}.\n{}{}", roff("orrery " + command->get_name()),
                        roff(command->get_description()), options_of(*command, said),
                        verbatim(command->get_footer()));
  text += ".SH EXIT STATUS\n" + section_of("exit-codes", "Statuses");
  text += ".SH ENVIRONMENT\n" + section_of("command-line", "Environment");
  text += ".SH TOPICS\n";
  for (const manual::Topic& topic : manual::topics())
    text += entry(bold("orrery-" + topic.name) + "(7)", topic.about);
  return text;
}

}  // namespace orrery::cli
