#include "experiments/studies/training/gradient_error.h"

#include <cmath>
#include <limits>

#include "experiments/studies/training/shapes.h"

namespace orrery::studies {
namespace {
namespace in_gradient_error {

constexpr Index checked_sequences = 2;

/// A model in fp64 with the weights of one that was trained.
class ExactModel {
 public:
  ExactModel(const ParamSet& params, const Task& task, const Trainer<float>& trainer,
             std::int64_t seed)
      : shape_(model_shape<double>(params, task)),
        recipe_(trainer.recipe()),
        weights_(initial_weights<double>(shape_.design.transformer, shape_.sizes, recipe_, seed)) {
    ModelWeights<float> trained = trainer.state().weights;
    const auto from = named_weights(trained);
    const auto to = named_weights(weights_);
    for (std::size_t i = 0; i < to.size(); ++i) *to[i].values = from[i].values->cast<double>();
    Random random(seed, "sequences of a gradient");
    drawn_ = draw_sequences(task, random, checked_sequences, params.integer("tokens"),
                            TextPart::learned);
  }

  ModelWeights<double>& weights() { return weights_; }

  double loss() {
    Pass pass(*this);
    return pass.loss;
  }

  ModelWeights<double> gradient() {
    Pass pass(*this);
    Gradient<double> gradient = empty_gradient(weights_);
    pass.network.back(1, gradient);
    gather_tables(pass.plan, gradient);
    return std::move(gradient.weights);
  }

 private:
  struct Pass {
    explicit Pass(const ExactModel& model)
        : plan(forward_plan(model.shape_.design, encodings_of(model.recipe_, model.weights_),
                            model.drawn_.length, checked_sequences)),
          network(model.shape_.design, model.weights_, plan) {
      for (const double of_token : network.forward(model.drawn_.view()).losses) loss += of_token;
    }

    ForwardPlan<double> plan;
    Network<double> network;
    double loss{0};
  };

  ModelShape<double> shape_;
  EncodingRecipe recipe_;
  ModelWeights<double> weights_;
  DrawnSequences drawn_{};
};

}  // namespace in_gradient_error
}  // namespace

double gradient_error(const ParamSet& params, const Task& task, const Trainer<float>& trainer,
                      std::int64_t seed) {
  using namespace in_gradient_error;
  constexpr double steps[] = {1e-7, 1e-8};
  ExactModel model(params, task, trainer, seed);
  ModelWeights<double> gradient = model.gradient();
  ModelWeights<double> direction = zeros_like(gradient);
  const auto slopes = named_weights(gradient), along = named_weights(direction),
             weights = named_weights(model.weights());
  Random random(seed, "direction of a gradient");
  double slope = 0, norm = 0;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    Matrix<double>& d = *along[i].values;
    d = normal_matrix<double>(random, d.rows(), d.cols());
    slope += slopes[i].values->cwiseProduct(d).sum();
    norm += slopes[i].values->squaredNorm();
  }
  // No encoding is made from tables that are not finite.
  if (!std::isfinite(slope)) return std::numeric_limits<double>::quiet_NaN();
  const auto go = [&](double way) {
    for (std::size_t i = 0; i < slopes.size(); ++i) *weights[i].values += way * *along[i].values;
    return model.loss();
  };
  double least = std::numeric_limits<double>::infinity();
  for (const double step : steps) {
    const double ahead = go(step), behind = go(-2 * step);
    go(step);
    const double error = std::abs(slope - (ahead - behind) / (2 * step)) / std::sqrt(norm);
    if (!(error >= least)) least = error;  // keeps a NaN
  }
  return least;
}

}  // namespace orrery::studies
