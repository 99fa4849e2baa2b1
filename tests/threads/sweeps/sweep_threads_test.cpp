// Sweeps on several threads, stopped and resumed, and the studies' computations side by side. The
// assertions are few: ThreadSanitizer looks on.
#include <atomic>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <thread>

#include "experiments/data/load_inputs.h"
#include "experiments/results/result_json.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/runner.h"
#include "tests/support/experiment_run.h"
#include "tests/support/temp_folder.h"

using namespace orrery;

namespace {

/// Told on the thread that called run_sweep.
class Listener : public SweepObserver {
 public:
  void tick(const SweepProgress& progress) override { CHECK(progress.finished <= progress.total); }
  void finished(const PlanPoint& point, const JournalEntry& entry, const SweepProgress&) override {
    CHECK(point.id == entry.id);
  }
};

constexpr int never = 1'000'000'000;

/// Asks to stop when it was asked so often, by whichever thread. Every point asks at least once.
SweepOutcome run_until(const Plan& plan, const std::filesystem::path& path, int questions) {
  SweepFolder folder(path, plan);
  Listener listener;
  std::atomic<int> asked{0};
  RunnerOptions options{.threads = 4, .argv = {"test"}};
  options.stop_requested = [&] { return ++asked > questions; };
  return run_sweep(plan, folder, options, listener);
}

void sweep_and_resume(const std::string& toml, const FigureOptions& figures, int questions) {
  const TempFolder temp;
  const Plan plan = make_plan(parse_sweep(toml, "sweep"), figures);
  REQUIRE(plan.points.size() > 4);
  CHECK(run_until(plan, temp.path() / "sweep", questions).stopped);
  const SweepOutcome resumed = run_until(plan, temp.path() / "sweep", never);
  CHECK_FALSE(resumed.stopped);
  CHECK(resumed.progress.before < plan.points.size());
  CHECK(resumed.progress.before + resumed.progress.finished == plan.points.size());
  CHECK(resumed.progress.failed == 0);
}

/// The result's bytes, or why there is none.
std::string bytes_of(const Experiment& experiment) {
  ParamSet params = test::affordable_params(experiment);
  if (params.has("text")) params.set("text", "bundled:the_orrery.txt");
  SilentProgress progress;
  try {
    return json_text(to_json(experiment.run(params, load_inputs(params).inputs, progress)));
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("A sweep on four threads is stopped and resumed") {
  sweep_and_resume(
      "experiment = \"long_term_decay\"\n[params]\nmax_distance = 8\n[sweep]\n"
      "dim = [4, 8, 12, 16]\nbase = [10, 100, 1e3, 1e4]\n",
      {}, 60);
}

TEST_CASE("A sweep on four threads draws its figures") {
  sweep_and_resume(
      "experiment = \"long_term_decay\"\n[params]\nmax_distance = 8\n[sweep]\n"
      "dim = [4, 8, 12]\nbase = [10, 100, 1e3]\n",
      {{"svg", "png", "pdf"}, "dark", true}, 40);
}

TEST_CASE("A sweep on four threads reads a text") {
  sweep_and_resume(
      "experiment = \"attention_map\"\n[params]\ntext = \"bundled:the_orrery.txt\"\n"
      "max_tokens = 6\ncontents = \"random\"\ndim = 8\n[sweep]\n"
      "base = [10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]\n",
      {}, 10);
}

TEST_CASE("Points that fail end neither the other points nor their threads") {
  const TempFolder temp;
  const Plan plan = make_plan(
      parse_sweep("experiment = \"encoding_matrix\"\n[params]\nencoding = \"t5\"\n[sweep]\n"
                  "t5.max_distance = [5, 6, 7, 8, 9, 10, 128, 256]\n",
                  "sweep"),
      {});
  const SweepOutcome outcome = run_until(plan, temp.path() / "sweep", never);
  CHECK(outcome.progress.finished == plan.points.size());
  CHECK(outcome.progress.failed > 0);
}

TEST_CASE("Each experiment gives the same bytes on two threads at once") {
  for (const Experiment* experiment : experiment_catalogue())
    DYNAMIC_SECTION(experiment->info.name) {
      std::string first, second;
      {
        const std::jthread one([&] { first = bytes_of(*experiment); });
        const std::jthread two([&] { second = bytes_of(*experiment); });
      }
      CHECK(first.starts_with("{"));
      CHECK(first == second);
    }
}
