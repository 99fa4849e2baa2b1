// The points of a plan are computed, for sweep and resume.
#include "experiments/cli/compute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <set>
#include <span>

#include "core/errors.h"
#include "core/parallel.h"
#include "experiments/cli/console.h"
#include "experiments/cli/sweep_console.h"
#include "experiments/files/memory_limit.h"
#include "experiments/sweeps/runner.h"
#include "experiments/sweeps/sweep_folder.h"
#include "experiments/sweeps/sweep_results.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_table_rows = 40;

bool all_checks_hold(const std::vector<PointRecord>& points) {
  return std::ranges::all_of(points,
                             [](const PointRecord& point) { return point.failing_checks() == 0; });
}

/// A point that was written and cannot be read back is pending again: the reason is said here, as
/// the file may be readable when it is looked for.
void say_damages(const std::vector<PointRecord>& points) {
  for (const PointRecord& point : points)
    if (!point.damage.empty())
      warn(fmt::format("point {} {}: {}; orrery resume computes it again", point.id, point.label,
                       point.damage));
}

/// What the table shows, where it is not printed.
void say_failing_claims(const std::vector<PointRecord>& points) {
  for (const PointRecord& point : points)
    for (const Check& check : point.checks)
      if (!check.holds())
        warn(fmt::format("point {} {}: {}", point.id, point.label, failure_text(check)));
}

std::string closing_line(const fs::path& folder, const SweepOutcome& outcome) {
  const SweepProgress& p = outcome.progress;
  std::string text =
      fmt::format("{} of {} points done", count_with(outcome.points, PointStatus::done), p.total);
  if (p.before > 0) text += fmt::format(" ({} before)", p.before);
  if (const std::size_t failed = count_with(outcome.points, PointStatus::failed); failed > 0)
    text += fmt::format(", {} failed", failed);
  return text + fmt::format(" in {}: {}/\n", duration_text(p.seconds), folder.string());
}

/// What --json prints: results.jsonl, each line as soon as it and those before it are known. An
/// error of stdout waits for the end, as the sweep goes on without its reader.
class LinePrinter : public SweepObserver {
 public:
  LinePrinter(const SweepFolder& folder, const Plan& plan, SweepObserver& next)
      : next_(next), plan_(plan), folder_(folder.path()), journal_(folder.journal()) {
    for (const PlanPoint* point : folder.pending(plan)) pending_.insert(point->id);
    print_known();
  }

  void tick(const SweepProgress& progress) override { next_.tick(progress); }
  void finished(const PlanPoint& point, const JournalEntry& entry,
                const SweepProgress& progress) override {
    journal_.entries[point.id] = entry;
    pending_.erase(point.id);
    print_known();
    next_.finished(point, entry, progress);
  }

  /// Prints the points that were not reached as well. Throws what printing threw.
  void finish(const std::vector<PointRecord>& points) {
    if (failure_) std::rethrow_exception(failure_);
    print(results_jsonl(plan_, std::span(points).subspan(printed_)));
  }

 private:
  void print_known() {
    if (failure_) return;
    try {
      const std::size_t before = printed_;
      for (; printed_ < plan_.points.size() && !pending_.contains(plan_.points[printed_].id);
           ++printed_)
        print_point(point_record(folder_, plan_.points[printed_], journal_));
      if (printed_ > before) finish_output();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  void print_point(const PointRecord& point) { print(results_jsonl(plan_, {&point, 1})); }

  SweepObserver& next_;
  const Plan& plan_;
  fs::path folder_;
  JournalState journal_;
  std::set<std::string> pending_{};
  std::size_t printed_{0};
  std::exception_ptr failure_{};
};

SweepOutcome run_and_print(const Plan& plan, SweepFolder& folder, const ComputeOptions& options) {
  const RunnerOptions how{.threads = threads_or_all(options.threads),
                          .fail_fast = options.fail_fast,
                          .argv = options.argv,
                          .stop_requested = [] { return stop_signal() != 0; }};
  SweepConsole console(is_quiet());
  if (!options.json) return run_sweep(plan, folder, how, console);
  LinePrinter printer(folder, plan, console);
  SweepOutcome outcome = run_sweep(plan, folder, how, printer);
  printer.finish(outcome.points);
  return outcome;
}

std::string size_text(double bytes) { return bytes_text(static_cast<std::uintmax_t>(bytes)); }

/// How many runs can be computed at once, at most `wanted` and at least one: those that take the
/// most must fit together. Says what is lowered, and which run alone takes too much: the others are
/// still computed.
int threads_that_fit(const Experiment& experiment, const std::vector<const ParamSet*>& runs,
                     int wanted) {
  const auto allowed = static_cast<double>(memory_limit());
  std::vector<MemoryEstimate> estimates;
  for (const ParamSet* run : runs) estimates.push_back(memory_of(experiment, *run));
  std::ranges::sort(estimates, [](const MemoryEstimate& a, const MemoryEstimate& b) {
    return a.bytes > b.bytes;
  });
  if (!estimates.empty() && estimates.front().bytes > allowed)
    warn(fmt::format(
        "a point of {}",
        too_little_memory(estimates.front().bytes, experiment.info.name, estimates.front().remedy)
            .what()));
  double together = 0;
  int fitting = 0;
  while (fitting < wanted && static_cast<std::size_t>(fitting) < estimates.size()) {
    together += estimates[static_cast<std::size_t>(fitting)].bytes;
    if (together > allowed) break;
    ++fitting;
  }
  if (fitting == wanted || static_cast<std::size_t>(fitting) == estimates.size()) return wanted;
  fitting = std::max(fitting, 1);
  tell(
      fmt::format("computing {} of {} points at once: more would need about {} of memory, and {} "
                  "may be used\n",
                  fitting, wanted, size_text(together), size_text(allowed)));
  return fitting;
}

}  // namespace

std::vector<Option> compute_options(ComputeOptions& options) {
  return {{"--threads", &options.threads, "Points computed at once; default: one per core",
           between(1, 4096)},
          {"--fail-fast", &options.fail_fast, "Start no further point after one has failed"},
          {"--json", &options.json, "Print one line of JSON per point, as in results.jsonl"}};
}

int compute(const Plan& plan, const fs::path& path, const ComputeOptions& options) {
  SweepFolder folder(path, plan);
  if (folder.damaged_lines() > 0)
    say(fmt::format("{} lines of the journal are damaged; their points are computed again\n",
                    folder.damaged_lines()));
  for (const std::string& damage : folder.damages(plan))
    say(fmt::format("{}; the point is computed again\n", damage));
  std::vector<const ParamSet*> runs;
  for (const PlanPoint* point : folder.pending(plan)) runs.push_back(&point->params);
  ComputeOptions fitting = options;
  fitting.threads = threads_that_fit(*plan.experiment, runs, threads_or_all(options.threads));
  const SweepOutcome outcome = run_and_print(plan, folder, fitting);
  if (!options.json && !is_quiet())
    print(sweep_table(plan, outcome.points, output_width(), max_table_rows));
  tell(closing_line(path, outcome));
  say_damages(outcome.points);
  if (is_quiet()) say_failing_claims(outcome.points);
  if (outcome.stopped) {
    warn(fmt::format("stopped; continue with: orrery resume {}", path.string()));
    return 128 + stop_signal();
  }
  const bool whole = count_with(outcome.points, PointStatus::done) == outcome.points.size();
  return whole && all_checks_hold(outcome.points) ? exit_ok : exit_failed;
}

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
