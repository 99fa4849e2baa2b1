#include "experiments/cli/sweep_options.h"

#include <fmt/format.h>

#include "experiments/cli/console.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

/// Says what a large plan takes before it is made: nothing else is printed until then.
void tell_cost(const PlanCost& cost) {
  constexpr std::size_t large = 50'000;
  if (cost.points < large) return;
  tell(fmt::format("a plan of up to {} points takes about {} of memory and {} to make\n",
                   cost.points, bytes_text(static_cast<std::uintmax_t>(cost.bytes)),
                   duration_text(cost.seconds)));
}

}  // namespace

std::vector<Option> sweep_options(SweepOptions& options) {
  return joined({{"NAME", &options.name, "An experiment, a preset or a .toml file", required()},
                 {"--out", &options.out,
                  "Folder of the sweep, new or with a part of it;\ndefault orrery-results/NAME-ID"},
                 {"--zip", &options.zips, "Keys whose values advance together: dim,base"},
                 {"--draws", &options.draws, "Points of the keys that are drawn: uniform(a,b)",
                  between(1, max_draws)},
                 {"--sampling", &options.sampling, "Draw as latin (hypercube) or random",
                  one_of({"latin", "random"})},
                 {"--repeats", &options.repeats, "Compute every point with this many seeds",
                  between(1, max_repeats)},
                 {"--seed", &options.seed, "Root of the points' seeds", between(0, INT32_MAX)},
                 {"--unpaired", &options.unpaired,
                  "Give every point a seed of its own; default: the same seeds for all"},
                 {"--shard", &options.shard, "Compute only part i of n: i/n"}},
                figure_options(options.figures));
}

SweepSpec spec_of(const SweepOptions& options) {
  SweepSpec spec = sweep_spec_named(options.name);
  apply_words(spec, options.words);
  for (const std::string& note : spec.notes) tell(note + "\n");
  for (const std::string& keys : options.zips) add_zip(spec, keys);
  if (options.repeats > 0) spec.repeats = options.repeats;
  if (options.seed >= 0) spec.seed = options.seed;
  if (options.unpaired) spec.paired = false;
  if (options.draws > 0) spec.draws = options.draws;
  if (!options.sampling.empty()) spec.latin = options.sampling == "latin";
  if (!options.out.empty()) spec.out = options.out;
  return with_draws(spec);
}

Plan planned(const SweepSpec& spec, const FigureOptions& figures) {
  tell_cost(plan_cost(spec));
  return make_plan(spec, figures);
}

std::string folder_of(const SweepSpec& spec, const Plan& plan) {
  if (!spec.out.empty()) return spec.out;
  const std::string& name = spec.name.empty() ? plan.experiment->info.name : spec.name;
  return fmt::format("orrery-results/{}-{}", name, plan_id(plan));
}

}  // namespace orrery
