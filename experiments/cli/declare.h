#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "experiments/results/figure_options.h"

namespace orrery::cli {

/// A subcommand, and the function that runs it once the command line has been read; it returns the
/// exit status.
struct Command {
  CLI::App* app{};
  std::function<int()> run{};
};

/// Adds every subcommand to `app`, in the order of the help. `argv` is recorded in manifests.
std::vector<Command> declare_commands(CLI::App& app, const std::vector<std::string>& argv);

// The files declare_*.cpp are named after the first command that they declare; each command runs
// in a function of commands.h, in a file of its own name.
using Declare = std::vector<Command>(CLI::App& app, const std::vector<std::string>& argv);
Declare declare_list_commands;      ///< list, describe, positions
Declare declare_models_commands;    ///< models, families, tokens
Declare declare_heads_commands;     ///< model_heads, what_if, settle, lens, …, passport
Declare declare_identify_commands;  ///< identify
Declare declare_verify_commands;    ///< verify
Declare declare_run_commands;       ///< run
Declare declare_sweep_commands;     ///< sweep, plan, status, resume, merge
Declare declare_report_commands;    ///< redraw, plot, report, export, compare
Declare declare_note_commands;      ///< note, tag
Declare declare_attend_commands;    ///< attend, apply
Declare declare_lesson_commands;    ///< lesson
Declare declare_open_commands;      ///< open, completion, help

struct HelpOptions {
  std::string topic{};  ///< a command or a page of the manual; empty: what there is
  std::string man{};    ///< folder for the man pages, in place of a topic
};
/// Prints help, or writes the man pages. Throws UsageError, IoError.
int help_command(const CLI::App& app, const HelpOptions& options);

/// The man page of the program: every command with its options, as declared.
std::string man_page_of(const CLI::App& app);

/// The options of a command, as in --out.
std::vector<std::string> option_names(const CLI::App& command);

/// --figure, --format, --theme, --formulas and the page.
void add_figure_options(CLI::App* command, FigureOptions& figures);
/// --format, of these, --theme and the page.
void add_drawing_options(CLI::App* command, FigureOptions& figures,
                         const std::vector<std::string>& formats);
/// --width, --height, --text-size, --title and --caption of the page that figures are drawn on.
void add_page_options(CLI::App* command, figure::Page& page);

}  // namespace orrery::cli
