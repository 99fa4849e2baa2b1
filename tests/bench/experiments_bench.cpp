// Waiting times of a user: an experiment at its defaults, and its first figure as a PNG.
#include <benchmark/benchmark.h>

#include "experiments/data/load_inputs.h"
#include "experiments/figure/export.h"
#include "experiments/studies/catalogue.h"
#include "tests/support/layers.h"

namespace {

using namespace orrery;

Result run(const Experiment& experiment) {
  const ParamSet params(experiment.info.params);
  SilentProgress progress;
  return experiment.run(params, load_inputs(params).inputs, progress);
}

void register_all() {
  for (const Experiment* experiment : experiment_catalogue()) {
    const std::string& name = experiment->info.name;
    benchmark::RegisterBenchmark(("run_" + name).c_str(), [experiment](benchmark::State& state) {
      for (auto _ : state) benchmark::DoNotOptimize(run(*experiment));
    })->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("png_" + name).c_str(), [experiment](benchmark::State& state) {
      const Result result = run(*experiment);
      for (auto _ : state)
        benchmark::DoNotOptimize(
            export_figure(result.figures.front(), FigureFormat::png, Theme::light));
    })->Unit(benchmark::kMillisecond);
  }
}

const bool registered = (register_all(), true);

}  // namespace
