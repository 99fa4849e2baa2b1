#include "core/training/network.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "core/random.h"
#include "core/training/trainer.h"
#include "core/transformer/forward.h"
#include "tests/support/catalogue_cases.h"
#include "tests/support/golden_file.h"
#include "tests/support/memory_source.h"

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
               LinearKernel<double> linear = {}, double shaken = 0.15) {
  Case made{.design = {std::move(design), std::move(linear)}, .recipe = std::move(recipe)};
  made.weights = initial_weights<double>(made.design.transformer, sizes, made.recipe, 3);
  shake(made.weights, shaken);
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
      design.norm = {.kind = kind, .epsilon = 1e-3, .added = kind == NormKind::rms ? 1.0 : 0.0};
      design.norm_place = place;
      design.residual_scale = 0.7;
      design.layers[0].attention_norm = place != NormPlace::before;
      ModelSizes sizes = small_sizes();
      sizes.biases = sizes.vocabulary_biases = sizes.norm_biases = kind == NormKind::layer;
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
    sizes.tied = sizes.vocabulary_biases = sizes.biases = sizes.norm_biases = true;
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
      Matrix<double> at = Matrix<double>::Constant(1, 1, x), slope(1, 1);
      activate<double>(f, at, slope);
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
        const bool relu = dynamic_cast<const Relu<double>*>(map.get()) != nullptr;
        // Rotated features below the bar have both signs: denominators come near 0.
        if (relu && variant == LinearVariant::both_rotated) continue;
        const double shaken = relu ? 0.11 : 0.15;  // where no number is in reach of the kink
        const bool of_head = variant == LinearVariant::rotated_before_features;
        INFO(name << " " << features << " features, variant " << static_cast<int>(variant));
        check(make_case(small_design(), small_sizes(),
                        recipe_of(name, of_head ? d_model / heads : features), {map, variant},
                        shaken));
      }
}

TEST_CASE("Linear attention refuses an encoding that adds to logits") {
  const Case c = make_case(small_design(), small_sizes(), recipe_of("t5"),
                           {std::make_shared<EluPlusOne<double>>()});
  CHECK_THROWS_AS(loss_of(c, c.weights), UsageError);
}

namespace {

// ---- PyTorch's autograd and optimiser ----------------------------------------------------------

Case plain_case() {
  TransformerDesign design = small_design();
  design.layers.resize(1);
  design.feed_forward = {.activation = Activation::relu, .gated = false};
  return make_case(design, small_sizes(), recipe_of("rope"));
}

Case gpt2_case() {
  Case c = plain_case();
  TransformerDesign& design = c.design.transformer;
  design.norm = {.kind = NormKind::layer, .epsilon = 1e-5};
  design.feed_forward.activation = Activation::gelu_tanh;
  ModelSizes sizes = small_sizes();
  sizes.biases = sizes.vocabulary_biases = sizes.norm_biases = sizes.tied = true;
  EncodingRecipe recipe = recipe_of("learned");
  recipe.params.set("learned.length", std::to_string(length));
  return make_case(design, sizes, recipe);
}

Case roformer_case() {
  Case c = gpt2_case();
  TransformerDesign& design = c.design.transformer;
  design.norm.epsilon = 1e-12;
  design.norm_place = NormPlace::after;
  design.embedding_norm = EmbeddingNorm::before_projection;
  design.final_norm = false;
  design.feed_forward.activation = Activation::gelu;
  design.head_transform = Activation::gelu;
  design.attention.causal = false;
  ModelSizes sizes = small_sizes();
  sizes.biases = sizes.vocabulary_biases = sizes.norm_biases = sizes.tied = true;
  return make_case(design, sizes, recipe_of("rope"), {std::make_shared<EluPlusOne<double>>()});
}

/// The weights, tokens and targets of generate_training.py.
void set_by_formula(Case& c) {
  const auto weights = named_weights(c.weights);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double one = weights[k].is_vector && weights[k].name.ends_with(".weight") ? 1 : 0;
    double* values = weights[k].values->data();
    for (Index j = 0; j < weights[k].values->size(); ++j)
      values[j] = one + 0.3 * std::sin(1.3 * static_cast<double>(k) + 0.5 * static_cast<double>(j));
  }
  for (Index s = 0; s < sequences; ++s)
    for (Index i = 0; i < length; ++i) {
      const auto at = static_cast<std::size_t>(s * length + i);
      c.tokens[at] = static_cast<std::int32_t>((5 * i + 3 * s) % vocabulary);
      c.targets[at] = i == 2 ? no_target : static_cast<std::int32_t>((2 * i + s + 1) % vocabulary);
    }
}

void check_numbers(const std::string& name, const Matrix<double>& found,
                   const nlohmann::json& expected, double tolerance) {
  REQUIRE(found.size() == static_cast<Index>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO(name << " [" << i << "]");
    CHECK(found.data()[i] == Approx(expected[i].get<double>()).epsilon(tolerance).margin(1e-13));
  }
}

void check_steps(Case c, const nlohmann::json& golden) {
  set_by_formula(c);
  ModelWeights<double> gradient = gradient_of(c);
  constexpr double asked = sequences * (length - 1);
  CHECK(loss_of(c, c.weights) / asked == Approx(golden["loss"].get<double>()).epsilon(1e-12));
  const auto named = named_weights(gradient);
  REQUIRE(named.size() == golden["gradient"].size());
  for (const NamedWeight<double>& weight : named)
    check_numbers(weight.name, *weight.values / asked, golden["gradient"].at(weight.name), 1e-9);
  const StepRule rule{
      .learning_rate = 0.02, .last_share = 1, .weight_decay = 0.1, .largest_norm = 0.5};
  Trainer<double> trainer(c.design, c.recipe, initial_state(c.weights), rule, 2);
  for (const auto& norm : golden["norms"])
    CHECK(trainer.step(c.sequences_in()).gradient_norm == Approx(norm.get<double>()).epsilon(1e-9));
  ModelWeights<double> after = trainer.state().weights;
  for (const NamedWeight<double>& weight : named_weights(after))
    if (golden["after"].contains(weight.name))
      check_numbers(weight.name, *weight.values, golden["after"].at(weight.name), 1e-9);
  CHECK(loss_of(c, after) / asked == Approx(golden["loss_after"].get<double>()).epsilon(1e-9));
}

}  // namespace

TEST_CASE("Gradients and three steps of AdamW are those of PyTorch") {
  const nlohmann::json cases = test::golden("training/training.json")["cases"];
  check_steps(plain_case(), cases["plain"]);
  check_steps(gpt2_case(), cases["gpt2"]);
  check_steps(roformer_case(), cases["roformer"]);
}

namespace {

/// Weights after some steps on batches of 40 sequences, in several groups.
template <class T>
ModelWeights<T> trained_on(int threads, const char* encoding) {
  TransformerDesign design = small_design();
  const EncodingRecipe recipe = recipe_of(encoding);
  Trainer<T> trainer({design, {}}, recipe,
                     initial_state(initial_weights<T>(design, small_sizes(), recipe, 1)),
                     {.learning_rate = 0.01, .warm_up = 2, .steps = 5}, threads);
  Random random(9, "batches");
  constexpr Index many = 90;
  for (int step = 0; step < 5; ++step) {
    std::vector<std::int32_t> tokens, targets;
    for (Index i = 0; i < many * length; ++i) {
      tokens.push_back(static_cast<std::int32_t>(random.integer(vocabulary)));
      targets.push_back(static_cast<std::int32_t>(random.integer(vocabulary)));
    }
    trainer.step({tokens, targets, length});
  }
  return trainer.state().weights;
}

}  // namespace

TEST_CASE("Training gives the same bits on any number of threads") {
  for (const char* encoding : {"rope", "t5", "learned", "shaw"}) {
    ModelWeights<float> one = trained_on<float>(1, encoding);
    for (const int threads : {2, 3, 8}) {
      ModelWeights<float> other = trained_on<float>(threads, encoding);
      const auto a = named_weights(one), b = named_weights(other);
      for (std::size_t i = 0; i < a.size(); ++i) {
        INFO(encoding << " " << a[i].name << " on " << threads);
        CHECK(*a[i].values == *b[i].values);
      }
    }
  }
}

TEST_CASE("The learning rate rises by a line and falls by a cosine") {
  const StepRule rule{.learning_rate = 2, .warm_up = 4, .steps = 104, .last_share = 0.1};
  CHECK(learning_rate_at(rule, 0) == Approx(0.5));
  CHECK(learning_rate_at(rule, 3) == Approx(2));
  CHECK(learning_rate_at(rule, 54) == Approx(2 * 0.55));
  CHECK(learning_rate_at(rule, 104) == Approx(0.2));
  CHECK(learning_rate_at(rule, 1000) == Approx(0.2));
}

TEST_CASE("A trainer refuses tokens that the vocabulary does not have, and nothing to learn") {
  Case c = make_case(small_design(), small_sizes(), recipe_of("rope"));
  Trainer<double> trainer(c.design, c.recipe, initial_state(c.weights), {}, 1);
  const std::vector<std::int32_t> wrong(static_cast<std::size_t>(length), 7);
  const std::vector<std::int32_t> right(static_cast<std::size_t>(length), 6);
  const std::vector<std::int32_t> nothing(static_cast<std::size_t>(length), no_target);
  CHECK_THROWS_AS(trainer.step({wrong, right, length}), UsageError);
  CHECK_THROWS_AS(trainer.step({right, wrong, length}), UsageError);
  CHECK_THROWS_AS(trainer.step({right, nothing, length}), UsageError);
  CHECK_THROWS_AS(trainer.step({right, right, length - 1}), UsageError);
}

TEST_CASE(
    "Training keeps KERPLE's numbers where its kernel is one, and survives what is not finite") {
  const EncodingRecipe recipe = recipe_of("kerple");
  const TransformerDesign design = small_design();
  ModelWeights<double> weights = initial_weights<double>(design, small_sizes(), recipe, 1);
  const std::vector<std::int32_t> tokens(static_cast<std::size_t>(length), 3);
  // Decay drives every number to 0 in a step of this size.
  Trainer<double> trainer({design, {}}, recipe, initial_state(weights),
                          {.learning_rate = 50, .last_share = 1}, 1);
  for (int step = 0; step < 3; ++step) trainer.step({tokens, tokens, length});
  for (const auto& tables : trainer.state().weights.layer_tables)
    for (const auto& [name, values] : tables) {
      INFO(name);
      CHECK((values.array() >= 0.01).all());
      CHECK((name == "kerple.r1" || (values.array() <= 2).all()));
    }
  weights.layers[0].attention.q.W(0, 0) = std::nan("");
  Trainer<double> broken({design, {}}, recipe, initial_state(weights), {}, 1);
  CHECK(std::isnan(broken.step({tokens, tokens, length}).loss));
  CHECK(broken.state().weights.tokens == weights.tokens);
}
