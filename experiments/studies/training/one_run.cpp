#include "experiments/studies/training/one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/attention/feature_map.h"

namespace orrery {
namespace {

void be_like_bert(ModelSizes& sizes) { sizes.biases = sizes.norm_biases = sizes.tied = true; }

void make_gpt2(TransformerDesign& design, ModelSizes& sizes) {
  design.norm = {.kind = NormKind::layer, .epsilon = 1e-5};
  design.feed_forward = {.activation = Activation::gelu_tanh, .gated = false};
  be_like_bert(sizes);
}

void make_llama(TransformerDesign& design, ModelSizes& sizes) {
  design.norm = {.kind = NormKind::rms, .epsilon = 1e-5};
  design.feed_forward = {.activation = Activation::silu, .gated = true};
  // Three matrices in place of two: as many weights as the others.
  sizes.d_feed_forward = sizes.d_model * 8 / 3;
}

void make_roformer(TransformerDesign& design, ModelSizes& sizes) {
  design.norm = {.kind = NormKind::layer, .epsilon = 1e-12};
  design.norm_place = NormPlace::after;
  design.embedding_norm = EmbeddingNorm::before_projection;
  design.final_norm = false;
  design.feed_forward = {.activation = Activation::gelu, .gated = false};
  design.head_transform = Activation::gelu;
  sizes.vocabulary_biases = true;
  be_like_bert(sizes);
}

template <class T>
std::shared_ptr<const FeatureMap<T>> features_of(const std::string& attention) {
  if (attention == "linear_elu_plus_one") return std::make_shared<EluPlusOne<T>>();
  if (attention == "linear_relu") return std::make_shared<Relu<T>>();
  return nullptr;
}

BlockScores scores_of_block(const Matrix<float>& weights) {
  const Index n = weights.rows(), period = n / 2;
  BlockScores sum;
  for (Index m = period; m < n; ++m) {
    const auto at = [&](Index key) { return static_cast<double>(weights(m, key)); };
    sum.previous += at(m - 1);
    sum.self += at(m);
    sum.first += at(0);
    sum.induction += at(m - period + 1);
    for (Index near = 0; near < 3; ++near) sum.local += at(m - near);
  }
  for (Index r = 2; r <= period; ++r) {
    const double at_distance = weights.diagonal(-r).tail(n - period).template cast<double>().sum();
    if (r == period - 1 || at_distance <= sum.farther) continue;
    sum.farther = at_distance;
    sum.distance = r;
  }
  const auto rows = static_cast<double>(n - period);
  for (double* score :
       {&sum.previous, &sum.self, &sum.first, &sum.induction, &sum.local, &sum.farther})
    *score /= rows;
  return sum;
}

/// The heads of a model over the repeated block.
std::vector<HeadOfRun> look_at_heads(const Trainer<float>& trainer,
                                     const std::vector<std::int32_t>& block) {
  const auto n = static_cast<Index>(block.size());
  const TrainedDesign<float>& design = trainer.design();
  const ForwardPlan<float> plan = forward_plan<float>(design, trainer.encodings(), n, 1);
  Network<float> network(design, trainer.state().weights, plan);
  const std::vector<std::int32_t> nothing(block.size(), no_target);
  network.forward({block, nothing, n});
  std::vector<HeadOfRun> heads;
  for (std::size_t l = 0; l < design.transformer.layers.size(); ++l)
    for (Index h = 0; h < design.transformer.attention.heads; ++h) {
      HeadOfRun head{.layer = static_cast<int>(l), .head = static_cast<int>(h)};
      head.weights = network.attention(l, 0, h);
      head.scores = scores_of_block(head.weights);
      heads.push_back(std::move(head));
    }
  return heads;
}

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

double gradient_error(const ParamSet& params, const Task& task, const Trainer<float>& trainer,
                      std::int64_t seed) {
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

}  // namespace

std::vector<Choice> shape_choices() {
  return {{"plain", "RMSNorm before each half, ReLU, no biases: the least that learns"},
          {"gpt2", "LayerNorm before each half, GELU, biases, tied vocabulary"},
          {"llama", "RMSNorm before each half, SwiGLU, no biases"},
          {"roformer", "BERT's and RoFormer's: LayerNorm behind each half, GELU, biases, tied"}};
}

template <class T>
ModelShape<T> model_shape(const ParamSet& params, const Task& task) {
  const Index heads = params.integer("heads"), d_head = params.integer("dim");
  ModelShape<T> shape;
  shape.sizes = {.vocabulary = task.vocabulary(),
                 .d_model = heads * d_head,
                 .d_feed_forward = 4 * heads * d_head,
                 .token_deviation = params.real("token_deviation")};
  TransformerDesign& design = shape.design.transformer;
  design.layers.resize(static_cast<std::size_t>(params.integer("layers")));
  design.attention = {.heads = heads,
                      .kv_heads = heads,
                      .d_head = d_head,
                      .d_value = d_head,
                      .causal = task.causal()};
  const std::string& model = params.text("model");
  design.norm = {.kind = NormKind::rms, .epsilon = 1e-5};
  design.feed_forward = {.activation = Activation::relu, .gated = false};
  if (model == "gpt2")
    make_gpt2(design, shape.sizes);
  else if (model == "llama")
    make_llama(design, shape.sizes);
  else if (model == "roformer")
    make_roformer(design, shape.sizes);
  shape.design.linear.features = features_of<T>(params.text("attention"));
  return shape;
}

template ModelShape<float> model_shape(const ParamSet&, const Task&);
template ModelShape<double> model_shape(const ParamSet&, const Task&);

std::string name_of_head(const BlockScores& scores) {
  constexpr double clear = 0.4;  // of the weight
  if (scores.induction > clear) return "induction";
  if (scores.previous > clear) return "previous token";
  if (scores.first > clear) return "first token";
  if (scores.self > clear) return "itself";
  if (scores.farther > clear) return fmt::format("{} tokens back", scores.distance);
  if (scores.local > 2 * clear) return "local";
  return "no one thing";
}

std::vector<std::int64_t> kept_moments(std::int64_t steps) {
  std::vector<std::int64_t> moments{1};
  for (std::int64_t part = 16; part > 1; part /= 2)
    if (steps / part > moments.back()) moments.push_back(steps / part);
  return moments;
}

namespace {

ModelShape<float> shape_of(const TrainingPlan& plan, const Run& run) {
  ModelShape<float> shape = model_shape<float>(plan.params, plan.task);
  shape.sizes.token_deviation = run.token_deviation;
  return shape;
}

}  // namespace

OneRun::OneRun(const TrainingPlan& plan, Run run, std::int64_t steps)
    : plan_(plan),
      run_(std::move(run)),
      steps_(steps),
      shape_(shape_of(plan, run_)),
      trainer_(make_trainer()),
      data_(run_.seed, "sequences of training"),
      block_(repeated_block(run_.seed, std::min<Index>(plan.task.vocabulary(), 16),
                            plan.params.integer("tokens") / 2)) {}

Trainer<float> OneRun::make_trainer() {
  const ParamSet& params = plan_.params;
  EncodingRecipe recipe{.name = run_.encoding,
                        .params = plan_.all_params,
                        .d_model = shape_.sizes.d_model,
                        .d_head = params.integer("dim"),
                        .heads = static_cast<int>(params.integer("heads"))};
  ModelWeights<float> weights =
      initial_weights<float>(shape_.design.transformer, shape_.sizes, recipe, run_.seed);
  if (plan_.start) take_start(plan_, recipe, weights);
  for (const NamedWeight<float>& weight : named_weights(weights))
    if (weight.name.find(".position.") == std::string::npos) run_.weights += weight.values->size();
  return {shape_.design,
          std::move(recipe),
          initial_state(std::move(weights)),
          {.learning_rate = run_.learning_rate,
           .warm_up = std::min<std::int64_t>(params.integer("warm_up"), steps_ / 2),
           .steps = steps_},
          1};
}

void OneRun::advance(std::int64_t end) {
  const Index batch = plan_.params.integer("batch"), length = plan_.params.integer("tokens");
  while (done_ < end) {
    const DrawnSequences drawn =
        draw_sequences(plan_.task, data_, batch, length, TextPart::learned);
    sum_ += trainer_.step(drawn.view()).loss;
    ++done_;
    ++since_;
  }
}

void OneRun::look() {
  if (since_ == 0) return;
  run_.steps.push_back(static_cast<double>(done_));
  run_.loss.push_back(sum_ / static_cast<double>(since_));
  sum_ = 0;
  since_ = 0;
  run_.heads = look_at_heads(trainer_, block_);
  const std::vector<std::int64_t> moments = kept_moments(steps_);
  const bool first_seed = run_.seed == plan_.params.integer("seed");
  if (first_seed && std::ranges::find(moments, done_) != moments.end())
    run_.earlier[done_] = run_.heads;
  double previous = 0, induction = 0;
  for (const HeadOfRun& head : run_.heads) {
    previous = head.scores.previous > previous ? head.scores.previous : previous;
    induction = head.scores.induction > induction ? head.scores.induction : induction;
  }
  run_.previous.push_back(previous);
  run_.induction.push_back(induction);
}

void OneRun::judge(Index sequences) {
  run_.held_out.clear();
  for (const Index length : plan_.lengths) {
    Random random(run_.seed, "held-out sequences");
    const DrawnSequences drawn =
        draw_sequences(plan_.task, random, sequences, length, TextPart::held_out);
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

void OneRun::finish() {
  constexpr Index sequences = 64;
  judge(sequences);
  run_.gradient_error = gradient_error(plan_.params, plan_.task, trainer_, run_.seed);
}

}  // namespace orrery
