// verify
#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {
namespace {

using Words = std::vector<std::string>;

Command declare_verify(CLI::App& app) {
  auto options_of = std::make_shared<VerifyCommandOptions>();
  VerifyCommandOptions& options = *options_of;
  CLI::App* command =
      app.add_subcommand("verify",
                         "Check the library against the equations of RoFormer and of "
                         "the papers it cites, and note misprints");
  command->add_option("--seed", options.seed, "Seed of the random contents");
  command->add_option("--draws", options.draws, "Number of random contents at each size")
      ->check(CLI::Range(1, 1000));
  command->add_option("--only", options.only,
                      "Only claims whose name, kind, paper, statement or equation contains this");
  command->add_flag("--json", options.json, "As JSON");
  command->footer(
      "Every term of an equation is computed by the library and by independent loops over tokens\n"
      "and channels; the number is their largest difference relative to the largest entry. Notes\n"
      "state the effect of a misprint and the edition that has it; they are not counted.\n"
      "The exit status is 1 if a claim fails.\n\n"
      "Examples:\n"
      "  orrery verify\n"
      "  orrery verify --only DeBERTa");
  return {command, [=] { return verify_command(*options_of); }};
}

}  // namespace

std::vector<Command> declare_verify_commands(CLI::App& app, const Words&) {
  return {declare_verify(app)};
}

}  // namespace orrery::cli
