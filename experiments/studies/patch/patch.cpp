#include "experiments/heads/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "core/errors.h"
#include "experiments/files/memory_limit.h"
#include "experiments/setup/asked_model.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {
namespace in_patch {

constexpr double most_id = 2147483647;

ExperimentInfo make_info() {
  std::vector<ParamSpec> specs = joined(
      {asked_text_params(),
       {count_param({"token", "$i$"},
                    "The token that is another one in the corrupted text, where none is given.", 12,
                    0, 1 << 20)},
       other_text_params("corrupted", "The text whose activations are put in, of as many tokens."),
       {count_param("answer", "Id of the right token; −1: what the model takes.", -1, -1, most_id),
        count_param("foil",
                    "Id of the wrong one; −1: what else it takes behind the corrupted text.", -1,
                    -1, most_id),
        choices_param("by", "Places that are patched.", {"position", "head"},
                      {{"position", "stream, attention and feed-forward, by layer and token"},
                       {"head", "heads' outputs at all tokens"}}),
        asked_precision_param()}});
  return {.name = "patch",
          .title = "Patches",
          .question = "Which activations of another text change a model's answer?",
          .formulas = {{R"(\frac{d_\mathrm{patched} - d_\mathrm{clean}}{d_\mathrm{corrupted} - )"
                        R"(d_\mathrm{clean}})",
                        "", in_descriptions}},
          .params = std::move(specs),
          .view = {.layout = ViewLayout::side_by_side,
                   .controls = {"token", "length"},
                   .tabs = {{"stream", "Stream"},
                            {"attention_part", "Attention"},
                            {"feed_forward_part", "Feed-forward"},
                            {"head_part", "Heads"}}}};
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

/// The text that is given, or that of `token`.
ModelText corrupted_of(const AskedModel& model, const ParamSet& params, const Inputs& inputs) {
  const ModelText& text = model.only_text();
  const std::vector<ModelText> given =
      other_texts(model.path(), "corrupted", inputs, model.most_tokens());
  if (given.empty())
    return corrupted(text, token_in(params, text.tokens.size(), "tokens are read"));
  if (given.size() == 1) return given.front();
  throw UsageError(fmt::format("corrupted_tokens= of {} texts", given.size()), "one is put in",
                   "give ids of the shape [N]");
}

struct PatchWords {
  const char* quantity;
  const char* figure;
  const char* of;
};
constexpr PatchWords patch_words[] = {
    {"hidden", "stream", "the residual stream"},
    {"attention", "attention_part", "attention's output"},
    {"feed_forward", "feed_forward_part", "the feed-forward part"},
    {"head_output", "head_part", "a head's output"}};

Figure patch_figure(const std::string& about, const PatchMap& map, const PatchWords& words,
                    const std::vector<std::string>& labels, std::size_t changed) {
  const bool by_head = map.quantity == "head_output";
  std::size_t most = 0;
  for (std::size_t i = 0; i < map.effect.size(); ++i)
    if (!std::isnan(map.effect[most]) && !(std::abs(map.effect[i]) <= std::abs(map.effect[most])))
      most = i;  // a NaN stays
  const std::size_t layer = most / map.columns, column = most % map.columns;
  Heatmap drawn{.values = array_of(
                    words.figure, fmt::format("effect of {} of the corrupted run", words.of),
                    {map.rows, map.columns}, {"layer", by_head ? "head" : "token"}, map.effect),
                .x = by_head ? Axis{.label = "head", .symbol = "$h$"} : token_axis(),
                .y = layer_axis(),
                .quantity = "effect",
                .meaning = Meaning::diverging};
  std::string place = fmt::format("head {}.{}", layer, column);
  if (!by_head) {
    drawn.column_labels = {labels.begin(),
                           labels.begin() + static_cast<std::ptrdiff_t>(map.columns)};
    drawn.rules = {vertical(static_cast<double>(changed), "", "token")};
    place = fmt::format("layer {} at token {}", layer, column);
  }
  return {words.figure,
          fmt::format("Of {}, {} carries most: {:.2f}", words.of, place, map.effect[most]), about,
          std::move(drawn)};
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

/// The places of the largest effects.
Table largest_effects(const PatchResult& patch, const std::vector<std::string>& labels) {
  constexpr std::size_t listed = 5;
  TableBuilder table("largest",
                     "layers whose rows of the corrupted run do most of what all of it does (1)",
                     {"part", "layer", "place", "piece", "effect"});
  for (const PatchMap& map : patch.maps) {
    std::vector<std::size_t> order(map.effect.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return std::abs(map.effect[a]) > std::abs(map.effect[b]);
    });
    for (std::size_t i = 0; i < std::min<std::size_t>(listed, order.size()); ++i) {
      const std::size_t layer = order[i] / map.columns, column = order[i] % map.columns;
      const bool by_head = map.quantity == "head_output";
      table.row({map.quantity, layer, column, by_head ? "" : labels[column], map.effect[order[i]]});
    }
  }
  return std::move(table).finish_printed();
}

Result result_of(const ParamSet& params, const PatchResult& patch, AskedModel& model) {
  const std::vector<std::string> labels = model.labels_of_ids(patch_ids(patch));
  const std::size_t n = patch.clean.tokens.size();
  std::size_t changed = 0;
  while (patch.clean.tokens[changed] == patch.corrupted.tokens[changed]) ++changed;
  const std::string about = caption_of_model(
      params, patch.family,
      fmt::format("share of what the corrupted text does to the logit difference, {} − {}, {:.2f} "
                  "and then {:.2f}: {} becomes {} at token {}; {} tokens of {}",
                  as_marked(labels[labels.size() - 2]), as_marked(labels.back()),
                  patch.clean_difference, patch.corrupted_difference, as_marked(labels[changed]),
                  as_marked(labels[n + changed]), changed, n, as_marked(patch.clean.name)));
  Result result;
  for (const PatchMap& map : patch.maps)
    for (const PatchWords& words : patch_words)
      if (map.quantity == words.quantity)
        add_map_figure(patch_figure(about, map, words, labels, changed), result);
  result.scalars = {
      {"clean_difference", "", "", patch.clean_difference, "logit difference, answer − foil"},
      {"corrupted_difference", "", "", patch.corrupted_difference,
       "the same of the corrupted text"}};
  result.tables = {largest_effects(patch, labels)};
  return result;
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  const std::shared_ptr<AskedModel> model = AskedModel::take(params, inputs);
  const ModelText& text = model->only_text();
  const std::vector<std::string>& by = params.list("by");
  const auto asks = [&](const char* place) { return std::ranges::count(by, place) > 0; };
  const PatchRequest request{.clean = text,
                             .corrupted = corrupted_of(*model, params, inputs),
                             .answer = static_cast<std::int32_t>(params.integer("answer")),
                             .foil = static_cast<std::int32_t>(params.integer("foil")),
                             .positions = asks("position"),
                             .heads = asks("head")};
  require_memory(static_cast<double>(patch_bytes(model->live(), request)),
                 "activations of two runs", "lower length");
  checkpoint(progress, 0.0, "patch");
  const PatchResult patch = patch_activations(model->live(), request, progress);
  Result result = result_of(params, patch, *model);
  const bool one_changed =
      params.text("corrupted").empty() && params.text("corrupted_tokens").empty();
  if (one_changed && asks("position"))
    result.checks = {check_of_patch(patch, static_cast<std::size_t>(params.integer("token")))};
  result.in_use = {{.key = "token", .most = static_cast<double>(text.tokens.size() - 1)}};
  model->tell_length(params, result);
  return result;
}

}  // namespace in_patch
}  // namespace

Experiment patch_experiment() {
  using namespace in_patch;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery
