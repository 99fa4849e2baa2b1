// run
#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {
namespace {

using Words = std::vector<std::string>;

Command declare_run(CLI::App& app, const Words& argv) {
  auto options_of = std::make_shared<RunOptions>();
  RunOptions& options = *options_of;
  options.argv = argv;
  CLI::App* command =
      app.add_subcommand("run", "Run an experiment; write figures, CSV, NPY and a manifest");
  command
      ->add_option("NAME", options.experiment,
                   "An experiment, a preset or a .toml, .yaml or .json file")
      ->required();
  command->allow_extras();
  command->add_option("--out", options.out, "Folder of the result; default orrery-results/NAME-ID");
  command->add_flag("--force", options.force,
                    "Replace a result of another experiment or with other settings");
  add_figure_options(command, options.figures);
  command->add_flag("--json", options.json, "Print the whole result as JSON");
  command->footer(
      "Parameters follow as key=value or --key value; orrery describe NAME lists them.\n"
      "key=a,b runs each value, and several such keys are crossed; encoding=rope+alibi draws both\n"
      "in one plot.\n\n"
      "Examples:\n"
      "  orrery run long_term_decay dim=128 base=10000\n"
      "  orrery run long_term_decay dim=64,128 base=1e4,5e5\n"
      "  orrery run attention_map --text README.md encoding=rope --out map\n"
      "  orrery run rotation --formulas --theme dark --format svg");
  return {command, [=] {
            options_of->words = command->remaining();
            return run_command(*options_of);
          }};
}

}  // namespace

void add_figure_options(CLI::App* command, FigureOptions& figures) {
  command->add_option("--format", figures.formats, "Figures as svg, png, pdf, or none")
      ->delimiter(',')
      ->allow_extra_args(false)  // the next word is a parameter
      ->check(CLI::IsMember({"svg", "png", "pdf", "none"}));
  command->add_option("--theme", figures.theme, "Figures in light, dark or print")
      ->check(CLI::IsMember({"light", "dark", "print"}));
  command->add_flag("--formulas", figures.formulas,
                    "Draw the experiment's formulas beneath the title of each figure");
}

std::vector<Command> declare_run_commands(CLI::App& app, const Words& argv) {
  return {declare_run(app, argv)};
}

}  // namespace orrery::cli
