// list, describe, positions
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
      "  orrery describe deberta\n"
      "\n"
      "Each of \"params\" with --json says which values it takes, by its \"kind\":\n"
      "  boolean       true or false\n"
      "  integer       a whole number from min to max, both included, a multiple of multiple_of\n"
      "  real          a number from min to max, both included\n"
      "  choice        the name of one of choices\n"
      "  choice_list   names of choices joined by +, each once; none only if may_be_empty\n"
      "  number_list   numbers from min to max joined by +; none only if may_be_empty\n"
      "  file          a path; file_types are the extensions that are read, * any\n"
      "  text          any text\n"
      "logarithmic: numbers of every size matter alike. used_when: the parameter is read only\n"
      "while the one called key is, or contains, one of any_of (an empty name: while no file is\n"
      "given; *: while one is), and is refused otherwise.");
  return {command, [=] { return describe_command(*options_of); }};
}

Command declare_positions(CLI::App& app) {
  auto options_of = std::make_shared<PositionsOptions>();
  PositionsOptions& options = *options_of;
  CLI::App* command = app.add_subcommand(
      "positions", "Print what a model's files say about positions, layer by layer and why");
  command
      ->add_option("FILE", options.file,
                   "A config.json, a params.json, a .gguf file, or a folder with one")
      ->required();
  command->add_option("OTHER", options.other, "Another one: print what differs, with status 1");
  command
      ->add_option("--length", options.length,
                   "Length of the sequence, by which LongRoPE and dynamic NTK choose frequencies; "
                   "default that of training")
      ->check(CLI::Range(std::int64_t{2}, std::int64_t{1} << 40));
  command->add_flag("--json", options.json, "As JSON, with every frequency");
  command->add_option("--sweep", options.sweep,
                      "Print a sweep file of that experiment instead, a point per kind of layer");
  command->footer(
      "Each value is followed by its reason: a key of the file, or a default of the model's "
      "class.\n"
      "Examples:\n"
      "  orrery positions Llama-3.1-8B/config.json\n"
      "  orrery positions Llama-3.1-8B llama-3.1-8b-q4_k_m.gguf\n"
      "  orrery positions Llama-3.1-8B/config.json --sweep long_term_decay > layers.toml\n"
      "  orrery run model_layers model=Llama-3.1-8B/config.json\n"
      "  orrery run long_term_decay model=Llama-3.1-8B/config.json layer=12");
  return {command, [=] { return positions_command(*options_of); }};
}

}  // namespace

std::vector<Command> declare_list_commands(CLI::App& app, const Words&) {
  return {declare_list(app), declare_describe(app), declare_positions(app)};
}

}  // namespace orrery::cli
