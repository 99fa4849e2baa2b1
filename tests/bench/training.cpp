// Steps of training: AdamW with clipping, two layers with RoPE, RMSNorm and ReLU, causal.
#include "tests/bench/training.h"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "core/encodings/catalogue.h"
#include "core/random.h"
#include "core/training/trainer.h"
#include "tests/bench/head.h"

namespace orrery::bench {
namespace {

constexpr Index sequences = 16, layers = 2, heads = 4, symbols = 64;

/// What a step learns from, and trainers of one model by their number of threads.
class Training {
 public:
  Training(Index width, Index length) : width_(width), length_(length) {
    Random random(1, "training");
    for (std::vector<std::int32_t>* ids : {&tokens_, &targets_})
      for (Index i = 0; i < sequences * length; ++i)
        ids->push_back(static_cast<std::int32_t>(random.integer(symbols)));
  }

  StepLoss step(int threads) {
    std::unique_ptr<Trainer<float>>& trainer = trainers_[threads];
    if (!trainer) trainer = make_trainer(threads);
    return trainer->step({tokens_, targets_, length_});
  }

 private:
  std::unique_ptr<Trainer<float>> make_trainer(int threads) const {
    TransformerDesign design;
    design.layers.resize(layers);
    design.attention = {
        .heads = heads, .kv_heads = heads, .d_head = width_ / heads, .d_value = width_ / heads};
    design.feed_forward = {.activation = Activation::relu, .gated = false};
    const ModelSizes sizes{.vocabulary = symbols, .d_model = width_, .d_feed_forward = 4 * width_};
    const EncodingRecipe recipe{.name = "rope",
                                .params = ParamSet(find_encoding("rope").info.params),
                                .d_model = width_,
                                .d_head = width_ / heads,
                                .heads = static_cast<int>(heads)};
    // So slow that what is measured last does what is measured first.
    const StepRule rule{.learning_rate = 1e-6, .steps = 1'000'000'000};
    return std::make_unique<Trainer<float>>(
        TrainedDesign<float>{.transformer = design}, recipe,
        initial_state(initial_weights<float>(design, sizes, recipe, 1)), rule, threads);
  }

  Index width_;
  Index length_;
  std::vector<std::int32_t> tokens_{}, targets_{};
  std::map<int, std::unique_ptr<Trainer<float>>> trainers_{};
};

/// Multiplications and additions of the products with weights, forward and back.
double work_of(Index width, Index length) {
  const Index weights = layers * 12 * width * width + symbols * width;
  return 6.0 * static_cast<double>(weights * sequences * length);
}

Operation training_step(Index width, Index length, double times_peer) {
  return {.name = fmt::format("training step, width {}, {} tokens", width, sequences * length),
          .peer = fmt::format("training_step {} {} {} {} {} {}", width, length, sequences, layers,
                              heads, symbols),
          .limit = Limit::multiply_add,
          .work = work_of(width, length),
          .target = {.times_peer = times_peer},
          .threaded = true,
          .prepare = [width, length]() -> std::function<void()> {
            return [training = std::make_shared<Training>(width, length)] {
              use(training->step(threads()));
            };
          }};
}

}  // namespace

std::vector<Operation> training_steps() {
  return {training_step(48, 48, 2.5), training_step(64, 64, 2.5), training_step(128, 64, 2),
          training_step(256, 64, 2)};
}

}  // namespace orrery::bench
