#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {
namespace {

using Words = std::vector<std::string>;

Command declare_list(CLI::App& app) {
  auto options_of = std::make_shared<ListOptions>();
  ListOptions& options = *options_of;
  CLI::App* command = app.add_subcommand("list", "Experiments, encodings and presets");
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
      "describe",
      "What an experiment answers, an encoding does or a preset sets; equations and parameters");
  command->add_option("NAME", options.name, "An experiment, an encoding or a preset")->required();
  command->add_flag("--json", options.json, "As JSON");
  command->footer(
      "Examples:\n"
      "  orrery describe long_term_decay\n"
      "  orrery describe deberta");
  return {command, [=] { return describe_command(*options_of); }};
}

Command declare_verify(CLI::App& app) {
  auto options_of = std::make_shared<VerifyCommandOptions>();
  VerifyCommandOptions& options = *options_of;
  CLI::App* command = app.add_subcommand("verify",
                                         "Compare the library with the equations of RoFormer and "
                                         "of the papers it cites, and note misprints");
  command->add_option("--seed", options.seed, "Of the random contents");
  command->add_option("--draws", options.draws, "Random contents at each size")
      ->check(CLI::Range(1, 1000));
  command->add_option("--only", options.only,
                      "Claims whose name, kind, paper, statement or equation has this part");
  command->add_flag("--json", options.json, "As JSON");
  command->footer(
      "Every term of an equation is computed by the library and again by loops over tokens and\n"
      "channels that call none of it; the number is how far they are apart, relative to the "
      "largest\n"
      "entry. Notes say how much a misprint changes and which edition has it; they are not "
      "counted.\n"
      "The exit status is 1 if a claim fails.\n\n"
      "Examples:\n"
      "  orrery verify\n"
      "  orrery verify --only DeBERTa");
  return {command, [=] { return verify_command(*options_of); }};
}

}  // namespace

std::vector<Command> declare_catalogue_commands(CLI::App& app, const Words&) {
  return {declare_list(app), declare_describe(app), declare_verify(app)};
}

}  // namespace orrery::cli
