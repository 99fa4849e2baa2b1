#include "experiments/studies/training/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "core/encodings/catalogue.h"
#include "core/parallel.h"
#include "experiments/setup/check_settings.h"
#include "experiments/studies/training/gradient_error.h"
#include "experiments/studies/training/shapes.h"

namespace orrery::studies {
namespace {

/// Looks at a model while it is trained.
constexpr std::int64_t looks = 60;
/// Sequences by which a model is judged, at each length.
constexpr Index judges = 64;

// ---- Heads -------------------------------------------------------------------------------------

HeadScores scores_of(const Matrix<float>& weights) {
  const Index n = weights.rows(), period = n / 2;
  HeadScores sum;
  for (Index m = period; m < n; ++m) {
    const auto at = [&](Index key) { return static_cast<double>(weights(m, key)); };
    sum.previous += at(m - 1);
    sum.self += at(m);
    sum.first += at(0);
    sum.induction += at(m - period + 1);
    for (Index near = 0; near < 3; ++near) sum.local += at(m - near);
  }
  const auto rows = static_cast<double>(n - period);
  for (double* score : {&sum.previous, &sum.self, &sum.first, &sum.induction, &sum.local})
    *score /= rows;
  return sum;
}

/// The heads of a model over the repeated block.
std::vector<TrainedHead> look_at_heads(const Trainer<float>& trainer,
                                       const std::vector<std::int32_t>& block) {
  const auto n = static_cast<Index>(block.size());
  const TrainedDesign<float>& design = trainer.design();
  const ForwardPlan<float> plan = forward_plan<float>(design, trainer.encodings(), n, 1);
  Network<float> network(design, trainer.state().weights, plan);
  const std::vector<std::int32_t> nothing(block.size(), no_target);
  network.forward({block, nothing, n});
  std::vector<TrainedHead> heads;
  for (std::size_t l = 0; l < design.transformer.layers.size(); ++l)
    for (Index h = 0; h < design.transformer.attention.heads; ++h) {
      TrainedHead head{.layer = static_cast<int>(l), .head = static_cast<int>(h)};
      head.weights = network.attention(l, 0, h);
      head.scores = scores_of(head.weights);
      heads.push_back(std::move(head));
    }
  return heads;
}

// ---- One run -----------------------------------------------------------------------------------

/// What all runs share.
struct Plan {
  const ParamSet& params;
  const ParamSet all_params;  ///< with those of every encoding
  const Task& task;
  std::vector<Index> lengths{};
};

class OneRun {
 public:
  OneRun(const Plan& plan, const std::string& encoding, std::int64_t seed)
      : plan_(plan),
        run_{.encoding = encoding,
             .seed = seed,
             .learning_rate = learning_rate_of(plan.params, encoding)},
        shape_(model_shape<float>(plan.params, plan.task)),
        trainer_(make_trainer()),
        data_(seed, "sequences of training"),
        block_(repeated_block(seed, std::min<Index>(plan.task.vocabulary(), 16),
                              plan.params.integer("tokens") / 2)) {}

  /// @param advanced  called after each look, with the share of the steps that were taken
  Run train(const std::function<void(double)>& advanced) {
    const std::int64_t steps = plan_.params.integer("steps");
    const Index batch = plan_.params.integer("batch"), length = plan_.params.integer("tokens");
    double sum = 0;
    std::int64_t since = 0;
    for (std::int64_t step = 1; step <= steps; ++step) {
      const DrawnSequences drawn =
          draw_sequences(plan_.task, data_, batch, length, TextPart::learned);
      sum += trainer_.step(drawn.view()).loss;
      ++since;
      // The first steps are looked at one by one: much happens in them.
      if (step * looks / steps == (step - 1) * looks / steps && step != steps) continue;
      look(step, sum / static_cast<double>(since));
      sum = 0;
      since = 0;
      advanced(static_cast<double>(step) / static_cast<double>(steps));
    }
    judge();
    run_.heads = look_at_heads(trainer_, block_);
    run_.gradient_error = gradient_error(plan_.params, plan_.task, trainer_, run_.seed);
    return std::move(run_);
  }

 private:
  Trainer<float> make_trainer() {
    const ParamSet& params = plan_.params;
    EncodingRecipe recipe{.name = run_.encoding,
                          .params = plan_.all_params,
                          .d_model = shape_.sizes.d_model,
                          .d_head = params.integer("dim"),
                          .heads = static_cast<int>(params.integer("heads"))};
    ModelWeights<float> weights =
        initial_weights<float>(shape_.design.transformer, shape_.sizes, recipe, run_.seed);
    for (const NamedWeight<float>& weight : named_weights(weights))
      if (weight.name.find(".position.") == std::string::npos)
        run_.weights += weight.values->size();
    const std::int64_t steps = params.integer("steps");
    return {shape_.design,
            std::move(recipe),
            initial_state(std::move(weights)),
            {.learning_rate = run_.learning_rate,
             .warm_up = std::min<std::int64_t>(params.integer("warm_up"), steps / 2),
             .steps = steps},
            1};
  }

  void look(std::int64_t step, double loss) {
    run_.steps.push_back(static_cast<double>(step));
    run_.loss.push_back(loss);
    double previous = 0, induction = 0;
    for (const TrainedHead& head : look_at_heads(trainer_, block_)) {
      previous = head.scores.previous > previous ? head.scores.previous : previous;
      induction = head.scores.induction > induction ? head.scores.induction : induction;
    }
    run_.previous.push_back(previous);
    run_.induction.push_back(induction);
  }

  void judge() {
    for (const Index length : plan_.lengths) {
      Random random(run_.seed, "held-out sequences");
      const DrawnSequences drawn =
          draw_sequences(plan_.task, random, judges, length, TextPart::held_out);
      const TokenLosses losses = trainer_.losses(drawn.view());
      LossAtLength at{.length = length};
      double asked = 0;
      for (std::size_t i = 0; i < drawn.targets.size(); ++i) {
        if (drawn.targets[i] == no_target) continue;
        ++asked;
        at.loss += losses.losses[i];
        at.accuracy += losses.right[i] ? 1 : 0;
      }
      at.loss /= asked;
      at.accuracy /= asked;
      run_.held_out.push_back(at);
    }
  }

  const Plan& plan_;
  Run run_;
  ModelShape<float> shape_;
  Trainer<float> trainer_;
  Random data_;
  std::vector<std::int32_t> block_;
};

/// Adds up what several runs report.
class SharedProgress {
 public:
  SharedProgress(Progress& progress, std::size_t runs) : progress_(progress), done_(runs, 0.0) {}

  void advance(std::size_t run, double share, const std::string& encoding) {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_[run] = share;
    double sum = 0;
    for (const double done : done_) sum += done;
    checkpoint(progress_, sum / static_cast<double>(done_.size()), "training " + encoding);
  }

 private:
  std::mutex mutex_{};
  Progress& progress_;
  std::vector<double> done_;
};

}  // namespace

std::string name_of_head(const HeadScores& scores) {
  constexpr double clear = 0.4;  // of the weight
  if (scores.induction > clear) return "induction";
  if (scores.previous > clear) return "previous token";
  if (scores.first > clear) return "first token";
  if (scores.self > clear) return "itself";
  if (scores.local > 2 * clear) return "local";
  return "no one thing";
}

std::vector<Index> judged_lengths(const ParamSet& params) {
  const Index trained = params.integer("tokens");
  std::vector<Index> lengths;
  for (const Index halves : {2, 3, 4, 6, 8})
    if (halves <= 2 * params.integer("extrapolation")) lengths.push_back(trained * halves / 2);
  return lengths;
}

double learning_rate_of(const ParamSet& params, const std::string& /*encoding*/) {
  return params.real("learning_rate");
}

double training_operations(const ParamSet& params) {
  const double d = static_cast<double>(params.integer("dim") * params.integer("heads"));
  const double length = static_cast<double>(params.integer("tokens"));
  const double weights = 12 * d * d * static_cast<double>(params.integer("layers"));
  const double tokens = length * static_cast<double>(params.integer("batch")) *
                        static_cast<double>(params.integer("steps"));
  const double models = static_cast<double>(params.list("encoding").size()) *
                        static_cast<double>(params.integer("seeds"));
  const double maps = 12 * length * d * static_cast<double>(params.integer("layers"));
  return models * tokens * (6 * weights + maps);
}

std::vector<Run> train_all(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  const std::unique_ptr<const Task> task = make_task(params, inputs);
  const Plan plan{params, setup::with_every_encoding_param(params), *task, judged_lengths(params)};
  const std::vector<std::string>& encodings = params.list("encoding");
  const auto seeds = static_cast<std::size_t>(params.integer("seeds"));
  std::vector<Run> runs(encodings.size() * seeds);
  SharedProgress shared(progress, runs.size());
  const int threads = std::max<int>(1, static_cast<int>(std::thread::hardware_concurrency()));
  in_parallel(static_cast<std::ptrdiff_t>(runs.size()), threads, [&] {
    return [&](std::ptrdiff_t item) {
      const auto i = static_cast<std::size_t>(item);
      const std::string& encoding = encodings[i % encodings.size()];
      const auto seed = params.integer("seed") + static_cast<std::int64_t>(i / encodings.size());
      runs[i] = OneRun(plan, encoding, seed).train([&](double share) {
        shared.advance(i, share, encoding);
      });
    };
  });
  return runs;
}

}  // namespace orrery::studies
