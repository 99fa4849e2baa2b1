#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/analysis/largest.h"
#include "core/errors.h"
#include "experiments/files/memory_limit.h"
#include "experiments/heads/model_run.h"
#include "experiments/setup/asked_model.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/studies/model_heads/figures.h"

namespace orrery {
namespace {
namespace in_model_heads {

constexpr std::size_t cells_of_small_maps = 16, next_tokens_listed = 5;
constexpr std::uint64_t most_kept_bytes = 512 << 20;  // of maps, for the next step of a slider

ParamSpec score_param(const char* key, const char* description, const char* usual) {
  std::vector<Choice> scores;
  for (const ScoreKind& kind : score_kinds())
    scores.push_back({std::string(kind.key), std::string(kind.description)});
  return choice_param(key, description, usual, std::move(scores));
}

ParamSpec idle_when(bool (*idle)(const ParamSet&), ParamSpec spec) {
  spec.idle = idle;
  return spec;
}

std::vector<ParamSpec> edits_of_heads() {
  std::vector<ParamSpec> specs = edit_params();
  for (ParamSpec& spec : specs)
    if (spec.key == "edits")
      spec.choices.push_back({"silence_marked", "the marked heads give zero"});
  return specs;
}

/// Whether no edit reads which heads are marked.
bool marks_alone(const ParamSet& params) { return !names(params, "edits", "silence_marked"); }

/// Whether the head is named, not left to the scores.
bool names_head(const ParamSet& params) {
  return params.integer("layer") >= 0 && params.integer("head") >= 0;
}
bool scores_alone(const ParamSet& params) { return marks_alone(params) && names_head(params); }

std::vector<ParamSpec> declared_params() {
  constexpr double most_score = 1 << 20;
  return joined(
      {asked_model_params(),
       {stated_if_set(count_param(
            {"layer", "$l$"}, "The layer of the head that is looked at; −1: of the highest score.",
            -1, -1, 255)),
        stated_if_set(count_param(
            {"head", "$h$"}, "The head that is looked at; −1: of the highest score.", -1, -1, 255)),
        score_param("score", "What every head is measured by.", "previous"),
        score_param("against", "The other score, across, of the figure of two.", "first"),
        flag_param("without_first",
                   "Whether scores leave out the first token, where weight gathers "
                   "that has nowhere else to go.",
                   false),
        choice_param("colors", "How weights are spread over colours.", "log",
                     {{"log", "by their logarithm, so that small ones are seen"},
                      {"linear", "as they are"}}),
        real_param("score_from", "Heads are marked whose score is this or more.", 0.5, 0,
                   most_score),
        real_param("against_from",
                   "Their other score, where they have it, is this or more as well.", 0, 0,
                   most_score)},
       edits_of_heads(),
       {asked_precision_param()},
       other_text_params("corpus", "The text over which the edit corpus_mean averages."),
       {count_param({"repeated", "", "tokens"},
                    "Random tokens that come twice, on which heads are measured as well; "
                    "0 leaves them out.",
                    0, 0, 65536),
        idle_when([](const ParamSet& params) { return params.integer("repeated") == 0; },
                  count_param("repeats", "Sequences of repeated random tokens.", 4, 1, 4096)),
        idle_when([](const ParamSet& params) { return params.integer("parts") == 1; },
                  count_param("chosen",
                              "Heads that each score chooses by even texts, and tests on odd ones.",
                              8, 1, 4096)),
        // No seed of a sweep: all of its points swap the same keys.
        count_param("swaps", "Which keys swap contents for the score place.", 0, 0, 1e9)}});
}

ExperimentInfo make_info() {
  const std::vector<std::string> choosing{"score", "without_first", "swaps"},
      marking{"against", "score_from", "against_from"};
  const std::vector<std::string> unscored{"head_weights", "all_heads",   "equation",
                                          "loss",         "next_tokens", "change"};
  return {
      .name = "model_heads",
      .title = "Heads of a model",
      .question =
          "Where does each head of a model look, and what if the model knew its places "
          "otherwise?",
      .formulas = {{R"(a_{m,n} = \mathrm{softmax}_n(\mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d}))",
                    "eq. (2)"},
                   {R"(\mathrm{loss}_i = -\ln p(t_{i+1} | t_1, \ldots, t_i))", ""},
                   {R"(\mathrm{previous} = \frac{1}{N} \sum_i a_{i,i-1})", "", in_descriptions}},
      .symbols = {{"t_i", "a token of the text"}},
      .params = declared_params(),
      .view = {.layout = ViewLayout::side_by_side,
               .left = "scores",
               .right = "weights",
               .controls = {"text", "edits", "head", "layer", "score"},
               .tabs = {{"all_heads", "All heads"},
                        {"by_distance", "By distance"},
                        {"two_scores", "Two scores"},
                        {"equation", "Logits as a sum"},
                        {"weights_before", "Before"},
                        {"next_tokens", "Next token"}}},
      .questions = {{.words = "What do the heads of my model do?",
                     .answer =
                         "Drop its folder or GGUF here: each cell is a head. Drag the lines to "
                         "one, and its map shows where it looks; move $h$.",
                     .control = "head"},
                    {.words = "What if a model knew its places otherwise?",
                     .answer =
                         "The base of its RoPE is exchanged, and its losses and heads say what "
                         "that breaks. Move new_base.",
                     .settings = {{"edits", "base"}},
                     .figure = "loss",
                     .control = "new_base"}},
      .ignored = {{.figures = {"scores", "by_distance", "pairs"}, .keys = marking},
                  {.figures = unscored, .keys = marking, .when = marks_alone},
                  {.figures = unscored, .keys = choosing, .when = scores_alone},
                  {.figures = {"by_distance", "pairs"}, .keys = choosing, .when = names_head},
                  {.figures = {"scores", "equation", "loss", "next_tokens", "two_scores", "change",
                               "by_distance", "pairs"},
                   .keys = {"colors"}}}};
}

void add_scalars(const HeadsFound& found, Result& result) {
  const WhatIf& effect = found.effect;
  const FindingsOn all(result);
  all.scalar("layers", effect.layers, "layers of the model", "layers");
  all.scalar("heads", effect.heads, "heads of a layer", "heads");
  std::size_t tokens = 0;
  for (const TextEffect& text : effect.texts) tokens += text.tokens.size();
  all.scalar("tokens", static_cast<double>(tokens), "tokens of all texts", "tokens");
  if (!effect.texts.front().before.empty()) {
    all.scalar("loss", effect.before, "mean loss of a token that follows another", "nats");
    if (!effect.edits.empty()) {
      all.scalar("edited_loss", effect.after, "the same under the edits", "nats");
      all.scalar("loss_change", effect.after - effect.before, "what the edits add to the loss",
                 "nats");
      add_spread("loss_change", effect.difference, "p of no change, paired by texts", result);
    }
  }
  if (!effect.edits.empty())
    all.scalar("change", change_of(effect, found.chosen.layer, found.chosen.head),
               "how far the edits move the chosen head's weights");
  const HeadRow& row = chosen_row(found);
  const std::string before = effect.edits.empty() ? "" : " before the edits";
  for (const ScoreKind& kind : score_kinds()) {
    const std::string key(kind.key);
    const double value = score_of(found.params, row, key);
    if (!std::isnan(value))
      all.scalar("head_" + key, value,
                 fmt::format("the chosen head{}: {}", before, kind.description),
                 kind.is_share ? "" : "tokens");
  }
  std::size_t marked = 0;
  for (const HeadRow& each : found.table->rows) marked += is_marked(found.params, each);
  all.scalar("marked_heads", static_cast<double>(marked),
             "heads that reach score_from and against_from", "heads");
  if (const std::optional<std::size_t> sinks = sink_heads(*found.table))
    all.scalar("sink_heads", static_cast<double>(*sinks),
               "heads with more than half of their weight on the first token" + before, "heads");
}

/// Of the maps that are shown.
Check check_of(const WhatIf& effect, bool single) {
  Largest most;
  double tokens = 1;
  for (const Array& map : effect.maps) {
    const std::size_t n = map.shape[1];
    tokens = static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += map[i * n + j];
      most.see(sum - 1);
    }
  }
  return {.name = "weights_are_shared_out",
          .statement = "the weights of no query sum to more than 1 (difference)",
          .equation = "eq. (2)",
          .measured = most.value(),
          .bound = (tokens + 4) * (single ? 0x1p-23 : 0x1p-52)};
}

/// −1 for what is left to the scores.
HeadPlace place_in(const ParamSet& params, const LiveModel& model) {
  const HeadPlace place{static_cast<int>(params.integer("layer")),
                        static_cast<int>(params.integer("head"))};
  const auto require = [&](const char* key, int number, int count) {
    if (number < count) return;
    throw UsageError(fmt::format("{}={}", key, number),
                     fmt::format("{} has {} {}s, counted from 0", model.name(), count, key),
                     fmt::format("take {} at most", count - 1));
  };
  require("layer", place.layer, model.layers());
  require("head", place.head, model.heads());
  return place;
}

/// The largest numbers that the model has, and the head that is looked at.
std::vector<ValueInUse> limits_of(const HeadsFound& found, const PositionPlan& plan) {
  const ParamSet& params = found.params;
  const WhatIf& effect = found.effect;
  std::vector<ValueInUse> limits = edit_limits(effect.layers, effect.heads, plan);
  for (ValueInUse& limit : limits) {
    if (limit.key == "layer") limit.value = found.chosen.layer;
    if (limit.key == "head") limit.value = found.chosen.head;
  }
  const auto most = [&](const std::string& score, const char* key) {
    const auto tokens = static_cast<double>(effect.texts.front().tokens.size());
    limits.push_back(
        {.key = key, .most = score_kinds()[score_number(score)].is_share ? 1 : tokens});
  };
  if (found.table && params.integer("repeated") == 0 && !has_places(*found.table))
    limits.push_back({.key = "swaps", .why = "No head of this model has the score place."});
  most(params.text("score"), "score_from");
  most(params.text("against"), "against_from");
  return limits;
}

Result result_of(const HeadsFound& found, const PositionPlan& plan) {
  Result result;
  result.in_use = limits_of(found, plan);
  result.figures = heads_figures(found);
  if (std::optional<Figure> equation = equation_figure(found)) {
    for (const MapTerm& term : std::get<MapEquation>(equation->content).terms)
      result.arrays.push_back(term.map.values);
    result.figures.push_back(*std::move(equation));
  }
  for (const Figure& figure : result.figures)
    if (const auto* map = std::get_if<Heatmap>(&figure.content))
      result.arrays.push_back(map->values);
  result.arrays.push_back(std::make_shared<const Array>(found.effect.small_maps));
  return result;
}

/// What queries of the chosen head's layer see under edits.
Mask mask_of_layer(LiveModel& model, const HeadPlace& chosen, Index tokens,
                   const std::vector<std::string>& edits) {
  return model.with_run(
      [&](const auto& run) { return run.mask_of(chosen.layer, tokens, parse_edits(edits)); });
}

WhatIfRequest request_of(AskedModel& model, const HeadPlace& chosen, std::vector<std::string> edits,
                         std::vector<ModelText> corpus) {
  WhatIfRequest request{.edits = std::move(edits),
                        .texts = model.texts(),
                        .corpus = std::move(corpus),
                        .next = next_tokens_listed,
                        .maps = {fmt::format("{}.{}", chosen.layer, chosen.head)},
                        .cells = cells_of_small_maps,
                        .terms = fmt::format("{}.{}", chosen.layer, chosen.head)};
  request.keeps_pass = model.texts().size() == 1;
  if (map_bytes(model.live(), request) > most_kept_bytes) request.keeps_pass = false;
  require_memory(static_cast<double>(map_bytes(model.live(), request)), "maps of all heads",
                 "lower length");
  return request;
}

/// "16.0+11.1". Throws UsageError for none.
std::string marked_heads(const ParamSet& params, const HeadTable& table) {
  std::string marked;
  for (const HeadRow& row : table.rows)
    if (is_marked(params, row))
      marked += fmt::format("{}{}.{}", marked.empty() ? "" : "+", row.layer, row.head);
  if (marked.empty())
    throw UsageError("edits=silence_marked", "no head reaches score_from and against_from",
                     "lower them, or take another score");
  return marked;
}

/// All about a head but the scores.
HeadsFound look_at(const HeadPlace& chosen, const ParamSet& asked, const std::string& marked,
                   AskedModel& model, const Inputs& inputs, Progress& progress) {
  HeadsFound found{.params = asked, .chosen = chosen, .labels = model.labels()};
  found.params.set_value("layer", std::int64_t{chosen.layer});
  found.params.set_value("head", std::int64_t{chosen.head});
  const WhatIfRequest request =
      request_of(model, chosen, edits_in(found.params, model.plan(), marked),
                 other_texts(model.path(), "corpus", inputs, model.most_tokens()));
  checkpoint(progress, 0.0, "what if");
  found.effect = what_if(model.live(), request, progress);
  const auto n = static_cast<Index>(found.effect.texts.front().tokens.size());
  std::vector<std::int32_t> ids;
  for (const TextEffect& text : found.effect.texts)
    for (const TextEffect::NextToken& next : text.next) ids.push_back(next.id);
  found.next = model.labels_of_ids(ids);
  found.mask = mask_of_layer(model.live(), chosen, n, request.edits);
  found.masked = mask_array(found.mask, n);
  found.masked_before = mask_array(mask_of_layer(model.live(), chosen, n, {}), n);
  return found;
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  const std::shared_ptr<AskedModel> taken = AskedModel::take(params, inputs);
  AskedModel& model = *taken;
  const PositionPlan& plan = model.plan();
  const HeadPlace asked = place_in(params, model.live());
  const HeadsRequest heads{.texts = model.texts(),
                           .repeated = params.integer("repeated"),
                           .repeats = params.integer("repeats"),
                           .seed = params.integer("swaps"),
                           .chosen = static_cast<std::size_t>(params.integer("chosen"))};
  const std::string marked =
      marks_alone(params) ? "" : marked_heads(params, model.table(heads, progress));
  HeadPlace chosen{std::max<int>(asked.layer, 0), std::max<int>(asked.head, 0)};
  const auto look_there = [&] { return look_at(chosen, params, marked, model, inputs, progress); };
  std::optional<HeadsFound> found;
  if (progress.wants_to_see() && !model.has_table(heads)) {
    found = look_there();
    progress.see(std::make_shared<Result>(result_of(*found, plan)));
  }
  const HeadTable& table = model.table(heads, progress);
  const HeadRow* highest = highest_row(params, table, asked);
  if (highest && (asked.layer < 0 || asked.head < 0)) chosen = {highest->layer, highest->head};
  if (!found || !(found->chosen == chosen)) found = look_there();
  found->table = &table;
  Result result = result_of(*found, plan);
  add_scalars(*found, result);
  result.checks = {check_of(found->effect, model.live().settings().single)};
  if (found->effect.terms)
    result.checks.push_back(equation_check(*found->effect.terms, found->mask));
  result.tables = heads_tables(*found);
  for (ArrayPtr& array : heads_arrays(table)) result.arrays.push_back(std::move(array));
  model.tell_length(params, result);
  return result;
}

}  // namespace in_model_heads
}  // namespace

Experiment model_heads_experiment() {
  using namespace in_model_heads;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery
