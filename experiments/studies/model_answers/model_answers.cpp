#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/analysis/largest.h"
#include "core/errors.h"
#include "experiments/files/memory_limit.h"
#include "experiments/setup/asked_model.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/model_edits.h"
#include "experiments/setup/provenance.h"
#include "experiments/studies/model_answers/figures.h"

namespace orrery::studies {
namespace {
namespace in_model_answers {

constexpr std::size_t tokens_of_lens = 3;

ParamSpec asked_when(ParamSpec spec, std::vector<std::string> ask) {
  spec.used_when = Condition{"ask", std::move(ask)};
  return spec;
}

ParamSpec ask_param() {
  return {.key = "ask",
          .description = "How the model is asked.",
          .kind = ParamKind::choice,
          .default_value = std::string("lens"),
          .choices = {{"lens", "what it would answer after each layer"},
                      {"patch", "which activations change its answer"},
                      {"repeat", "whether it copies random tokens that come again"},
                      {"needle", "whether it finds a fact at any place of a text"}}};
}

ParamSpec lengths_param() {
  return {.key = "lengths",
          .unit = "tokens",
          .description = "Lengths of what the model reads: text, fact and question.",
          .kind = ParamKind::number_list,
          .default_value = std::vector<double>{16, 32, 48},
          .min = 2,
          .max = 1 << 20};
}

std::vector<ParamSpec> declared_params() {
  std::vector<ParamSpec> specs{ask_param()};
  const auto add = [&](ParamSpec spec, std::vector<std::string> ask) {
    specs.push_back(asked_when(std::move(spec), std::move(ask)));
  };
  for (ParamSpec& spec : asked_model_params()) {
    if (spec.key == "parts") continue;
    if (spec.key == "model")
      specs.push_back(std::move(spec));
    else
      add(std::move(spec), {"lens", "patch", "needle"});
  }
  add(count_param({"token", "$i$"},
                  "The token that is looked at; the corrupted text has another one there.", 12, 0,
                  1 << 20),
      {"lens", "patch"});
  add(log_count_param({"repeated", "$n$", "tokens"}, "Random tokens that come twice.", 16, 2,
                      65536),
      {"repeat"});
  add(count_param("repeats", "Sequences of other random tokens.", 8, 1, 4096), {"repeat"});
  add(lengths_param(), {"needle"});
  add(count_param("depths", "Places of the fact, from first to last.", 5, 1, 1000), {"needle"});
  add(count_param("draws", "Facts, in as many parts of the text.", 4, 1, 4096), {"needle"});
  add(count_param("question_length", "Random tokens that the question repeats.", 2, 1, 1024),
      {"needle"});
  add(count_param("answer_length", "Random tokens that answer it.", 1, 1, 1024), {"needle"});
  add(seed_param(), {"repeat", "needle"});
  for (ParamSpec& spec : edit_params()) {
    if (spec.key == "edits") spec.used_when = Condition{"ask", {"lens", "repeat", "needle"}};
    specs.push_back(std::move(spec));
  }
  for (const char* place : {"layer", "head"}) {
    ParamSpec spec =
        count_param(place, fmt::format("The {} of the head that gives zero.", place), 0, 0, 255);
    spec.used_when = Condition{"edits", {"silence"}};
    spec.group = "What if";
    specs.push_back(std::move(spec));
  }
  specs.push_back(asked_precision_param());
  return specs;
}

ExperimentInfo make_info() {
  return {.name = "model_answers",
          .title = "Answers of a model",
          .question = "What does a model copy and find, and where does its answer come from?",
          .formulas = {{R"(\mathrm{loss}_i = -\ln p(t_{i+1} | t_1, \ldots, t_i))", ""}},
          .symbols = {{"t_i", "a token of the text"}},
          .params = declared_params(),
          .view = {.layout = ViewLayout::side_by_side,
                   .controls = {"ask", "edits", "token", "length"},
                   .tabs = {{"lens", "By token"},
                            {"by_layer", "By layer"},
                            {"becomes", "One token"},
                            {"stream", "Stream"},
                            {"attention_part", "Attention"},
                            {"feed_forward_part", "Feed-forward"},
                            {"head_part", "Heads"},
                            {"repeated", "Twice"},
                            {"found", "Found"},
                            {"gain", "Gain"}}},
          .questions = {{.words = "Does my model copy what came before?",
                         .answer = "Random tokens come twice: what it copies has a lower loss the "
                                   "second time. Drop your model here, and move $n$.",
                         .settings = {{"ask", "repeat"}},
                         .figure = "repeated",
                         .control = "repeated"},
                        {.words = "In which layer is the answer there?",
                         .answer = "Each row reads the next token after so many layers. Drag the "
                                   "line, or move $i$, to see what a token becomes.",
                         .figure = "lens",
                         .control = "token"}},
          .ignored = {{.figures = {"by_layer"}, .keys = {"token"}}}};
}

/// The text with another token in one place: the nearest one in front of it, or behind it, that is
/// not the same.
ModelText corrupted(const ModelText& text, std::size_t token) {
  const std::vector<std::int32_t>& ids = text.tokens;
  const auto differs = [&](std::int32_t id) { return id != ids[token]; };
  const auto here = ids.begin() + static_cast<std::ptrdiff_t>(token);
  const auto before = std::find_if(std::make_reverse_iterator(here), ids.rend(), differs);
  const auto after = std::find_if(here, ids.end(), differs);
  if (before == ids.rend() && after == ids.end())
    throw UsageError(text.name, "has one token alone, so that none is another",
                     "give another text");
  ModelText other{text.name + ", corrupted", ids};
  other.tokens[token] = before == ids.rend() ? *after : *before;
  return other;
}

/// Of losses that are shown.
Check check_of_losses(const std::vector<double>& losses) {
  Largest below;  // a NaN stays
  for (const double loss : losses) below.see(-loss);
  return {.name = "no_loss_is_negative",
          .statement = "no token is more than certain (how far a loss lies below 0)",
          .equation = "loss = −ln p",
          .measured = below.value(),
          .bound = 0};
}

/// The last row of the lens beside what the pass itself tells.
Check check_of_lens(const Lens& lens, bool single) {
  Largest off;
  for (std::size_t i = 0; i < lens.losses.size(); ++i)
    off.see(std::abs(lens.at(lens.states - 1, i).loss - lens.losses[i]));
  return {.name = "last_row_is_the_model",
          .statement = "after the last layer the losses are the model's own (largest difference)",
          .equation = "loss = −ln p",
          .measured = off.value(),
          .bound = single ? 1e-4 : 1e-9};
}

/// Before the first layer nothing but the changed token differs.
Check check_of_patch(const PatchResult& patch, std::size_t token) {
  return {.name = "changed_token_carries_all",
          .statement =
              "the stream before the first layer, at the changed token, makes all of the "
              "difference",
          .equation = "effect = 1",
          .measured = patch.maps.front().effect[token],
          .relation = Relation::equals,
          .bound = 1,
          .tolerance = 1e-6};
}

/// Below `count`, of which there are so many.
std::size_t token_in(const ParamSet& params, std::size_t count, const char* what) {
  const std::int64_t token = params.integer("token");
  if (token < static_cast<std::int64_t>(count)) return static_cast<std::size_t>(token);
  throw UsageError(fmt::format("token={}", token),
                   fmt::format("{} {}, counted from 0", count, what),
                   fmt::format("take {} at most, or a longer text", count - 1));
}

void ask_lens(AskedModel& model, const ParamSet& params, const PositionPlan& plan,
              Progress& progress, Result& result) {
  const ModelText& text = model.texts().front();
  const std::size_t token = token_in(params, text.tokens.size() - 1, "tokens have one behind them");
  const LensRequest request{.text = text, .next = tokens_of_lens, .edits = edits_in(params, plan)};
  require_memory(static_cast<double>(lens_bytes(model.live(), request)), "the lens",
                 "lower length");
  const Lens& lens = model.lens(request, progress);
  std::vector<std::int32_t> ids;  // of the token that is looked at, state by state
  for (std::size_t state = 0; state < lens.states; ++state)
    for (const std::int32_t id : lens.at(state, token).ids) ids.push_back(id);
  add_lens(params, lens, model.labels(), model.labels_of_ids(ids), token, result);
  if (!lens.losses.empty()) result.checks = {check_of_lens(lens, model.live().settings().single)};
  result.in_use.push_back({.key = "token", .most = static_cast<double>(text.tokens.size() - 2)});
}

void ask_patch(AskedModel& model, const ParamSet& params, Progress& progress, Result& result) {
  const ModelText& text = model.texts().front();
  const std::size_t token = token_in(params, text.tokens.size(), "tokens are read");
  const PatchRequest request{.clean = text, .corrupted = corrupted(text, token)};
  require_memory(static_cast<double>(patch_bytes(model.live(), request)), "activations of two runs",
                 "lower length");
  const PatchResult patch = patch_activations(model.live(), request, progress);
  add_patch(params, patch, model.labels_of_ids(patch_ids(patch)), result);
  result.checks = {check_of_patch(patch, token)};
  result.in_use.push_back({.key = "token", .most = static_cast<double>(text.tokens.size() - 1)});
}

void ask_repeat(AskedModel& model, const ParamSet& params, const PositionPlan& plan,
                Progress& progress, Result& result) {
  const RepeatRequest request{.tokens = params.integer("repeated"),
                              .sequences = params.integer("repeats"),
                              .seed = params.integer("seed"),
                              .first = model.leading(),
                              .edits = edits_in(params, plan)};
  const Repeat repeat = repeat_tokens(model.live(), request, progress);
  add_repeat(params, repeat, result);
  const auto begin = repeat.by_position.begin();
  result.checks = {
      check_of_losses({begin + (request.first < 0 ? 1 : 0), repeat.by_position.end()})};
}

void ask_needle(AskedModel& model, const ParamSet& params, const PositionPlan& plan,
                Progress& progress, Result& result) {
  const NeedleRequest request{.texts = model.texts(),
                              .lengths = lengths_of_contexts(params),
                              .depths = static_cast<std::size_t>(params.integer("depths")),
                              .draws = params.integer("draws"),
                              .key = params.integer("question_length"),
                              .value = params.integer("answer_length"),
                              .seed = params.integer("seed"),
                              .first = model.leading(),
                              .edits = edits_in(params, plan)};
  const NeedleTable needle = find_needles(model.live(), request, progress);
  add_needle(params, needle, result);
  std::vector<double> losses;
  for (const NeedleCell& cell : needle.cells) losses.push_back(cell.loss);
  result.checks = {check_of_losses(losses)};
}

/// Tokens of the sequences; 0 for those of the text.
std::int64_t longest_sequence(const ParamSet& params) {
  const std::string& ask = params.text("ask");
  if (ask == "repeat") return 2 * params.integer("repeated") + 1;
  if (ask != "needle") return 0;
  const std::vector<std::int64_t> lengths = lengths_of_contexts(params);
  std::int64_t longest = 0;
  for (const std::int64_t length : lengths) longest = longest < length ? length : longest;
  return longest + params.integer("answer_length");
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  const std::shared_ptr<AskedModel> model =
      AskedModel::take(params, inputs, longest_sequence(params));
  const PositionPlan& plan = *std::get<ModelFile>(inputs.at("model")).plan;
  const std::string& ask = params.text("ask");
  if ((ask == "lens" || ask == "patch") && model->texts().size() > 1)
    throw UsageError(fmt::format("tokens= of {} texts", model->texts().size()),
                     "one is read by ask=" + ask, "give ids of the shape [N]");
  checkpoint(progress, 0.0, ask);
  Result result;
  if (ask == "lens") ask_lens(*model, params, plan, progress, result);
  if (ask == "patch") ask_patch(*model, params, progress, result);
  if (ask == "repeat") ask_repeat(*model, params, plan, progress, result);
  if (ask == "needle") ask_needle(*model, params, plan, progress, result);
  for (ValueInUse& limit : edit_limits(model->live().layers(), model->live().heads(), plan))
    result.in_use.push_back(std::move(limit));
  checkpoint(progress, 1.0, "done");
  return result;
}

}  // namespace in_model_answers
}  // namespace

Experiment model_answers_experiment() {
  using namespace in_model_answers;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery::studies
