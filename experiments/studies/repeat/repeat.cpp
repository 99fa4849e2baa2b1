#include "experiments/heads/repeat.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "experiments/setup/asked_model.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/statistics/welch.h"

namespace orrery {
namespace {
namespace in_repeat {

ExperimentInfo make_info() {
  return {
      .name = "repeat",
      .title = "Repeated tokens",
      .question = "Does a model copy random tokens that come again?",
      .formulas = {{R"(\mathrm{loss}_i = -\ln p(t_{i+1} | t_1, \ldots, t_i))", ""}},
      .symbols = {{"t_i", "a token of the sequence"}},
      .params = joined({{asked_model_param(),
                         log_count_param({"repeated", "$n$", "tokens"},
                                         "Random tokens that come twice.", 16, 2, 65536),
                         count_param("repeats", "Sequences of other random tokens.", 8, 1, 4096),
                         seed_param(), first_token_param()},
                        edit_params(EditedHead::declared),
                        {asked_precision_param()}}),
      .view = {.controls = {"repeated", "edits"}, .tabs = {{"repeated", "Twice"}}},
      .questions = {{.words = "Does my model copy what came before?",
                     .answer = "Random tokens come twice: what it copies has a lower loss the "
                               "second time. Drop your model here, and move $n$.",
                     .figure = "repeated",
                     .control = "repeated"}}};
}

/// It copies where most of the loss is gone, and does not where the interval of the gain has 0.
std::string verdict(const Repeat& repeat) {
  constexpr double most_left = 0.5;
  if (sample_mean(repeat.second_half) < most_left * sample_mean(repeat.first_half)) return "Copies";
  if (std::isnan(repeat.gain.low)) return "One sequence does not tell";
  return repeat.gain.low > 0 ? "Copies a little" : "Does not copy";
}

Figure repeat_figure(const std::string& about, const Repeat& repeat) {
  const auto n = static_cast<std::size_t>(repeat.request.tokens);
  Series first{.name = "first time", .x = {}, .y = {}, .color = 0, .marked = true};
  Series second{.name = "second time", .x = {}, .y = {}, .color = 1, .marked = true};
  for (std::size_t i = 0; i < 2 * n; ++i) {
    Series& half = i < n ? first : second;
    half.x.push_back(static_cast<double>(i % n));
    half.y.push_back(repeat.by_position[i]);
  }
  return {
      "repeated",
      fmt::format("{}: random tokens cost {:.2f} nats, and {:.2f} when they come again",
                  verdict(repeat), sample_mean(repeat.first_half),
                  sample_mean(repeat.second_half)) +
          under(repeat.edits),
      about,
      LinePlot{.x = {.label = "position within a half"},
               .y = {.label = "loss", .unit = "nats"},
               .series = {std::move(first), std::move(second)},
               .rules = {horizontal(std::log(static_cast<double>(repeat.vocabulary)), "chance")}}};
}

Result result_of(const ParamSet& params, const Repeat& repeat) {
  Result result;
  const double half = (repeat.gain.high - repeat.gain.low) / 2;  // NaN without an interval
  const std::string about = caption_of_model(
      params, repeat.family,
      fmt::format("mean over {} sequences; the repetition saves {:.2f}{} nats; means leave out the "
                  "first token of each half, which no token before tells",
                  repeat.first_half.size(), repeat.gain.difference,
                  std::isnan(half) ? "" : fmt::format(" ± {:.2f}", half)));
  result.figures.push_back(repeat_figure(about, repeat));
  const FindingsOn all(result);
  all.scalar("first_loss", sample_mean(repeat.first_half),
             "mean loss of random tokens that come for the first time, without the first of all",
             "nats");
  all.scalar("second_loss", sample_mean(repeat.second_half),
             "the same of those tokens when they come again", "nats");
  all.scalar("gain", repeat.gain.difference, "loss saved by the repetition", "nats");
  add_spread("gain", repeat.gain, "p of no gain, paired by sequences", result);
  TableBuilder table("repeated", "loss of each token, the mean over sequences",
                     {"position [tokens]", "loss [nats]"});
  for (std::size_t i = 0; i < repeat.by_position.size(); ++i) table.row({i, repeat.by_position[i]});
  result.tables.push_back(std::move(table).finish());
  const std::size_t n = repeat.first_half.size();
  result.arrays = {array_of("first_half", "mean loss of tokens that come for the first time, nats",
                            {n}, {"sequence"}, repeat.first_half),
                   array_of("second_half", "mean loss of the same tokens again, nats", {n},
                            {"sequence"}, repeat.second_half)};
  return result;
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  const std::int64_t tokens = params.integer("repeated");
  const std::shared_ptr<AskedModel> model = AskedModel::take(params, inputs, 2 * tokens + 1);
  const RepeatRequest request{.tokens = tokens,
                              .sequences = params.integer("repeats"),
                              .seed = params.integer("seed"),
                              .first = first_token(params, *model),
                              .edits = edits_in(params, model->plan())};
  checkpoint(progress, 0.0, "repeat");
  const Repeat repeat = repeat_tokens(model->live(), request, progress);
  Result result = result_of(params, repeat);
  const auto begin = repeat.by_position.begin();
  result.checks = {
      check_of_losses({begin + (request.first < 0 ? 1 : 0), repeat.by_position.end()})};
  result.in_use = edit_limits(model->live().layers(), model->live().heads(), model->plan());
  model->tell_length(params, result);
  return result;
}

}  // namespace in_repeat
}  // namespace

Experiment repeat_experiment() {
  using namespace in_repeat;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery
