#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/errors.h"
#include "core/params.h"
#include "experiments/batch/build_info.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/saved_commands.h"

namespace {

using namespace orrery;
using namespace orrery::cli;

std::string version_text() {
  const BuildInfo& build = build_info();
  return fmt::format("orrery {} ({}{}, {}, {})", build.version, build.commit.substr(0, 12),
                     build.dirty.value_or(false) ? ", modified" : "", build.compiler,
                     build.cpu_level);
}

void add_list(CLI::App& app, ListOptions& options) {
  CLI::App* command = app.add_subcommand("list", "Experiments and encodings");
  command->add_option("what", options.what, "all, experiments or encodings")
      ->check(CLI::IsMember({"all", "experiments", "encodings"}));
  command->add_flag("--json", options.json, "As JSON");
  command->footer("Example: orrery list encodings --json");
}

void add_describe(CLI::App& app, DescribeOptions& options) {
  CLI::App* command = app.add_subcommand(
      "describe", "What an experiment answers or an encoding does, its equations and parameters");
  command->add_option("NAME", options.name, "An experiment or an encoding")->required();
  command->add_flag("--json", options.json, "As JSON");
  command->footer("Example: orrery describe long_term_decay");
}

void add_run(CLI::App& app, RunOptions& options) {
  CLI::App* command =
      app.add_subcommand("run", "Run an experiment; write figures, CSV, NPY, manifest");
  command->add_option("NAME", options.experiment, "The experiment; orrery list shows them")
      ->required();
  command->allow_extras();
  command->add_option("--out", options.out, "Folder of the result; default orrery-results/NAME-ID");
  command->add_option("--format", options.formats, "Figures as svg, png, pdf, or none")
      ->delimiter(',')
      ->check(CLI::IsMember({"svg", "png", "pdf", "none"}));
  command->add_option("--theme", options.theme, "Figures in light, dark or print")
      ->check(CLI::IsMember({"light", "dark", "print"}));
  command->add_flag("--json", options.json, "Print the whole result as JSON");
  command->add_flag("--quiet", options.quiet, "Print nothing but errors, and JSON if asked for");
  command->footer(
      "Parameters follow as key=value, or as --key value; orrery describe NAME lists them.\n"
      "key=a,b runs each value, and several such keys are crossed; encoding=rope+alibi puts both "
      "on\n"
      "one plot.\n\n"
      "Examples:\n"
      "  orrery run long_term_decay dim=128 base=10000\n"
      "  orrery run long_term_decay dim=64,128 base=1e4,5e5\n"
      "  orrery run attention_map --text README.md encoding=rope --out map");
}

void add_array_options(CLI::App* command, ArrayOptions& options) {
  command->allow_extras();
  command
      ->add_option("--table", options.tables,
                   "A trained table, NAME=FILE, or FILE for all that it holds")
      ->allow_extra_args(false);
  command->add_option("--positions", options.positions, "Positions of keys or rows: 0..9 or 3,1,4");
}

void add_attend(CLI::App& app, ArrayOptions& options) {
  CLI::App* command =
      app.add_subcommand("attend", "Attention of your own q, k, v: terms, logits, weights, output");
  add_array_options(command, options);
  command->add_option("--query-positions", options.query_positions,
                      "Positions of queries; by default they are the last of the keys");
  command->add_option("--out", options.out, "A new .npz or .safetensors file, or a folder")
      ->required();
  command->footer(
      "q, k, v are [N, d] or [heads, N, d] in .npy, .npz or .safetensors (FILE#NAME); k, v may "
      "have fewer heads. Tables "
      "that\n"
      "are not given are drawn by seed at their authors' scale.\n\n"
      "Examples:\n"
      "  orrery attend q=q.npy k=k.npy v=v.npy encoding=rope causal=true --out head.npz\n"
      "  orrery attend q=q.npy k=k.npy encoding=t5 --table t5.table=bias.npy heads=1 --out head");
}

void add_apply(CLI::App& app, ArrayOptions& options) {
  CLI::App* command = app.add_subcommand(
      "apply", "One encoding on given vectors; or its frequencies, slopes or index matrix");
  add_array_options(command, options);
  command->add_option("--out", options.out, "File of the encoded vectors, .npy; it must not exist");
  command->add_flag("--csv", options.csv, "Print a table as CSV with 17 digits");
  command->footer(
      "Examples:\n"
      "  orrery apply encoding=rope x=q.npy --positions 5..9 --out turned.npy\n"
      "  orrery apply encoding=rope dim=8\n"
      "  orrery apply encoding=t5 --positions 0..5\n"
      "  orrery apply encoding=deberta deberta.span=3 --positions 0,2,9");
}

void add_verify(CLI::App& app, VerifyCommandOptions& options) {
  CLI::App* command = app.add_subcommand(
      "verify", "Walk the RoFormer paper: every equation and claim, measured; and its errata");
  command->add_option("--seed", options.seed, "Of the random contents");
  command->add_option("--draws", options.draws, "Random contents at each size")
      ->check(CLI::Range(1, 1000));
  command->add_option("--only", options.only,
                      "Claims whose name, statement or equation has this part");
  command->add_flag("--json", options.json, "As JSON");
  command->footer(
      "Each equation is evaluated by the core and again literally, with loops over tokens and\n"
      "channels; the number is how far they are apart. The exit status is 1 if a claim fails.\n\n"
      "Examples:\n"
      "  orrery verify\n"
      "  orrery verify --only DeBERTa");
}

int exit_code_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::usage:
      return exit_usage;
    case ErrorKind::data:
      return exit_data;
    case ErrorKind::io:
      return exit_io;
  }
  return exit_failed;
}

/// What the command line was parsed into.
struct Options {
  ListOptions list{};
  DescribeOptions describe{};
  RunOptions run{};
  ArrayOptions attend{};
  ArrayOptions apply{};
  VerifyCommandOptions verify{};
  std::vector<SavedCommand> saved{};
};

int dispatch(CLI::App& app, Options& options) {
  const auto words = [&](const char* command) { return app.get_subcommand(command)->remaining(); };
  for (const SavedCommand& command : options.saved)
    if (app.got_subcommand(command.app)) return command.run();
  if (app.got_subcommand("list")) return list_command(options.list);
  if (app.got_subcommand("describe")) return describe_command(options.describe);
  if (app.got_subcommand("verify")) return verify_command(options.verify);
  if (app.got_subcommand("attend")) {
    options.attend.words = words("attend");
    return attend_command(options.attend);
  }
  if (app.got_subcommand("apply")) {
    options.apply.words = words("apply");
    return apply_command(options.apply);
  }
  options.run.words = words("run");
  return run_command(options.run);
}

int guarded(CLI::App& app, Options& options) {
  try {
    const int code = dispatch(app, options);
    finish_output();
    return code;
  } catch (const Stopped&) {
    say("orrery: stopped; nothing was written\n");
    return 128 + stop_signal();
  } catch (const Error& error) {
    say(fmt::format("orrery: {}\n", error.what()));
    return exit_code_of(error);
  } catch (const std::exception& error) {
    say(fmt::format("orrery: {}; this is a defect of orrery itself\n", error.what()));
    return exit_failed;
  }
}

/// CLI11 only says that a command is missing; a misspelt one deserves its nearest name.
void check_command(const CLI::App& app, const std::vector<std::string>& argv) {
  if (argv.size() < 2 || argv[1].starts_with("-")) return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return;
  const std::string near = nearest_name(argv[1], names);
  throw UsageError(argv[1], "is not a command",
                   near.empty() ? fmt::format("the commands are {}", fmt::join(names, ", "))
                                : fmt::format("did you mean {}?", near));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Orrery: how does this model know where its tokens are?", "orrery");
  app.set_version_flag("--version", version_text());
  app.require_subcommand(1);
  app.footer(
      "orrery COMMAND --help says more. Example: orrery run long_term_decay dim=128 base=10000");
  Options options;
  const std::vector<std::string> words(argv, argv + argc);
  options.run.argv = options.attend.argv = options.apply.argv = words;
  add_list(app, options.list);
  add_describe(app, options.describe);
  add_run(app, options.run);
  add_attend(app, options.attend);
  add_apply(app, options.apply);
  add_verify(app, options.verify);
  options.saved = add_saved_commands(app);
  try {
    check_command(app, words);
    app.parse(argc, argv);
  } catch (const UsageError& error) {
    say(fmt::format("orrery: {}\n", error.what()));
    return exit_usage;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  listen_for_stop_signals();
  return guarded(app, options);
}
