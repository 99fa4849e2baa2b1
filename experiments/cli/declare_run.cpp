// run
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

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
  command->add_option("NAME", options.experiment, "An experiment, a preset or a .toml file");
  command->allow_extras();
  CLI::Option* from = command->add_option(
      "--from", options.from,
      "Instead of NAME: compute the result in this folder again, as its manifest has it");
  command->add_option(
      "--out", options.out,
      "Folder of the result, default orrery-results/NAME-ID; or a .npz or .safetensors file of "
      "its arrays alone");
  command->add_flag("--force", options.force,
                    "Replace a result of another experiment or with other settings");
  add_figure_options(command, options.figures);
  for (const char* drawn : {"--figure", "--format", "--theme", "--formulas", "--width", "--height",
                            "--text-size", "--title", "--no-title", "--caption", "--no-caption"})
    from->excludes(command->get_option(drawn));
  command->final_callback([&options] {
    if (options.experiment.empty() && options.from.empty()) throw CLI::RequiredError("NAME");
  });
  command->add_flag("--json", options.json, "Print the whole result as JSON");
  command->footer(
      "Parameters follow as key=value or --key value; orrery describe NAME lists them.\n"
      "key=a,b runs each value, and several such keys are crossed; encoding=rope+alibi draws both\n"
      "in one plot. model=FILE layer=N stands for the settings of a layer, see orrery\n"
      "positions.\n"
      "--from DIR takes experiment, parameters, inputs and figures from the manifest of a result\n"
      "or of a sweep's point, and refuses where the experiment or an input has changed since.\n\n"
      "Examples:\n"
      "  orrery run long_term_decay dim=128 base=10000\n"
      "  orrery run long_term_decay dim=64,128 base=1e4,5e5\n"
      "  orrery run attention_map --text README.md encoding=rope --out map\n"
      "  orrery run --from map --out again\n"
      "  orrery run long_term_decay max_distance=1e6 --figure decay_bound --format png\n"
      "  orrery run rotation --formulas --theme dark --format svg");
  return {command, [=] {
            options_of->words = command->remaining();
            return run_command(*options_of);
          }};
}

}  // namespace

void add_figure_options(CLI::App* command, FigureOptions& figures) {
  command
      ->add_option("--figure", figures.only,
                   "Write this figure alone, or those whose names begin so, with the values and "
                   "claims of the result, and no tables or arrays; several with commas between")
      ->type_name("ID")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_drawing_options(command, figures, {"svg", "png", "pdf", "tex", "none"});
  command->add_flag("--formulas", figures.formulas,
                    "Draw the experiment's formulas beneath the title of each figure");
}

void add_drawing_options(CLI::App* command, FigureOptions& figures,
                         const std::vector<std::string>& formats) {
  command
      ->add_option("--format", figures.formats,
                   fmt::format("Figures as {}; tex is a text with the caption, for LaTeX",
                               fmt::join(formats, ", ")))
      ->delimiter(',')
      ->allow_extra_args(false)  // the next word is a parameter
      ->check(CLI::IsMember(formats));
  command
      ->add_option("--theme", figures.theme,
                   "Figures in light, dark or print; auto: print for svg and pdf, light for png")
      ->check(CLI::IsMember({"auto", "light", "dark", "print"}));
  add_page_options(command, figures.page);
}

void add_page_options(CLI::App* command, figure::Page& page) {
  std::vector<std::string> names;
  for (const figure::PagePreset& preset : figure::page_presets())
    names.push_back(fmt::format("{} ({})", preset.name, preset.about));
  // In this order, whatever the order of the words: a preset gives way to the options after it.
  command->add_option_function<std::string>(
      "--width", [&page](const std::string& width) { page = figure::page_named("--width", width); },
      fmt::format("Figures for print, as wide as 3.25in, 8.5cm or 240pt, or {}",
                  fmt::join(names, ", ")));
  command->add_option_function<std::string>(
      "--height",
      [&page](const std::string& height) { page.height = figure::points_in("--height", height); },
      "With --width: the height; default in proportion");
  command->add_option_function<double>(
      "--text-size", [&page](double size) { page.text_size = size; },
      "With --width: the size of text in points, whatever the width; default 8");
  const auto choice = [command](const std::string& what, std::optional<bool>& shown) {
    command
        ->add_flag_callback(
            "--" + what, [&shown] { shown = true; },
            fmt::format("Figures with their {}s, as without --width", what))
        ->excludes(command->add_flag_callback(
            "--no-" + what, [&shown] { shown = false; },
            fmt::format("Figures without their {}s, as with --width", what)));
  };
  choice("title", page.title);
  choice("caption", page.caption);
  command->parse_complete_callback([&page] { figure::check_page(page); });
}

std::vector<Command> declare_run_commands(CLI::App& app, const Words& argv) {
  return {declare_run(app, argv)};
}

}  // namespace orrery::cli
