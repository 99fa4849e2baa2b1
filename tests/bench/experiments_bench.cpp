// Waiting times of a user: an experiment at its defaults, and its first figure as a PNG.
#include <benchmark/benchmark.h>

#include <string>

#include "experiments/checkpoints/models.h"
#include "experiments/data/load_inputs.h"
#include "experiments/figure/export.h"
#include "experiments/studies/catalogue.h"

namespace {

using namespace orrery;

Result run(const Experiment& experiment) {
  const ParamSet params(experiment.info.params);
  SilentProgress progress;
  return experiment.run(params, load_inputs(params).inputs, progress);
}

/// A slider's step on the heads of a model: another base of its RoPE, from its first layer on.
void register_slides(const std::string& name, const std::string& model) {
  const Experiment& experiment = find_experiment("model_heads");
  for (const char* length : {"64", "256"})
    benchmark::RegisterBenchmark(
        ("slide_model_heads/" + name + "/" + length).c_str(),
        [&experiment, model, length](benchmark::State& state) {
          ParamSet params(experiment.info.params);
          for (const auto& [key, value] :
               Settings{{"model", model}, {"length", length}, {"edits", "base"}})
            params.set(key, value);
          const LoadedInputs loaded = load_inputs(params);
          SilentProgress progress;
          double base = 500;
          benchmark::DoNotOptimize(experiment.run(params, loaded.inputs, progress));
          for (auto _ : state) {
            params.set_value("new_base", base += 1);
            benchmark::DoNotOptimize(experiment.run(params, loaded.inputs, progress));
          }
        })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
}

void register_all() {
  register_slides("bytes_rope", "bundled:bytes_rope");
  for (const ModelEntry& model : list_models(model_places()).models)
    if (model.problem.empty() && !model.encodings.empty() &&
        model.encodings.front().encoding == "rope")
      register_slides(model.path.filename().string(), model.path.string());
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
