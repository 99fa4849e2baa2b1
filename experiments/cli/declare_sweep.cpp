// sweep, plan, status, resume, merge
#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"
#include "experiments/sweeps/sweep_spec.h"

namespace orrery::cli {
namespace {

using Words = std::vector<std::string>;

void add_compute_options(CLI::App* command, ComputeOptions& options, const Words& argv) {
  options.argv = argv;
  command
      ->add_option("--threads", options.threads, "Points computed at once; default: one per core")
      ->check(CLI::Range(1, 4096));
  command->add_flag("--fail-fast", options.fail_fast,
                    "Start no further point after one has failed");
  command->add_flag("--json", options.json,
                    "Print one line of JSON per point, as in results.jsonl");
}

void add_sweep_options(CLI::App* command, SweepOptions& options) {
  command->add_option("NAME", options.name, "An experiment, a preset or a .toml file")->required();
  command->allow_extras();
  command->add_option(
      "--out", options.out,
      "Folder of the sweep, new or with a part of it;\ndefault orrery-results/NAME-ID");
  command->add_option("--zip", options.zips, "Keys whose values advance together: dim,base")
      ->allow_extra_args(false);
  command->add_option("--draws", options.draws, "Points of the keys that are drawn: uniform(a,b)")
      ->check(CLI::Range(1, max_draws));
  command->add_option("--sampling", options.sampling, "Draw as latin (hypercube) or random")
      ->check(CLI::IsMember({"latin", "random"}));
  command->add_option("--repeats", options.repeats, "Compute every point with this many seeds")
      ->check(CLI::Range(1, max_repeats));
  command->add_option("--seed", options.seed, "Root of the points' seeds")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{INT32_MAX}));
  command->add_flag("--unpaired", options.unpaired,
                    "Give every point a seed of its own; default: the same seeds for all");
  command->add_option("--shard", options.shard, "Compute only part i of n: i/n");
  add_figure_options(command, options.figures);
}

Command declare_sweep(CLI::App& app, const Words& argv) {
  auto options_of = std::make_shared<SweepOptions>();
  CLI::App* command = app.add_subcommand(
      "sweep", "Compute every point of a sweep on all cores; finished points are kept");
  add_sweep_options(command, *options_of);
  add_compute_options(command, options_of->compute, argv);
  command->footer(
      "Lists are crossed, the last key varying fastest: key=a,b  key=range(0,256,8)  "
      "key=pow2(7..14)\n"
      "key=linspace(a,b,n)  key=logspace(a,b,n) (powers of ten)  key=geomspace(a,b,n).\n"
      "With --draws N keys are drawn together: key=uniform(a,b)  key=loguniform(a,b).\n"
      "The command line overrides the file, the file its preset, and the preset the defaults.\n"
      "All points have the same seed, and so the same random contents: --seed, and with --repeats\n"
      "others derived from it. --unpaired derives one for each point.\n\n"
      "Examples:\n"
      "  orrery sweep long_term_decay dim=32,64,128 'base=logspace(3,5,3)' --out decay\n"
      "  orrery sweep long_term_decay 'dim=uniform(8,64)' 'base=loguniform(1e3,1e6)' --draws 9\n"
      "  orrery sweep decay_over_bases --format none --threads 2\n"
      "  orrery sweep long_term_decay dim=64,128 base=1e4,5e5 --zip dim,base --out zipped");
  return {command, [=] {
            options_of->words = command->remaining();
            return sweep_command(*options_of);
          }};
}

Command declare_plan(CLI::App& app) {
  auto options_of = std::make_shared<PlanOptions>();
  PlanOptions& options = *options_of;
  CLI::App* command = app.add_subcommand(
      "plan",
      "Show the points, time, memory and disk space of a sweep, or print a job script for it");
  add_sweep_options(command, options.sweep);
  command->add_flag("--list", options.list, "List every point with its id");
  command->add_flag_callback(
      "--no-sample", [&options] { options.sample = false; },
      "Skip the sample of points for the estimate");
  command
      ->add_option("--emit", options.emit,
                   "Print a job script for slurm, parallel, mpi or snakemake instead")
      ->check(CLI::IsMember({"slurm", "parallel", "mpi", "snakemake"}));
  command
      ->add_option("--shards", options.shards,
                   "Number of shards of the script; default: one per point, at most 64")
      ->check(CLI::Range(1, 100000));
  command->add_flag("--json", options.sweep.compute.json, "As JSON");
  command->footer(
      "Examples:\n"
      "  orrery plan long_term_decay dim=64,128 base=1e4,5e5 --list\n"
      "  orrery plan decay_over_bases --emit slurm --shards 4 > decay.sh");
  return {command, [=] {
            options_of->sweep.words = command->remaining();
            return plan_command(*options_of);
          }};
}

Command declare_status(CLI::App& app) {
  auto options_of = std::make_shared<StatusOptions>();
  CLI::App* command = app.add_subcommand("status", "Show how much of a sweep is done");
  command->add_option("DIR", options_of->folder, "Folder of a sweep")->required();
  CLI::Option* json = command->add_flag("--json", options_of->json, "As JSON");
  command
      ->add_flag("--watch", options_of->watch,
                 "Count again every two seconds until every point is done or failed")
      ->excludes(json);
  command->footer(
      "The shards of the sweep, in DIR.shards, are shown as well. --watch believes the journals;\n"
      "without it every file of every point is checked.\n\n"
      "Examples:\n"
      "  orrery sweep decay_over_bases --format none --out bases\n"
      "  orrery status bases\n"
      "  orrery status --watch bases");
  return {command, [=] { return status_command(*options_of); }};
}

Command declare_resume(CLI::App& app, const Words& argv) {
  auto options_of = std::make_shared<ResumeOptions>();
  CLI::App* command =
      app.add_subcommand("resume", "Compute the pending and failed points of a sweep");
  command->add_option("DIR", options_of->folder, "Folder of a sweep")->required();
  add_compute_options(command, options_of->compute, argv);
  command->footer(
      "Examples:\n"
      "  orrery sweep decay_over_bases --format none --out bases\n"
      "  orrery resume bases");
  return {command, [=] { return resume_command(*options_of); }};
}

Command declare_merge(CLI::App& app, const Words& argv) {
  auto options_of = std::make_shared<MergeOptions>();
  options_of->argv = argv;
  CLI::App* command = app.add_subcommand("merge", "Merge the shards of a sweep");
  command->add_option("OUT", options_of->out, "Folder of the whole sweep")->required();
  command->add_option("SHARD", options_of->shards, "Folders of shards; default: all in OUT.shards");
  command->footer(
      "Examples:\n"
      "  orrery sweep long_term_decay dim=64,128 --shard 1/2 --out decay --format none\n"
      "  orrery sweep long_term_decay dim=64,128 --shard 2/2 --out decay --format none\n"
      "  orrery merge decay");
  return {command, [=] { return merge_command(*options_of); }};
}

}  // namespace

std::vector<Command> declare_sweep_commands(CLI::App& app, const Words& argv) {
  return {declare_sweep(app, argv), declare_plan(app), declare_status(app),
          declare_resume(app, argv), declare_merge(app, argv)};
}

}  // namespace orrery::cli
