// redraw, report, compare
#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {
namespace {

Command add_redraw(CLI::App& app) {
  auto options = std::make_shared<RedrawOptions>();
  CLI::App* command = app.add_subcommand(
      "redraw", "Draw the figures of a result again, in any theme, format and size");
  command->add_option("DIR", options->folder, "A result or a sweep")->required();
  command->add_option("--format", options->figures.formats, "svg, png, pdf")
      ->delimiter(',')
      ->check(CLI::IsMember({"svg", "png", "pdf"}));
  command->add_option("--theme", options->figures.theme, "light, dark or print")
      ->check(CLI::IsMember({"light", "dark", "print"}));
  command->add_flag("--formulas", options->figures.formulas,
                    "With the experiment's formulas beneath the title");
  command->add_option("--scale", options->scale, "Pixels per point of a PNG; default 2, as in run");
  command->add_option("--out", options->out, "A folder; default DIR-redrawn");
  command->footer(
      "Nothing is computed, as the result contains the figures' data.\n\n"
      "Examples:\n"
      "  orrery run rotation --out turns --format none\n"
      "  orrery redraw turns --theme print --format pdf --formulas");
  return {command, [options] { return redraw_command(*options); }};
}

Command add_report(CLI::App& app) {
  auto options = std::make_shared<ReportCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "report", "Write a self-contained HTML page of a result or a sweep, and Markdown beside it");
  command->add_option("DIR", options->folder, "A result or a sweep")->required();
  command->add_option("--out", options->out, "The page; default DIR-report.html");
  command->add_option("--points", options->points,
                      "Number of points of a sweep whose figures are shown");
  command->footer(
      "The page needs no network and no other file. The exit status is 1 when parts of the result\n"
      "are missing or damaged; the page then says which.\n\n"
      "Examples:\n"
      "  orrery run rotation --out turns\n"
      "  orrery report turns");
  return {command, [options] { return report_command(*options); }};
}

Command add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareCommandOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "Compare the settings and numbers of two results or sweeps");
  command->add_option("A", options->a, "A result or a sweep")->required();
  command->add_option("B", options->b, "Another of the same kind")->required();
  command->add_flag("--json", options->json, "As JSON");
  command->footer(
      "Points of sweeps are matched by id, then by settings; repeats are compared by Welch's t.\n"
      "The exit status is 0 when all numbers are the same, and 1 when any differs.\n\n"
      "Examples:\n"
      "  orrery run rotation --out turns\n"
      "  orrery run rotation --out again\n"
      "  orrery compare turns again");
  return {command, [options] { return compare_command(*options); }};
}

}  // namespace

std::vector<Command> declare_report_commands(CLI::App& app, const std::vector<std::string>&) {
  return {add_redraw(app), add_report(app), add_compare(app)};
}

}  // namespace orrery::cli
