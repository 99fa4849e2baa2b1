// plan: what a sweep would compute.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/errors.h"
#include "core/parallel.h"
#include "experiments/cli/command.h"
#include "experiments/cli/compute.h"
#include "experiments/cli/console.h"
#include "experiments/cli/figure_words.h"
#include "experiments/cli/sweep_console.h"
#include "experiments/files/file.h"
#include "experiments/results/result_json.h"
#include "experiments/setup/plugins.h"
#include "experiments/sweeps/estimate.h"
#include "experiments/sweeps/job_script.h"
#include "experiments/sweeps/merge.h"
#include "experiments/sweeps/sweep_folder.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

struct PlanOptions {
  SweepOptions sweep{};
  std::string emit{};
  int shards{0};  ///< 0: one per point, at most 64
  bool list{false}, sample{true};
};

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_samples = 3;
constexpr double most_seconds = 10;
constexpr int most_shards = 64;

/// The words of the sweep itself, and not the name of its file: what a job starts is what was
/// planned, whatever becomes of the file until then. Lists that no command line takes, and draws,
/// stay as they were typed.
Words resolved_words(const SweepSpec& spec, const SweepOptions& options) {
  constexpr std::size_t most_bytes = 60'000;
  Words words{spec.experiment->info.name};
  std::size_t bytes = 0;
  for (const SweepSpec::Axis& axis : spec.axes) {
    words.push_back(fmt::format("{}={}", axis.key, fmt::join(axis.values, ",")));
    bytes += words.back().size();
  }
  for (const auto& keys : spec.zips) {
    words.emplace_back("--zip");
    words.push_back(fmt::format("{}", fmt::join(keys, ",")));
  }
  if (bytes <= most_bytes && spec.draws == 0) return words;
  words = {options.name.starts_with('-') ? "./" + options.name : options.name};
  words.insert(words.end(), options.words.begin(), options.words.end());
  for (const std::string& keys : options.zips) words.insert(words.end(), {"--zip", keys});
  if (spec.draws > 0)
    words.insert(words.end(), {"--draws", fmt::format("{}", spec.draws), "--sampling",
                               spec.latin ? "latin" : "random"});
  return words;
}

Words words_of(const SweepSpec& spec, const SweepOptions& options) {
  Words words = resolved_words(spec, options);
  const auto add = [&](const char* flag, const std::string& value) {
    words.emplace_back(flag);
    words.push_back(value);
  };
  if (spec.repeats > 1) add("--repeats", fmt::format("{}", spec.repeats));
  if (spec.seed != 0) add("--seed", fmt::format("{}", spec.seed));
  if (!spec.paired) words.emplace_back("--unpaired");
  for (std::string& word : figure_words(options.figures)) words.push_back(std::move(word));
  return words;
}

std::string axes_text(const SweepSpec& spec) {
  std::string text;
  for (const SweepSpec::Axis& axis : spec.axes) {
    constexpr std::size_t shown = 8;
    const Words first(
        axis.values.begin(),
        axis.values.begin() + static_cast<std::ptrdiff_t>(std::min(shown, axis.values.size())));
    text += fmt::format(
        "  {} = {}{}\n", axis.key, fmt::join(first, ", "),
        axis.values.size() > shown ? fmt::format(", … ({} values)", axis.values.size()) : "");
  }
  for (const auto& keys : spec.zips)
    text += fmt::format("  {} advance together\n", fmt::join(keys, ", "));
  return text;
}

std::string estimate_text(const Estimate& estimate, std::size_t left) {
  if (left == 0) return "nothing is left to compute\n";
  std::string text;
  if (!estimate.failure.empty()) text += fmt::format("a sample failed: {}\n", estimate.failure);
  const int threads = threads_or_all(0);
  if (estimate.partial > 0)
    text +=
        fmt::format("the time for samples ended at {:.0f}% of a point\n", 100 * estimate.partial);
  if (estimate.samples == 0 && estimate.partial > 0)
    return text + fmt::format("about {} on {} threads, {} of memory per thread or more\n",
                              duration_text(estimate.seconds / threads), threads,
                              bytes_text(estimate.memory));
  if (estimate.samples == 0) return text;
  return text +
         fmt::format(
             "about {} on {} threads, {} on disk, {} of memory per thread (estimated from {} "
             "discarded sample points)\n",
             duration_text(estimate.seconds / threads), threads, bytes_text(estimate.bytes),
             bytes_text(estimate.memory), estimate.samples);
}

/// Where no line can be drawn anew, one line tells what the wait is for.
class SampleProgress : public ConsoleProgress {
 public:
  SampleProgress() : ConsoleProgress(is_quiet()) {}
  void update(double fraction, std::string_view stage) override {
    ConsoleProgress::update(fraction, stage);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    if (said_ || can_redraw_lines() || elapsed.count() < 1.0) return;
    said_ = true;
    tell(
        fmt::format("computing sample points for the estimate, for at most {:.0f} s; "
                    "--no-sample skips them\n",
                    most_seconds));
  }

 private:
  bool said_{false};
  std::chrono::steady_clock::time_point start_{std::chrono::steady_clock::now()};
};

/// Three and one and a half times what is estimated, as nodes differ and a job past its limits is
/// killed.
JobNeeds needs_of(double seconds, double bytes) {
  constexpr double time_margin = 3.0, memory_margin = 1.5;
  constexpr int least_minutes = 10, least_mebibytes = 256;
  return {
      std::max(least_minutes, static_cast<int>(std::ceil(time_margin * seconds / 60.0))),
      std::max(least_mebibytes, static_cast<int>(std::ceil(memory_margin * bytes / (1 << 20))))};
}

void add_needs(const PlanOptions& options, const SweepSpec& spec, const Plan& plan,
               EmitOptions& emit) {
  const MergeCost merge = merge_cost(plan_cost(spec).points);
  emit.merge = needs_of(merge.seconds, merge.bytes);
  if (!options.sample) return;
  SampleProgress progress;
  const Estimate estimate =
      estimate_cost(plan, pointers_to(plan.points), most_samples, most_seconds, progress);
  if (estimate.seconds <= 0) return;
  const int jobs = options.emit == "slurm" ? tasks_of(emit.shards) : emit.shards;
  emit.task = needs_of(estimate.seconds / jobs, static_cast<double>(estimate.memory));
}

/// Snakemake works in OUT.shards, and reads its path as one of its patterns.
void require_name_for_snakemake(const EmitOptions& emit) {
  const std::string path = (fs::path(emit.folder) / emit.out).string();
  if (path.find_first_of("{}") != std::string::npos)
    throw UsageError(path, "has a brace, which Snakemake takes for a pattern",
                     "choose another folder with --out");
}

void emit_script(const PlanOptions& options, const SweepSpec& spec, const Plan& plan) {
  std::error_code failure;
  const fs::path self = fs::read_symlink("/proc/self/exe", failure);
  const int points = static_cast<int>(std::min<std::size_t>(plan.points.size(), most_shards));
  EmitOptions emit{.program = failure ? "orrery" : self.string(),
                   .folder = current_folder().string(),
                   .sweep = words_of(spec, options.sweep),
                   .plugins = plugin_words(),
                   .name = spec.name.empty() ? spec.experiment->info.name : spec.name,
                   .out = spec.out,
                   .plan = plan_id(plan),
                   .shards = options.shards > 0 ? options.shards : points};
  if (options.emit == "snakemake") require_name_for_snakemake(emit);
  if (options.emit == "slurm" || options.emit == "snakemake") add_needs(options, spec, plan, emit);
  print(job_script(options.emit, emit));
}

std::string points_text(const Plan& plan, const fs::path& folder, const JournalState& journal) {
  std::string text;
  for (const PlanPoint& point : plan.points)
    text += fmt::format("  {} {:7} {}\n", point.id,
                        name_of(point_state(folder, journal, point.id).status), point.label);
  return text;
}

int show_plan(const PlanOptions& options) {
  SweepSpec spec = spec_of(options.sweep);
  const Shard shard = options.sweep.shard.empty() ? Shard{} : parse_shard(options.sweep.shard);
  const Plan whole = planned(spec, without_none(options.sweep.figures));
  spec.out = folder_of(spec, whole);
  if (!options.emit.empty()) {
    emit_script(options, spec, whole);
    return exit_ok;
  }
  const Plan plan = part_of(whole, shard);
  const fs::path folder =
      options.sweep.shard.empty() ? fs::path(spec.out) : shard_folder(spec.out, shard);
  if (is_sweep_folder(folder)) {
    const Plan before = read_plan(folder);
    const Words differences = plan_differences(before, plan);
    if (!differences.empty() && !extends(plan, before))
      throw PlanError(folder.string(), differences);
  }
  const Standing standing = standing_of(plan, folder);
  std::vector<const PlanPoint*> left = standing.pending;
  left.insert(left.end(), standing.failed.begin(), standing.failed.end());
  if (options.sweep.compute.json) {
    Json json = to_json(plan);
    json["out"] = folder.string();
    json["done"] = standing.done.size();
    json["failed"] = standing.failed.size();
    json["left"] = standing.pending.size();
    print(json_text(json));
    return exit_ok;
  }
  print(bold(spec.experiment->info.name) + "\n" + axes_text(spec));
  print(fmt::format("{} points{}, {} done, {} failed, {} left; into {}/\n", plan.points.size(),
                    plan.repeats > 1 ? fmt::format(" ({} repeats)", plan.repeats) : "",
                    standing.done.size(), standing.failed.size(), standing.pending.size(),
                    folder.string()));
  if (options.list) print(points_text(plan, folder, standing.journal));
  if (options.sample) {
    SampleProgress progress;
    print(estimate_text(estimate_cost(plan, left, most_samples, most_seconds, progress),
                        left.size()));
  }
  return exit_ok;
}

}  // namespace

Command plan_command() {
  const auto o = std::make_shared<PlanOptions>();
  Command command{"plan",
                  "Show the points, time, memory and disk space of a sweep, or print a job script "
                  "for it",
                  [o] { return show_plan(*o); }};
  command.options = joined(
      sweep_options(o->sweep),
      {{"--list", &o->list, "List every point with its id"},
       {"--no-sample", [o] { o->sample = false; }, "Skip the sample of points for the estimate"},
       {"--emit", &o->emit, "Print a job script for slurm, parallel, mpi or snakemake instead",
        one_of({"slurm", "parallel", "mpi", "snakemake"})},
       {"--shards", &o->shards,
        "Number of shards of the script; default: one per point, at most 64", between(1, 100000)},
       {"--json", &o->sweep.compute.json, "As JSON"}});
  command.words = &o->sweep.words;
  command.footer = R"(Examples:
  orrery plan long_term_decay dim=64,128 base=1e4,5e5 --list
  orrery plan decay_over_bases --emit slurm --shards 4 > decay.sh)";
  return command;
}

}  // namespace orrery
