// redraw, plot, report, export, compare
#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"
#include "experiments/cli/export.h"

namespace orrery::cli {
namespace {

Command add_redraw(CLI::App& app) {
  auto options = std::make_shared<RedrawOptions>();
  CLI::App* command = app.add_subcommand(
      "redraw", "Draw the figures of a result again, in any theme, format and size");
  command->add_option("DIR", options->folder, "A result or a sweep")->required();
  add_drawing_options(command, options->figures, {"svg", "png", "pdf", "tex"});
  command->add_flag("--formulas", options->figures.formulas,
                    "With the experiment's formulas beneath the title");
  command->add_flag("--panels", options->panels,
                    "All figures in one file, panels.FORMAT, as panels (a), (b), (c)");
  command->add_option("--scale", options->scale, "Pixels per point of a PNG; default 2, as in run");
  command->add_option("--out", options->out, "A folder; default DIR-redrawn");
  command->add_flag("--force", options->force, "Replace pictures that were drawn otherwise");
  add_look_options(command, options->look);
  command->footer(
      "Nothing is computed, as the result contains the figures' data.\n\n"
      "Examples:\n"
      "  orrery run rotation --out turns --format none\n"
      "  orrery redraw turns --format pdf,tex --width icml\n"
      "  orrery run attention_map --out map --format none\n"
      "  orrery redraw map --colors log --x-range 0:20 --y-range 0:20");
  return {command, [options] { return redraw_command(*options); }};
}

Command add_plot(CLI::App& app) {
  auto options = std::make_shared<PlotOptions>();
  CLI::App* command =
      app.add_subcommand("plot", "Draw the points of a sweep together: curves, measures, maps");
  command->add_option("DIR", options->folder, "Folder of a sweep")->required();
  command->allow_extras();
  command->add_flag("--list", options->list, "List the figures, measures and settings instead");
  command->add_option("--out", options->out, "A folder; default DIR-plots");
  command->add_flag("--force", options->force, "Replace plots of the same name");
  add_drawing_options(command, options->figures, {"svg", "png", "pdf", "tex"});
  add_look_options(command, options->look);
  command->footer(
      "figure=ID   lays the curves of this figure over one another\n"
      "measure=M   draws a measure over x=KEY, or as a map over x=KEY and y=KEY\n"
      "hue=KEY     has a colour per value: ordered for numbers, its own for an encoding\n"
      "facet=KEY   has a panel per value; facet=none has no panels\n"
      "dash=KEY    has dashes per value, for up to three\n"
      "band=KIND   around means of repeats: interval (95 %), deviation, range or none\n"
      "axes=KIND   of panels: shared or own\n"
      "key=value   draws only the points with this setting\n"
      "What is left out is chosen. Without figure and measure all that differs is drawn. The\n"
      "numbers of each plot are in a CSV file beside it.\n\n"
      "Examples:\n"
      "  orrery sweep decay_over_bases --format none --out bases\n"
      "  orrery plot bases figure=decay_bound hue=base\n"
      "  orrery plot bases measure=first_rise x=base --format pdf --width neurips");
  return {command, [=] {
            options->words = command->remaining();
            return plot_command(*options);
          }};
}

Command add_report(CLI::App& app) {
  auto options = std::make_shared<ReportCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "report", "Write a self-contained HTML page of a result or a sweep, and Markdown beside it");
  command->add_option("DIR", options->folder, "A result or a sweep")->required();
  command->add_option("--out", options->out, "The page; default DIR-report.html");
  command->add_option(
      "--points", options->points,
      "Number of points of a sweep whose figures are shown, however large the page; "
      "default: 24, as far as they fit");
  add_page_options(command, options->drawn_on);
  command->footer(
      "The page needs no network and no other file. Markdown shows the figures in the result's\n"
      "folder; those over all points of a sweep are in DIR-report-figures. The exit status is 1\n"
      "when parts of the result are missing or damaged; the page then says which.\n\n"
      "Examples:\n"
      "  orrery run rotation --out turns\n"
      "  orrery report turns");
  return {command, [options] { return report_command(*options); }};
}

Command add_export(CLI::App& app) {
  auto options = std::make_shared<ExportCommandOptions>();
  CLI::App* command =
      app.add_subcommand("export", "Export the numbers of a sweep as CSV, JSON lines or LaTeX");
  command->add_option("DIR", options->folder, "Folder of a sweep")->required();
  command->add_option("--as", options->form, "csv, jsonl or latex")
      ->check(CLI::IsMember({"csv", "jsonl", "latex"}));
  command->add_option("--measures", options->measures, "Of a LaTeX table: a,b; default: all")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--summary", options->summary, "Of CSV: means over repeats");
  command->add_option("--out", options->out, "A file; default: standard output");
  command->add_flag("--force", options->force, "Replace the file");
  command->footer(
      "One row per point and encoding; LaTeX has mean and interval over repeats.\n\n"
      "Examples:\n"
      "  orrery sweep decay_over_bases --format none --out bases\n"
      "  orrery export bases --as latex --measures change,rises --out table.tex");
  return {command, [options] { return export_command(*options); }};
}

Command add_compare(CLI::App& app) {
  auto options = std::make_shared<CompareCommandOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "Compare the settings and numbers of two results or sweeps");
  command->add_option("A", options->a, "A result or a sweep")->required();
  command->add_option("B", options->b, "Another of the same kind")->required();
  command
      ->add_option("--tolerance", options->tolerance,
                   "Numbers whose relative difference is at most this are the same")
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--only", options->only,
                      "Of sweeps only the scalars with this part in their name");
  command->add_flag("--json", options->json, "As JSON");
  command->footer(
      "Points of sweeps are matched by id, then by settings. Repeats are compared by Student's t:\n"
      "of pairs where both have the same seeds, otherwise by Welch's; p is corrected by Holm.\n"
      "The exit status is 0 when all numbers are the same, and 1 when any differs.\n\n"
      "Examples:\n"
      "  orrery run rotation --out turns\n"
      "  orrery run rotation --out again\n"
      "  orrery compare turns again");
  return {command, [options] { return compare_command(*options); }};
}

}  // namespace

std::vector<Command> declare_report_commands(CLI::App& app, const std::vector<std::string>&) {
  return {add_redraw(app), add_plot(app), add_report(app), add_export(app), add_compare(app)};
}

}  // namespace orrery::cli
