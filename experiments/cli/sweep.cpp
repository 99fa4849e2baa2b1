// sweep, resume, merge: the commands that compute the points of a plan.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>

#include "core/parallel.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/require_memory.h"
#include "experiments/cli/sweep_console.h"
#include "experiments/results/result_json.h"
#include "experiments/setup/plugins.h"
#include "experiments/sweeps/merge.h"
#include "experiments/sweeps/runner.h"
#include "experiments/sweeps/sweep_folder.h"
#include "experiments/sweeps/sweep_results.h"
#include "experiments/text/number_text.h"

namespace orrery::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_table_rows = 40;

bool all_checks_hold(const std::vector<PointRecord>& points) {
  return std::all_of(points.begin(), points.end(),
                     [](const PointRecord& point) { return point.failing_checks() == 0; });
}

/// A point that was written and cannot be read back is pending again: the reason is said here, as
/// the file may be readable when it is looked for.
void say_damages(const std::vector<PointRecord>& points) {
  for (const PointRecord& point : points)
    if (!point.damage.empty())
      say(fmt::format("orrery: point {} {}: {}; orrery resume computes it again\n", point.id,
                      point.label, point.damage));
}

/// What the table shows, where it is not printed.
void say_failing_claims(const std::vector<PointRecord>& points) {
  for (const PointRecord& point : points)
    for (const Check& check : point.checks)
      if (!check.holds())
        say(fmt::format("orrery: point {} {}: {}\n", point.id, point.label, failure_text(check)));
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
  const sweeps::RunnerOptions how{.threads = threads_or_all(options.threads),
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

/// Says what a large plan takes before it is made: nothing else is printed until then.
void tell_cost(const PlanCost& cost) {
  constexpr std::size_t large = 50'000;
  if (cost.points < large) return;
  tell(fmt::format("a plan of up to {} points takes about {} of memory and {} to make\n",
                   cost.points, bytes_text(static_cast<std::uintmax_t>(cost.bytes)),
                   duration_text(cost.seconds)));
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
    say(fmt::format("orrery: stopped; continue with: orrery resume {}\n", path.string()));
    return 128 + stop_signal();
  }
  const bool whole = count_with(outcome.points, PointStatus::done) == outcome.points.size();
  return whole && all_checks_hold(outcome.points) ? exit_ok : exit_failed;
}

}  // namespace

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

FigureOptions without_none(FigureOptions figures) {
  std::erase(figures.formats, "none");
  return figures;
}

namespace {

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
  const bool may_be = !spec.out.empty() && !request.empty() && setup::plugin_words().empty() &&
                      fs::exists(folder.parent_path() / sweeps::whole_plan_file);
  if (!may_be || !sweeps::is_sweep_folder(folder)) return std::nullopt;
  Plan plan = sweeps::read_plan(folder);
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

}  // namespace

int sweep_command(const SweepOptions& options) {
  const SweepSpec spec = spec_of(options);
  if (!options.shard.empty()) return sweep_shard(spec, options);
  const Plan plan = planned(spec, without_none(options.figures));
  say_duplicates(plan);
  return compute(plan, folder_of(spec, plan), options.compute);
}

int resume_command(const ResumeOptions& options) {
  return compute(read_plan(options.folder), options.folder, options.compute);
}

int merge_command(const MergeOptions& options) {
  std::vector<fs::path> shards(options.shards.begin(), options.shards.end());
  if (shards.empty()) shards = shard_folders(options.out);
  const MergeOutcome outcome = merge_shards(options.out, shards, options.argv);
  tell(fmt::format("merged {} points of {} into {}/, which has {} now\n", outcome.merged,
                   outcome.total, options.out, outcome.done));
  for (const std::string& damage : outcome.damages) say(damage + "\n");
  for (const fs::path& shard : outcome.incomplete)
    say(fmt::format("{} is not complete: orrery resume {}, then merge again\n", shard.string(),
                    shard.string()));
  for (const auto& [shard, holder] : outcome.held)
    say(fmt::format("{} is being written by {}: merge again when that has finished\n",
                    shard.string(), holder));
  if (outcome.lacks_shards) say("some shards are missing; merge again when they are there\n");
  for (const std::string& failure : outcome.failures) say(fmt::format("failed {}\n", failure));
  if (!outcome.held.empty()) return exit_locked;
  return outcome.done == outcome.total ? exit_ok : exit_failed;
}

}  // namespace orrery::cli
