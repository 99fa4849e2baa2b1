#include "core/training/network.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "core/random.h"
#include "core/training/memory_source.h"
#include "core/transformer/forward.h"
#include "tests/support/catalogue_cases.h"

using namespace orrery;

namespace {

constexpr Index vocabulary = 7, length = 6, sequences = 2, d_model = 8, heads = 2;

/// A model with weights, and sequences with targets at most tokens.
struct Case {
  TrainedDesign<double> design{};
  EncodingRecipe recipe{};
  ModelWeights<double> weights{};
  std::vector<std::int32_t> tokens{}, targets{};

  SequencesIn sequences_in() const { return {tokens, targets, length}; }
};

TransformerDesign small_design() {
  TransformerDesign design;
  design.layers.resize(2);
  design.norm = {.kind = NormKind::rms, .epsilon = 1e-5};
  design.attention = {
      .heads = heads, .kv_heads = heads, .d_head = d_model / heads, .d_value = d_model / heads};
  design.feed_forward = {.activation = Activation::gelu, .gated = false};
  return design;
}

ModelSizes small_sizes() {
  return {.vocabulary = vocabulary, .d_model = d_model, .d_feed_forward = 12};
}

EncodingRecipe recipe_of(const std::string& name, Index d_head = d_model / heads) {
  EncodingRecipe recipe{.name = name, .d_model = d_model, .d_head = d_head, .heads = heads};
  recipe.params = test::params_of({name, {}});
  return recipe;
}

/// Moves every weight, gains and biases too, so that no derivative is one at a special point.
void shake(ModelWeights<double>& weights, double by) {
  Random random(5, "shaken weights");
  for (const NamedWeight<double>& weight : named_weights(weights))
    *weight.values +=
        normal_matrix<double>(random, weight.values->rows(), weight.values->cols(), by);
}

Case make_case(TransformerDesign design, const ModelSizes& sizes, EncodingRecipe recipe,
               LinearKernel<double> linear = {}) {
  Case made{.design = {std::move(design), std::move(linear)}, .recipe = std::move(recipe)};
  made.weights = initial_weights<double>(made.design.transformer, sizes, made.recipe, 3);
  shake(made.weights, 0.15);
  Random random(4, "tokens");
  for (Index i = 0; i < sequences * length; ++i) {
    made.tokens.push_back(static_cast<std::int32_t>(random.integer(vocabulary)));
    made.targets.push_back(i % 4 == 1 ? no_target
                                      : static_cast<std::int32_t>(random.integer(vocabulary)));
  }
  return made;
}

double loss_of(const Case& c, const ModelWeights<double>& weights) {
  const ForwardPlan<double> plan =
      forward_plan(c.design, encodings_of(c.recipe, weights), length, sequences);
  double sum = 0;
  for (const double loss :
       Network<double>(c.design, weights, plan).forward(c.sequences_in()).losses)
    sum += loss;
  return sum;
}

ModelWeights<double> gradient_of(const Case& c) {
  const ForwardPlan<double> plan =
      forward_plan(c.design, encodings_of(c.recipe, c.weights), length, sequences);
  Network<double> network(c.design, c.weights, plan);
  network.forward(c.sequences_in());
  Gradient<double> gradient = empty_gradient(c.weights);
  network.back(1, gradient);
  gather_tables(plan, gradient);
  return gradient.weights;
}

/// The derivative of every weight along a random direction, against central differences.
void check_gradient(const Case& c) {
  ModelWeights<double> gradient = gradient_of(c);
  ModelWeights<double> moved = c.weights;
  const auto slopes = named_weights(gradient), weights = named_weights(moved);
  Random random(6, "directions");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Matrix<double> at = *weights[i].values;
    const Matrix<double> direction = normal_matrix<double>(random, at.rows(), at.cols());
    const auto loss_at = [&](double t) {
      *weights[i].values = at + t * direction;
      return loss_of(c, moved);
    };
    constexpr double step = 2e-5;  // off by O(step⁴)
    const double near = loss_at(step) - loss_at(-step);
    const double far = loss_at(2 * step) - loss_at(-2 * step);
    *weights[i].values = at;
    const double expected = (8 * near - far) / (12 * step);
    const double found = slopes[i].values->cwiseProduct(direction).sum();
    INFO(c.recipe.name << " " << weights[i].name);
    CHECK(found == Approx(expected).epsilon(1e-6).margin(2e-8));
  }
}

/// The training pass and the pass of files compute one model.
void check_against_forward(const Case& c) {
  const ModelEncodings encodings = encodings_of(c.recipe, c.weights);
  const ForwardPlan<double> plan = forward_plan(c.design, encodings, length, sequences);
  Case asked = c;
  for (Index i = 0; i < sequences * length; ++i)
    asked.targets[static_cast<std::size_t>(i)] =
        (i + 1) % length == 0 ? no_target : asked.tokens[static_cast<std::size_t>(i) + 1];
  const TokenLosses losses =
      Network<double>(c.design, c.weights, plan).forward(asked.sequences_in());
  MemorySource<double> source(c.weights, encodings);
  for (std::size_t s = 0; s < sequences; ++s) {
    const std::span<const std::int32_t> ids(c.tokens.data() + s * length, length);
    const Matrix<double> hidden = forward<double>(c.design.transformer, source, {.ids = ids});
    const std::vector<double> expected =
        next_token_losses<double>(c.design.transformer, source, hidden, ids);
    for (std::size_t i = 0; i < expected.size(); ++i)
      CHECK(losses.losses[s * length + i] == Approx(expected[i]).epsilon(1e-11));
  }
}

void check(const Case& c) {
  check_gradient(c);
  if (!c.design.linear.features) check_against_forward(c);
}

}  // namespace

TEST_CASE("The derivative of a model with every encoding is that of its loss") {
  for (const EncodingEntry& entry : encoding_catalogue())
    for (const bool causal : {true, false}) {
      TransformerDesign design = small_design();
      design.attention.causal = causal;
      INFO((causal ? "causal" : "both ways"));
      check(make_case(design, small_sizes(), recipe_of(entry.info.name)));
    }
}

TEST_CASE("The derivative of every place of norms and order of halves is that of the loss") {
  for (const NormKind kind : {NormKind::none, NormKind::layer, NormKind::rms})
    for (const NormPlace place : {NormPlace::before, NormPlace::after, NormPlace::inside,
                                  NormPlace::around, NormPlace::through}) {
      TransformerDesign design = small_design();
      design.norm = {.kind = kind, .epsilon = 1e-3, .adds_one = kind == NormKind::rms};
      design.norm_place = place;
      design.residual_scale = 0.7;
      design.layers[0].attention_norm = place != NormPlace::before;
      ModelSizes sizes = small_sizes();
      sizes.biases = sizes.norm_biases = kind == NormKind::layer;
      INFO("norm " << static_cast<int>(kind) << " at " << static_cast<int>(place));
      check(make_case(design, sizes, recipe_of("rope")));
    }
  for (const BlockOrder order : {BlockOrder::parallel, BlockOrder::parallel_shared}) {
    TransformerDesign design = small_design();
    design.order = order;
    check(make_case(design, small_sizes(), recipe_of("t5")));
  }
}

TEST_CASE("The derivative of what models add to attention and head is that of the loss") {
  TransformerDesign design = small_design();
  ModelSizes sizes = small_sizes();
  SECTION("shared keys, softcaps, a window, a rule and a scale") {
    design.attention.kv_heads = 1;
    design.attention.d_value = 3;
    design.attention.softcap = 2;
    design.logit_softcap = 3;
    design.logit_scale = 0.8;
    design.layers[0].window = 3;
    design.layers[0].scale = 0.9;
    design.layers[1].rule = {.kind = LogitRuleKind::beam, .strength = 0.3, .length = 4};
  }
  SECTION("a head that transforms, a tied vocabulary and a norm of embeddings") {
    design.head_transform = Activation::silu;
    design.embedding_norm = EmbeddingNorm::behind_projection;
    design.embedding_scale = 1.7;
    design.norm = {.kind = NormKind::layer, .epsilon = 1e-4};
    sizes.tied = sizes.biases = sizes.norm_biases = true;
  }
  SECTION("gates") { design.feed_forward = {.activation = Activation::silu, .gated = true}; }
  for (const QkNormSpan over : {QkNormSpan::head, QkNormSpan::layer})
    for (const bool after : {false, true}) {
      design.attention.qk_norm = {over, {.kind = NormKind::rms, .epsilon = 1e-4}, after};
      check(make_case(design, sizes, recipe_of("rope")));
      check(make_case(design, sizes, recipe_of("learned")));
    }
}

TEST_CASE("The derivative of every activation is that of its value") {
  for (const Activation f :
       {Activation::relu, Activation::squared_relu, Activation::gelu, Activation::gelu_tanh,
        Activation::gelu_tanh_rounded, Activation::gelu_quick, Activation::tanh, Activation::silu})
    for (double x = -4.05; x < 4.1; x += 0.3) {
      constexpr double step = 1e-5;
      Matrix<double> ahead = Matrix<double>::Constant(1, 1, x + step);
      Matrix<double> behind = Matrix<double>::Constant(1, 1, x - step);
      activate<double>(f, ahead);
      activate<double>(f, behind);
      Matrix<double> slope = Matrix<double>::Ones(1, 1);
      pull_back_activation<double>(f, Matrix<double>::Constant(1, 1, x), slope);
      INFO(activation_name(f) << " at " << x);
      CHECK(slope(0, 0) == Approx((ahead(0, 0) - behind(0, 0)) / (2 * step)).margin(1e-8));
    }
}

TEST_CASE("The derivative of linear attention with every feature map is that of its loss") {
  const auto favor = [] {
    return std::make_shared<Favor<double>>(Favor<double>::orthogonal(2, 6, d_model / heads));
  };
  const std::vector<std::pair<std::shared_ptr<const FeatureMap<double>>, Index>> maps{
      {std::make_shared<EluPlusOne<double>>(), d_model / heads},
      {std::make_shared<Relu<double>>(), d_model / heads},
      {favor(), 6}};
  for (const auto& [map, features] : maps)
    for (const LinearVariant variant : {LinearVariant::paper, LinearVariant::both_rotated,
                                        LinearVariant::rotated_before_features})
      for (const char* name : {"rope", "none", "sinusoidal"}) {
        const bool of_head = variant == LinearVariant::rotated_before_features;
        INFO(name << " " << features << " features, variant " << static_cast<int>(variant));
        check(make_case(small_design(), small_sizes(),
                        recipe_of(name, of_head ? d_model / heads : features), {map, variant}));
      }
}

TEST_CASE("Linear attention refuses an encoding that adds to logits") {
  const Case c = make_case(small_design(), small_sizes(), recipe_of("t5"),
                           {std::make_shared<EluPlusOne<double>>()});
  CHECK_THROWS_AS(loss_of(c, c.weights), UsageError);
}
