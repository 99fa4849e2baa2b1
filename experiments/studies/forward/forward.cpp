#include "experiments/checkpoints/forward_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "core/parallel.h"
#include "experiments/checkpoints/pass_inputs.h"
#include "experiments/files/memory_limit.h"
#include "experiments/model_files/position_plan.h"
#include "experiments/setup/asked_model.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/statistics/welch.h"

namespace orrery {
namespace {
namespace in_forward {

/// Whether no array is asked for that belongs to a layer.
bool keeps_no_layer(const ParamSet& params) {
  const std::vector<std::string>& arrays = params.list("arrays");
  return std::ranges::all_of(arrays, [](const std::string& name) {
    return name == "tokens" || name == "loss" || name == "logits";
  });
}

ParamSpec numbers_param(const char* key, const char* description) {
  return {.key = key,
          .description = description,
          .kind = ParamKind::number_list,
          .default_value = std::vector<double>(),
          .min = 0,
          .max = 1e6,
          .may_be_empty = true,
          .idle = keeps_no_layer};
}

ExperimentInfo make_info() {
  std::vector<ParamSpec> specs =
      joined({{asked_model_param()},
              forward_params(),
              {numbers_param("layers", "Layers of which arrays are kept; none: all."),
               numbers_param("only_heads", "Heads of which arrays are kept; none: all."),
               asked_precision_param()}});
  return {.name = "forward",
          .title = "Pass over a text",
          .question = "What does a model lose on each token of a text, and what did it compute?",
          .formulas = {{R"(\mathrm{loss}_i = -\ln p(t_{i+1} | t_1, \ldots, t_i))", ""}},
          .symbols = {{"t_i", "a token of the text"}},
          .params = std::move(specs),
          .view = {.controls = {"length"}, .tabs = {{"loss", "Loss by token"}}}};
}

Figure loss_figure(const std::string& about, const std::vector<double>& losses, double mean) {
  Series loss{.name = "loss", .x = {}, .y = losses};
  for (std::size_t i = 0; i < losses.size(); ++i) loss.x.push_back(static_cast<double>(i + 1));
  return {"loss", fmt::format("The mean loss of a token is {:.3f} nats", mean), about,
          LinePlot{.x = token_axis(),
                   .y = {.label = "loss", .unit = "nats"},
                   .series = {std::move(loss)},
                   .rules = {horizontal(mean, "mean")}}};
}

void add_losses(const ParamSet& params, const PassModel& model, const PassInputs& inputs,
                const std::vector<double>& losses, Result& result) {
  const double mean = sample_mean(losses);
  result.scalars.push_back({"loss", "", "nats", mean, "mean loss of a token behind another"});
  result.scalars.push_back({"perplexity", "", "", std::exp(mean), "exp of it"});
  const std::string about =
      caption_of_model(params, model.family(), fmt::format("{} tokens", inputs.tokens.size()));
  result.figures = {loss_figure(about, losses, mean)};
  const std::vector<std::int32_t>& read =
      inputs.decoder_tokens.empty() ? inputs.tokens : inputs.decoder_tokens;
  TableBuilder table("loss", "loss of each token that follows another",
                     {"position [tokens]", "id", "loss [nats]"});
  for (std::size_t i = 0; i < losses.size(); ++i) table.row({i + 1, read[i + 1], losses[i]});
  result.tables.push_back(std::move(table).finish());
  result.checks = {check_of_losses(losses)};
}

/// What no file says, or the model's code does otherwise.
void add_assumed(const PassModel& model, Result& result) {
  if (model.assumed().empty()) return;
  TableBuilder table("assumed", "what the model's files do not say", {"assumed"});
  for (const std::string& sentence : model.assumed()) table.row({sentence});
  result.tables.push_back(std::move(table).finish_printed());
}

Result compute(const ParamSet& params, const Inputs& inputs, ArraySink& sink, Progress& progress) {
  const std::filesystem::path path = model_path(inputs);
  const PositionPlan& plan = *std::get<ModelFile>(inputs.at("model")).plan;
  const PassInputs read = pass_inputs(path, params, inputs, plan.longest);
  const PassModel model(path, static_cast<std::int64_t>(read.tokens.size()));
  const PassRequest request{.arrays = params.list("arrays"),
                            .layers = whole_numbers(params, "layers"),
                            .heads = whole_numbers(params, "only_heads"),
                            .single = params.text("precision") == "exact_fp32",
                            .threads = threads_or_all(0)};
  const std::uint64_t needed = model.bytes_of(read, request);
  require_memory(static_cast<double>(needed), "a pass", "give fewer tokens with length=");
  checkpoint(progress, 0.0, "forward");
  const PassResult pass = model.run(read, request, &sink);
  Result result;
  result.scalars = {
      {"layers", "", "layers", static_cast<double>(model.layers()), "layers of the model"},
      {"tokens", "", "tokens", static_cast<double>(read.tokens.size()), "tokens that it read"}};
  add_assumed(model, result);
  if (!pass.losses.empty()) add_losses(params, model, read, pass.losses, result);
  tell_longest(plan, static_cast<std::int64_t>(read.tokens.size()), result);
  for (const Array& array : pass.arrays)
    result.arrays.push_back(std::make_shared<const Array>(array));
  return result;
}

}  // namespace in_forward
}  // namespace

Experiment forward_experiment() {
  using namespace in_forward;
  return streamed_with_provenance(make_info(), compute);
}

}  // namespace orrery
