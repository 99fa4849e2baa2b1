// list, describe
#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {
namespace {

using Words = std::vector<std::string>;

Command declare_list(CLI::App& app) {
  auto options_of = std::make_shared<ListOptions>();
  ListOptions& options = *options_of;
  CLI::App* command = app.add_subcommand("list", "List experiments, encodings and presets");
  command->add_option("what", options.what, "all, experiments, encodings or presets")
      ->check(CLI::IsMember({"all", "experiments", "encodings", "presets"}));
  command->add_flag("--json", options.json, "As JSON");
  command->footer("Example: orrery list encodings --json");
  return {command, [=] { return list_command(*options_of); }};
}

Command declare_describe(CLI::App& app) {
  auto options_of = std::make_shared<DescribeOptions>();
  DescribeOptions& options = *options_of;
  CLI::App* command = app.add_subcommand(
      "describe", "Describe an experiment, an encoding or a preset, with equations and parameters");
  command->add_option("NAME", options.name, "An experiment, an encoding or a preset")->required();
  command->add_flag("--json", options.json, "As JSON");
  command->footer(
      "Examples:\n"
      "  orrery describe long_term_decay\n"
      "  orrery describe deberta");
  return {command, [=] { return describe_command(*options_of); }};
}

}  // namespace

std::vector<Command> declare_list_commands(CLI::App& app, const Words&) {
  return {declare_list(app), declare_describe(app)};
}

}  // namespace orrery::cli
