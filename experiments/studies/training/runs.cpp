#include "experiments/studies/training/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/parallel.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/provenance.h"

namespace orrery {
namespace {

/// Steps after which models are looked at: the first ones close together, for much happens there.
std::set<std::int64_t> look_steps(std::int64_t steps) {
  constexpr std::int64_t looks = 60;
  std::set<std::int64_t> at{steps};
  for (std::int64_t i = 1; i < looks; ++i) at.insert((steps * i + looks - 1) / looks);
  for (std::int64_t step = 1; step < steps / looks; step *= 2) at.insert(step);
  for (const std::int64_t step : kept_moments(steps)) at.insert(step);
  return at;
}

/// Models that are trained side by side, a few steps each in turn.
class SideBySide {
 public:
  /// @param steps  of each
  /// @param round  that each takes before the next has its turn: within a tenth of a second or so
  SideBySide(const TrainingPlan& plan, std::int64_t steps, std::int64_t round, Progress& progress,
             const char* stage)
      : plan_(plan), steps_(steps), round_(round), progress_(progress), stage_(stage) {}

  void add(const TriedStart& start, std::int64_t seed) {
    models_.push_back(std::make_unique<OneRun>(plan_,
                                               Run{.encoding = start.encoding,
                                                   .seed = seed,
                                                   .learning_rate = start.rate,
                                                   .token_deviation = start.deviation,
                                                   .causal = plan_.task.causal()},
                                               steps_));
  }
  /// Until each has taken so many steps. Throws Stopped, when all have taken as many.
  void advance(std::int64_t end) {
    while (done_ < end) {
      done_ = std::min<std::int64_t>(end, done_ + round_);
      each([&](OneRun& model) { model.advance(done_); });
      checkpoint(progress_, static_cast<double>(done_) / static_cast<double>(steps_), stage_);
    }
  }
  void look() {
    each([](OneRun& model) { model.look(); });
  }
  template <class Work>
  void each(const Work& work) {
    in_parallel(static_cast<std::ptrdiff_t>(models_.size()), threads_or_all(0), [&] {
      return [&](std::ptrdiff_t i) { work(*models_[static_cast<std::size_t>(i)]); };
    });
  }
  void keep(std::vector<ResultFile>& files) const {
    for (const auto& model : models_) {
      const Run& run = model->run();
      const std::string name = fmt::format("{}_seed_{}_step_{}", run.encoding, run.seed, done_);
      for (ResultFile& file : model_files(plan_, *model, name)) files.push_back(std::move(file));
    }
  }
  /// The files of the first that opens as a model.
  std::vector<ResultFile> opened() const {
    for (const auto& model : models_)
      if (opens_as_model(plan_, *model)) return model_files(plan_, *model, model->run().encoding);
    return {};
  }
  const Run& run(std::size_t i) const { return models_[i]->run(); }
  std::vector<Run> runs() const {
    std::vector<Run> all;
    for (const auto& model : models_) all.push_back(model->run());
    return all;
  }

 private:
  const TrainingPlan& plan_;
  std::int64_t steps_, round_;
  Progress& progress_;
  const char* stage_;
  std::vector<std::unique_ptr<OneRun>> models_{};
  std::int64_t done_{0};
};

/// How many starts of each encoding are compared.
std::int64_t tried_starts(const ParamSet& params) {
  return params.integer("rates_tried") * params.integer("deviations_tried");
}

/// The search of a start, in runs of all steps of one encoding: it takes a third of them with each.
double searched_runs(const ParamSet& params) {
  const std::int64_t tried = tried_starts(params);
  return tried > 1 ? static_cast<double>(tried) / 3 : 0.0;
}

/// Steps that each model takes before the next has its turn: what all of them take within a tenth
/// of a second or so.
std::int64_t steps_of_round(const ParamSet& params) {
  constexpr double operations_of_round = 3e9;
  const std::int64_t steps = params.integer("steps");
  const double of_step = training_operations(params) / static_cast<double>(steps);
  return std::clamp<std::int64_t>(std::llround(operations_of_round / of_step), 1, steps);
}

/// So many numbers around the middle one, each `factor` times the one before it.
std::vector<double> around(double middle, std::int64_t count, double factor) {
  std::vector<double> values;
  const std::int64_t below = (count - 1) / 2;
  for (std::int64_t i = -below; i < count - below; ++i)
    values.push_back(middle * std::pow(factor, static_cast<double>(i)));
  return values;
}

/// Of all seeds the first is trained for a third of the steps, with every rate and deviation; the
/// best is that with the lowest loss at the end, on what it learns from: what models are judged by
/// stays unseen.
std::vector<TriedStart> search_starts(const TrainingPlan& plan, Progress& progress) {
  constexpr double rate_factor = 2, deviation_factor = 2.5;
  const ParamSet& params = plan.params;
  const std::vector<double> rates =
      around(params.real("learning_rate"), params.integer("rates_tried"), rate_factor);
  const std::vector<double> deviations =
      around(params.real("token_deviation"), params.integer("deviations_tried"), deviation_factor);
  const std::int64_t steps = std::max<std::int64_t>(10, params.integer("steps") / 3);
  SideBySide models(plan, steps, steps_of_round(params), progress, "trying rates and deviations");
  std::vector<TriedStart> tried;
  for (const std::string& encoding : params.list("encoding"))
    for (const double deviation : deviations)
      for (const double rate : rates) {
        tried.push_back({.encoding = encoding, .rate = rate, .deviation = deviation});
        models.add(tried.back(), params.integer("seed"));
      }
  models.advance(steps - steps / 10);
  models.look();
  models.advance(steps);
  models.look();
  const std::size_t of_each = rates.size() * deviations.size();
  for (std::size_t first = 0; first < tried.size(); first += of_each) {
    std::size_t best = first;
    for (std::size_t i = first; i < first + of_each; ++i) {
      tried[i].loss = models.run(i).loss.back();
      // A loss that is not finite is no better than any other.
      if (tried[i].loss < tried[best].loss || !std::isfinite(tried[best].loss)) best = i;
    }
    tried[best].best = true;
  }
  return tried;
}

TriedStart start_of(const std::string& encoding, const ParamSet& params,
                    const std::vector<TriedStart>& tried) {
  const auto found = std::ranges::find_if(
      tried, [&](const TriedStart& one) { return one.best && one.encoding == encoding; });
  if (found != tried.end()) return *found;
  return {.encoding = encoding,
          .rate = params.real("learning_rate"),
          .deviation = params.real("token_deviation")};
}

}  // namespace

std::vector<Index> judged_lengths(const ParamSet& params) {
  const Index trained = params.integer("tokens");
  std::vector<Index> lengths;
  for (const Index halves : {2, 3, 4, 6, 8})
    if (halves <= 2 * params.integer("extrapolation")) lengths.push_back(trained * halves / 2);
  return lengths;
}

double training_operations(const ParamSet& params) {
  const double d = static_cast<double>(params.integer("dim") * params.integer("heads"));
  const double length = static_cast<double>(params.integer("tokens"));
  const double weights = 12 * d * d * static_cast<double>(params.integer("layers"));
  const double tokens = length * static_cast<double>(params.integer("batch")) *
                        static_cast<double>(params.integer("steps"));
  const double runs = static_cast<double>(params.integer("seeds")) + searched_runs(params);
  const double models = static_cast<double>(params.list("encoding").size()) * runs;
  const double maps = 12 * length * d * static_cast<double>(params.integer("layers"));
  return models * tokens * (6 * weights + maps);
}

Trained train_all(const ParamSet& params, const Inputs& inputs, Progress& progress,
                  const std::function<void(const Trained&)>& show) {
  constexpr Index glancing = 8;  // sequences that judge a model which is still trained
  const std::unique_ptr<const Task> task = make_task(params, inputs);
  TrainingPlan plan{params, with_every_encoding_param(params), *task, judged_lengths(params)};
  std::optional<TensorStore> start;
  if (const auto given = inputs.find("start"); given != inputs.end()) {
    start = TensorStore::open(std::get<ModelFile>(given->second).path);
    plan.start = &*start;
  }
  Trained trained;
  const double searched = searched_runs(params);
  const double searching = searched / (searched + static_cast<double>(params.integer("seeds")));
  if (searching > 0) {
    SubProgress part(progress, 0, searching);
    trained.tried = search_starts(plan, part);
  }
  SubProgress part(progress, searching, 1);
  SideBySide models(plan, params.integer("steps"), steps_of_round(params), part, "training");
  for (std::int64_t i = 0; i < params.integer("seeds"); ++i)
    for (const std::string& encoding : params.list("encoding"))
      models.add(start_of(encoding, params, trained.tried), params.integer("seed") + i);
  const auto show_so_far = [&] {
    if (!progress.wants_to_see()) return;
    models.each([](OneRun& model) { model.judge(glancing); });
    trained.runs = models.runs();
    show(trained);
  };
  const std::int64_t steps = params.integer("steps"), checkpoints = params.integer("checkpoints");
  const std::set<std::int64_t> looks = look_steps(steps);
  std::set<std::int64_t> kept;  // steps behind which models are written to files
  for (std::int64_t i = 1; i <= checkpoints; ++i)
    kept.insert(std::max<std::int64_t>(1, steps * i / checkpoints));
  if (!kept.empty()) models.keep(trained.files);  // before the first step
  std::set<std::int64_t> halts = looks;
  halts.insert(kept.begin(), kept.end());
  for (const std::int64_t step : halts) {
    try {
      models.advance(step);
    } catch (const Stopped&) {
      models.look();
      if (!kept.empty()) models.keep(trained.files);
      show_so_far();
      throw;
    }
    if (kept.contains(step)) models.keep(trained.files);
    if (!looks.contains(step)) continue;
    models.look();
    show_so_far();
  }
  models.each([](OneRun& model) { model.finish(); });
  trained.runs = models.runs();
  trained.opened = models.opened();
  return trained;
}

}  // namespace orrery
