#include <fmt/format.h>

#include <cmath>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/studies/training/runs.h"

namespace orrery {
namespace {
namespace in_training {

/// An hour on one core at the speed of small models.
constexpr double most_training_operations = 3e14;

std::vector<ParamSpec> task_params() {
  return {choice_param("task", "What the models learn to say.", "copy_at", task_choices()),
          read_while("task", symbol_tasks(),
                     log_count_param("symbols", "Different symbols of a task without a text.", 8, 2,
                                     4096)),
          read_while("task", {"copy_at"},
                     log_count_param({"distance", "", "tokens"},
                                     "How far back the symbol lies that is asked.", 3, 1, 4096)),
          read_while(
              "task", text_tasks(),
              file_param("text", "UTF-8 text whose bytes are learned; its last tenth is held out.",
                         {"txt", "*"}, "bundled:where_tokens_are.txt"))};
}

bool has_start(const ParamSet& params) { return !params.text("start").empty(); }

/// Of what is drawn without a start.
ParamSpec drawn_param(ParamSpec spec) {
  spec.idle = has_start;
  return spec;
}

std::vector<ParamSpec> model_params() {
  return {choice_param("model", "The blocks of the models.", "plain", shape_choices()),
          choice_param("attention", "How keys are weighed.", "softmax",
                       {{"softmax", "eq. (2)"},
                        {"linear_elu_plus_one", "linear attention, eq. (19), with elu(x) + 1"},
                        {"linear_relu", "linear attention, eq. (19), with $\\max(x, 0)$"}}),
          count_param("layers", "Layers of a model.", 2, 1, 24),
          count_param({"heads", "$H$"}, "Heads of a layer; a model is heads·dim wide.", 4, 1, 32),
          dim_param(8),
          drawn_param(
              log_real_param({"token_deviation", "$σ$"},
                             "Standard deviation of the vectors of tokens, and of positions that "
                             "are added to them, before the first step; BERT and GPT-2 take 0.02. "
                             "Which encoding learns best depends on it.",
                             0.5, 1e-4, 10)),
          stated_if_set(
              file_param("start",
                         "Weights of all models before the first step, in place of drawn ones: "
                         "a model that checkpoints wrote, or a file with its names.",
                         {"safetensors"}))};
}

std::vector<ParamSpec> step_params() {
  return {
      log_count_param({"tokens", "$L$", "tokens"}, "Tokens of a sequence.", 16, 6, 1024),
      count_param("extrapolation", "Models are judged on sequences up to so many times as long.", 4,
                  1, 4),
      log_count_param("batch", "Sequences of a step.", 8, 1, 1024),
      log_count_param({"steps", "", "steps"}, "Steps of AdamW.", 150, 1, 1e6),
      log_real_param({"learning_rate", "$η$"},
                     "The highest; it rises over warm_up and falls by a cosine to a tenth.", 0.01,
                     1e-6, 1),
      count_param({"warm_up", "", "steps"},
                  "Steps over which the learning rate rises, at most half of all.", 20, 0, 1e5),
      count_param("rates_tried",
                  "Learning rates around learning_rate, a factor of 2 apart, of which each "
                  "encoding gets the best; 1 tries no other.",
                  1, 1, 9),
      count_param("deviations_tried",
                  "Deviations around token_deviation, a factor of 2.5 apart, each with every rate, "
                  "of which each encoding gets the best; 1 tries no other.",
                  1, 1, 9),
      count_param("seeds", "Models of each encoding, which start and learn differently.", 1, 1, 64),
      count_param("checkpoints",
                  "Times at which models are written to files, evenly spaced, the last at the end, "
                  "beside the start; 0 writes none.",
                  0, 0, 100)};
}

ExperimentInfo make_info() {
  return {
      .name = "training",
      .version = 3,
      .title = "Training",
      .question =
          "How does a small model learn where its tokens are, and what does it do beyond "
          "the length it learned from?",
      .formulas =
          {{R"(\mathrm{loss} = -\frac{1}{|T|} \sum_{i \in T} \ln p(y_i | x_1, \ldots, x_i))", ""},
           {R"(w_{t+1} = w_t - \eta_t \left(\frac{\hat{m}}{\sqrt{\hat{v}} + \epsilon} + \lambda w_t\right))",
            "Loshchilov and Hutter 2019", in_descriptions}},
      .symbols = {{"T", "tokens at which something is asked"},
                  {"y_i", "the token that is right there"}},
      .params =
          with_encoding_params(joined({task_params(),
                                       {encodings_param({"rope", "learned", "alibi", "none"})},
                                       model_params(),
                                       step_params(),
                                       {seed_param()}})),
      .view = {.layout = ViewLayout::small_multiples,
               .together = {"loss", "loss_by_length", "trained_weights"},
               .controls = {"encoding", "task", "steps", "tokens"},
               .tabs = {{"loss_by_length", "Loss by length"},
                        {"accuracy_by_length", "Accuracy"},
                        {"forming_heads", "Heads forming"}}},
      .questions =
          {{.words = "Which encodings can look three tokens back?",
            .answer = "Every encoding trains the same small model to say the symbol that "
                      "lies distance tokens back. Move it.",
            .control = "distance"},
           {.words = "What do the heads of a model look like that I trained?",
            .answer = "A small Llama learns the bytes of a text, and Open this model shows "
                      "its heads. Move steps.",
            .settings = {{"task", "causal_language"}, {"model", "llama"}, {"encoding", "rope"}},
            .figure = "loss",
            .control = "steps"}},
      // A longer table has the same rows to begin with.
      .ignored = {{.keys = {"learned.length", "checkpoints"}}}};
}

/// What cannot be trained, and sizes that do not fit each other.
void check_training(const ParamSet& params) {
  const Index tokens = params.integer("tokens"), least = shortest_sequence(params);
  if (tokens < least)
    throw UsageError(fmt::format("tokens={} with task={}", tokens, params.text("task")),
                     fmt::format("its sequences have {} tokens or more", least),
                     fmt::format("take tokens={}", least));
  for (const std::string& name : params.list("encoding")) {
    const EncodingEntry& entry = find_encoding(name);
    if (params.text("attention") == "softmax" || !entry.uses(Door::score_terms)) continue;
    throw UsageError(fmt::format("encoding={} with attention={}", name, params.text("attention")),
                     "linear attention forms no scores that it could add to",
                     "choose rope, sinusoidal, learned or none, or attention=softmax");
  }
  if (has_start(params) && params.integer("deviations_tried") > 1)
    throw UsageError(fmt::format("deviations_tried={} with start={}",
                                 params.integer("deviations_tried"), params.text("start")),
                     "a file gives the vectors of tokens", "leave one of the two out");
  check_last_position(params, tokens * params.integer("extrapolation") - 1);
  const double operations = training_operations(params);
  if (operations > most_training_operations)
    throw UsageError(fmt::format("steps={}", params.integer("steps")),
                     fmt::format("takes {:.2g} operations, and the most in one run is {:.2g}",
                                 operations, most_training_operations),
                     "lower steps, seeds, batch, tokens or the model");
}

void add_scalars(const std::vector<Run>& runs, const std::string& encoding, const ParamSet& params,
                 Result& result) {
  const FindingsOn of(result, encoding, encoding_label(encoding));
  const std::vector<LossAtLength>& lengths = runs.front().held_out;
  const SeedSpread loss = held_out(runs, encoding, 0, &LossAtLength::loss);
  of.scalar("loss", loss.mean, "held-out loss per token at the length it learned from", "nats");
  if (params.integer("seeds") > 1)
    of.scalar("loss_spread", loss.width(), "from the lowest seed to the highest", "nats");
  if (params.integer("rates_tried") > 1)
    of.scalar("learning_rate", runs_of(runs, encoding).front()->learning_rate,
              "the best of the learning rates that were tried");
  if (params.integer("deviations_tried") > 1)
    of.scalar("token_deviation", runs_of(runs, encoding).front()->token_deviation,
              "the best of the deviations that were tried");
  of.scalar("accuracy", held_out(runs, encoding, 0, &LossAtLength::accuracy).mean,
            "share of held-out tokens that are said right");
  for (std::size_t i = 1; i < lengths.size(); ++i) {
    const Index tokens = params.integer("tokens"), times = lengths[i].length / tokens;
    if (lengths[i].length % tokens != 0) continue;
    of.scalar(fmt::format("loss_at_{}L", times),
              held_out(runs, encoding, i, &LossAtLength::loss).mean,
              fmt::format("held-out loss of sequences {} times as long", times), "nats");
  }
}

/// Whatever was trained: that it was trained down its own loss.
void add_gradient_check(const std::vector<Run>& runs, const std::string& encoding, Result& result) {
  std::vector<double> errors;
  for (const Run* run : runs_of(runs, encoding)) errors.push_back(run->gradient_error);
  constexpr double bound = 1e-4;  // a difference may meet kinks of ReLU
  FindingsOn(result, encoding, encoding_label(encoding))
      .at_most("gradient_is_that_of_its_loss",
               "the gradient of the trained model is the slope of its loss along a random "
               "direction (largest difference, as a share of the gradient)",
               "central differences in fp64", spread_of(errors).greatest, bound);
}

/// By how much more each encoding loses than the one that loses least, and how far that goes from
/// seed to seed: no rank, which one setting does not tell.
void add_excess(const std::vector<Run>& runs, const ParamSet& params, Result& result) {
  const std::vector<std::string>& encodings = params.list("encoding");
  if (params.integer("seeds") < 2 || encodings.size() < 2) return;
  const auto loss = [&](const std::string& encoding) {
    return held_out(runs, encoding, 0, &LossAtLength::loss).mean;
  };
  std::string least = encodings.front();
  for (const std::string& encoding : encodings)  // a loss that is not finite is no lower
    if (loss(encoding) < loss(least) || !std::isfinite(loss(least))) least = encoding;
  for (const std::string& encoding : encodings) {
    if (encoding == least) continue;
    const SeedSpread excess = excess_loss(runs, encoding, least);
    const FindingsOn of(result, encoding, encoding_label(encoding));
    of.scalar("excess", excess.mean,
              "held-out loss less that of " + encoding_label(least) +
                  ", which has the lowest mean here, seed by seed",
              "nats");
    of.scalar("excess_least", excess.least, "the same, of the seed with the least", "nats");
    of.scalar("excess_most", excess.greatest, "the same, of the seed with the most", "nats");
  }
}

/// What models came to, also while they are still trained.
Result findings(const ParamSet& params, const Trained& trained) {
  Result result;
  for (const std::string& encoding : params.list("encoding"))
    add_scalars(trained.runs, encoding, params, result);
  add_excess(trained.runs, params, result);
  result.figures = training_figures(params, trained.runs);
  result.tables = training_tables(trained);
  result.files = trained.files;
  for (const Figure& figure : result.figures) {
    if (const auto* map = std::get_if<Heatmap>(&figure.content))
      result.arrays.push_back(map->values);
    else if (const auto* moments = std::get_if<MapEquation>(&figure.content))
      for (const MapTerm& moment : moments->terms) result.arrays.push_back(moment.map.values);
  }
  return result;
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  const Trained trained = train_all(params, inputs, progress, [&](const Trained& so_far) {
    progress.see(std::make_shared<Result>(findings(params, so_far)));
  });
  Result result = findings(params, trained);
  for (const std::string& encoding : params.list("encoding"))
    add_gradient_check(trained.runs, encoding, result);
  if (!trained.opened.empty())
    result.next = NextStep{.title = "Open this model",
                           .about = "Shows where the heads of what was just trained look.",
                           .experiment = "model_heads",
                           .file_key = "model",
                           .made = trained.opened};
  return result;
}

}  // namespace in_training
}  // namespace

Experiment training_experiment() {
  using namespace in_training;
  return with_provenance(make_info(), compute, check_training);
}

}  // namespace orrery
