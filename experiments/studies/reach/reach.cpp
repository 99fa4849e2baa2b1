#include "experiments/heads/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "experiments/setup/asked_model.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"

namespace orrery {
namespace {
namespace in_reach {

ExperimentInfo make_info() {
  return {.name = "reach",
          .title = "Reach of a model",
          .question = "How far back does a model read, by its loss?",
          .formulas = {{R"(\mathrm{loss}_i = -\ln p(t_{i+1} | t_{i-c}, \ldots, t_i))", ""}},
          .symbols = {{"t_i", "a token of the text"}, {"c", "tokens of context"}},
          .params = joined(
              {asked_model_params(64, 6),
               {log_count_param({"targets", "", "tokens"},
                                "Last tokens of each text, which are predicted.", 8, 1, 65536),
                first_token_param(), asked_precision_param()}}),
          .view = {.controls = {"targets", "length"}, .tabs = {{"reach", "Reach"}}}};
}

Figure reach_figure(const std::string& about, const ContextReach& reach) {
  Series loss{.name = "loss", .x = {}, .y = {}, .marked = true};
  for (const ContextLoss& one : reach.contexts) {
    loss.x.push_back(static_cast<double>(one.context));
    loss.y.push_back(one.loss);
  }
  const bool helps = std::ranges::any_of(reach.contexts, &ContextLoss::helps);
  return {
      "reach",
      helps ? fmt::format("Context helps up to {}{} tokens", reach.is_limit ? "at least " : "",
                          reach.reach)
            : "No longer context is shown to help",
      about,
      LinePlot{
          .x = {.label = "context", .symbol = "$c$", .unit = "tokens", .scale = AxisScale::log2},
          .y = {.label = "loss", .unit = "nats"},
          .series = {std::move(loss)},
          .rules = {vertical(static_cast<double>(reach.reach), "reach")}}};
}

Table contexts_table(const ContextReach& reach) {
  TableBuilder table("contexts",
                     "loss of the last tokens behind contexts; gain over half as long a one, "
                     "paired by texts, p by Holm",
                     {"context [tokens]", "loss [nats]", "gain [nats]", "p", "helps"});
  for (const ContextLoss& one : reach.contexts) {
    const bool is_first = &one == &reach.contexts.front();
    const double gain = is_first ? std::numeric_limits<double>::quiet_NaN() : one.gain.difference;
    table.row({one.context, one.loss, gain, one.p, one.helps ? 1.0 : 0.0});
  }
  return std::move(table).finish_printed();
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  const std::shared_ptr<AskedModel> model = AskedModel::take(params, inputs);
  checkpoint(progress, 0.0, "reach");
  const ContextReach reach = context_reach(model->live(), model->texts(), params.integer("targets"),
                                           first_token(params, *model), progress);
  Result result;
  result.figures = {reach_figure(
      caption_of_model(
          params, model->live().family(),
          fmt::format("last {} tokens of {} texts", reach.targets, model->texts().size())),
      reach)};
  result.tables = {contexts_table(reach)};
  result.scalars = {{"reach", "$c$", "tokens", static_cast<double>(reach.reach),
                     "longest context that is shown to help; the shortest where none is"}};
  std::vector<double> losses;
  for (const ContextLoss& one : reach.contexts) losses.push_back(one.loss);
  result.checks = {check_of_losses(losses)};
  model->tell_length(params, result);
  return result;
}

}  // namespace in_reach
}  // namespace

Experiment reach_experiment() {
  using namespace in_reach;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery
