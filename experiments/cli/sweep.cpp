#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "experiments/cli/compute.h"
#include "experiments/cli/console.h"
#include "experiments/setup/plugins.h"
#include "experiments/sweeps/merge.h"
#include "experiments/sweeps/sweep_folder.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

void say_duplicates(const Plan& plan) {
  if (!is_quiet() && plan.points.size() < plan.crossed * static_cast<std::size_t>(plan.repeats))
    say(
        fmt::format("{} combinations are {} points: a value that is not read makes no "
                    "difference\n",
                    plan.crossed, plan.points.size() / static_cast<std::size_t>(plan.repeats)));
}

/// The plan in a shard's folder where it was made of the same request: then the points of the other
/// shards need not be planned to know those of this one.
std::optional<Plan> planned_before(const SweepSpec& spec, const FigureOptions& figures,
                                   Shard shard) try {
  const std::string request = request_id(spec, figures);
  const fs::path folder = shard_folder(spec.out, shard);
  const bool may_be = !spec.out.empty() && !request.empty() && plugin_words().empty() &&
                      fs::exists(folder.parent_path() / whole_plan_file);
  if (!may_be || !is_sweep_folder(folder)) return std::nullopt;
  Plan plan = read_plan(folder);
  const bool is_same = plan.whole && plan.whole->request == request && plan.shard == shard;
  return is_same ? std::optional(std::move(plan)) : std::nullopt;
} catch (const Error&) {  // damaged, or of another program: it is planned anew, and then refused
  return std::nullopt;
}

int sweep_shard(const SweepSpec& spec, const SweepOptions& options) {
  const Shard shard = parse_shard(options.shard);
  const FigureOptions figures = without_none(options.figures);
  if (const auto before = planned_before(spec, figures, shard))
    return compute(*before, shard_folder(spec.out, shard), options.compute);
  const Plan plan = planned(spec, figures);
  say_duplicates(plan);
  const std::string whole = folder_of(spec, plan);
  keep_whole_plan(whole, plan);
  const Plan part = part_of(plan, shard, request_id(spec, figures));
  return compute(part, shard_folder(whole, shard), options.compute);
}

int run_sweep_of(const SweepOptions& options) {
  const SweepSpec spec = spec_of(options);
  if (!options.shard.empty()) return sweep_shard(spec, options);
  const Plan plan = planned(spec, without_none(options.figures));
  say_duplicates(plan);
  return compute(plan, folder_of(spec, plan), options.compute);
}

}  // namespace

Command sweep_command() {
  const auto o = std::make_shared<SweepOptions>();
  Command command{"sweep", "Compute every point of a sweep on all cores; finished points are kept",
                  [o] { return run_sweep_of(*o); }};
  command.options = joined(sweep_options(*o), compute_options(o->compute));
  command.words = &o->words;
  command.argv = &o->compute.argv;
  command.footer =
      R"(Lists are crossed, the last key varying fastest: key=a,b  key=range(0,256,8)  key=pow2(7..14)
key=linspace(a,b,n)  key=logspace(a,b,n) (powers of ten)  key=geomspace(a,b,n).
With --draws N keys are drawn together: key=uniform(a,b)  key=loguniform(a,b).
The command line overrides the file, the file its preset, and the preset the defaults.
All points have the same seed, and so the same random contents: --seed, and with --repeats
others derived from it. --unpaired derives one for each point.

Examples:
  orrery sweep long_term_decay dim=32,64,128 'base=logspace(3,5,3)' --out decay
  orrery sweep long_term_decay 'dim=uniform(8,64)' 'base=loguniform(1e3,1e6)' --draws 9
  orrery sweep decay_over_bases --format none --threads 2
  orrery sweep long_term_decay dim=64,128 base=1e4,5e5 --zip dim,base --out zipped)";
  return command;
}

}  // namespace orrery
