#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/largest.h"
#include "core/errors.h"
#include "experiments/model/inputs.h"
#include "experiments/model/result.h"
#include "experiments/model_files/position_plan.h"
#include "experiments/model_files/positions_text.h"
#include "experiments/model_files/read_positions.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/studies/model_layers/figures.h"
#include "experiments/text/marked_text.h"
#include "experiments/text/shell_quote.h"

namespace orrery {
namespace {
namespace in_model_layers {

/// The words that compute a point for each kind of layer; empty where there is one kind.
std::string sweep_of_kinds(const LayersFound& found, const std::string& path) {
  std::vector<int> firsts;
  for (const std::vector<int>& group : found.groups)
    if (found.plan.layers[static_cast<std::size_t>(group.front())].encoding != "not_attention")
      firsts.push_back(group.front());
  if (firsts.size() < 2 || path.starts_with("bundled:")) return "";
  return "; a point for each kind: " +
         as_marked(shell_line({"orrery", "sweep", "long_term_decay", "model=" + path,
                               fmt::format("layer={}", fmt::join(firsts, ","))}));
}

/// A printed table of sentences; none without any.
void add_sentences(const char* name, const char* caption, const char* column,
                   const std::vector<std::string>& sentences, Result& result) {
  if (sentences.empty()) return;
  TableBuilder table(name, caption, {{column}});
  for (const std::string& sentence : sentences) table.row({sentence});
  result.tables.push_back(std::move(table).finish_printed());
}

Table files_table(const std::string& caption, const std::vector<const PositionPlan*>& plans) {
  TableBuilder table("files", caption, {"file", "format", "model_type", "layers"});
  for (const PositionPlan* plan : plans)
    table.row({plan->source, plan->format, plan->model_type, plan->layers.size()});
  return std::move(table).finish_printed();
}

/// @param stack  "", or " of the decoder"
Table kind_table(std::size_t number, const std::vector<int>& group, const LayerPlan& layer,
                 const std::string& stack) {
  TableBuilder table(
      fmt::format("kind_{}", number),
      numbers_text(group) + stack + (layer.type.empty() ? "" : " (" + as_marked(layer.type) + ")"),
      {"setting", "value", "from"});
  for (const PositionFact& fact : facts_of(layer)) table.row({fact.label, fact.value, fact.reason});
  return std::move(table).finish_printed();
}

/// What the file says of each kind of layer, value by value with its reason, and what it does not
/// say: printed tables, and `positions.json` with every frequency.
/// @param path  of the file, as it was given
void add_answers(const LayersFound& found, const std::string& path, Result& result) {
  const PositionPlan& plan = found.plan;
  result.files.push_back({"positions.json", positions_json(plan)});
  result.tables.push_back(files_table("what was read" + sweep_of_kinds(found, path), {&plan}));
  std::size_t kinds = 0;
  const auto add_kinds = [&](const std::vector<std::vector<int>>& groups,
                             const std::vector<LayerPlan>& layers, const std::string& stack) {
    for (const std::vector<int>& group : groups)
      result.tables.push_back(
          kind_table(++kinds, group, layers[static_cast<std::size_t>(group.front())], stack));
  };
  const bool is_alone = plan.other.empty();
  const std::string other = other_stack(plan);
  add_kinds(found.groups, plan.layers,
            is_alone             ? ""
            : other == "decoder" ? " of the encoder"
                                 : " of the decoder");
  add_kinds(alike_layers(plan.other), plan.other, " of the " + other);
  add_sentences("assumed", "what no file says", "assumed", plan.assumed, result);
}

/// Where the layers of another file differ, printed in place of what each says, and a check that
/// they do not.
void add_comparison(const LayersFound& found, const PositionPlan& other, Result& result) {
  const PositionComparison comparison = compare_positions(found.plan, other);
  for (Table& table : result.tables) table.printed = false;
  result.tables.push_back(files_table("what is compared", {&found.plan, &other}));
  result.tables.back().name = "compared_files";
  TableBuilder table("differences", "where the two files differ",
                     {"layers", "difference", "model", "other"});
  for (const PositionComparison::Difference& difference : comparison.differences)
    table.row({difference.layers.empty() ? "" : numbers_text(difference.layers), difference.field,
               difference.a, difference.b});
  if (!comparison.differences.empty()) result.tables.push_back(std::move(table).finish_printed());
  add_sentences("notes", "what differs in the files alone", "note", comparison.notes, result);
  result.checks.push_back(
      {.name = "same_positions",
       .statement = "both files compute the same positions in every layer (differences)",
       .equation = "layer by layer",
       .measured = static_cast<double>(comparison.differences.size()),
       .bound = 0});
}

std::vector<ParamSpec> params() {
  return {
      model_file_param("model", "A model's config.json, params.json or .gguf, or its folder.",
                       "bundled:gemma_3_27b.json"),
      stated_if_set(
          model_file_param("other", "Another one, such as its GGUF: what differs is found.", "")),
      stated_if_set(
          with_role(ParamRole::read_length,
                    count_param({"length", "", "tokens"},
                                "Length of the sequence, by which LongRoPE and dynamic NTK choose "
                                "frequencies; 0: that of training.",
                                0, 0, 0x1p40))),
      with_role(ParamRole::context,
                log_count_param({"context", "$L$", "tokens"},
                                "Length at which the model is used; 0: the longest sequences "
                                "that its file names, 131072 where it names none.",
                                0, 0, 0x1p20)),
      log_count_param({"trained", "$L₀$", "tokens"},
                      "Positions whose angles are taken as seen, unscaled, for layers whose "
                      "file names no original length; 0: the longest sequences that the file "
                      "names, over the factor of rope.scaling; 32768 where it names none.",
                      0, 0, 0x1p20),
      real_param({"residual", "$ρ$"},
                 "Share of a layer's output that comes straight from its input.", 0.5, 0.0, 1.0)};
}

ExperimentInfo make_info() {
  return {
      .name = "model_layers",
      .title = "Layers of a model",
      .question = "What does each layer of a model do with positions, and how far does it see?",
      .formulas =
          {{R"(L \theta'_t \le L_0 \theta_t \text{ or } L_0 \theta_t \ge 2\pi: \text{ the angles of } L_0 \text{ unscaled positions})",
            ""},
           {R"(p_{l+1}(j) = \rho p_l(j) + (1 - \rho) \sum_i \frac{p_l(i)}{n_i}, \quad \text{over the } i \text{ that see } j)",
            ""},
           {R"(R = \sum_l (w_l - 1))", "", in_descriptions}},
      .symbols = {{"θ_t", "frequency of a pair before its scaling, in rad per token"},
                  {"θ'_t", "the same as the model is used, after its scaling"},
                  {"L_0",
                   "the original length that the file names, or the one given here; the window if "
                   "it is shorter; in tokens"},
                  {"L", "context in use, or the window if it is shorter, in tokens"},
                  {"p_l",
                   "influence of a position on the last token, $l$ layers below the top, with "
                   "uniform attention"},
                  {"n_i", "keys that position $i$ sees"},
                  {"w_l", "window of a layer, in tokens"}},
      .params = params(),
      .view = {.layout = ViewLayout::side_by_side,
               .left = "bands",
               .right = "reasons",
               .controls = {"context", "trained", "residual"}},
      .questions =
          {{.words = "What does my model do with positions?",
            .answer =
                "Drop its config.json or GGUF on the window: each row is a kind of layer, and "
                "the maps show which pairs turn to angles that $L₀$ unscaled positions never "
                "show. Move $L$, the context in use.",
            .control = "context"}},
      .ignored = {{.figures = {"layers", "reasons", "wavelengths"},
                   .keys = {"context", "trained", "residual"}},
                  {.figures = {"bands", "unseen_pairs"}, .keys = {"residual"}},
                  {.figures = {"receptive_field", "influence"}, .keys = {"trained"}}}};
}

const PositionPlan& plan_of(const Inputs& inputs) {
  const auto found = inputs.find("model");
  if (found == inputs.end())
    throw UsageError("model=", "names no file",
                     "give a config.json, params.json or .gguf: model=DIR/config.json");
  return *std::get<ModelFile>(found->second).plan;
}

/// By how much layers are stretched whose file names no original length.
double stretch_of(const PositionPlan& plan) {
  double most = 1;
  for (const LayerPlan& layer : plan.layers)
    if (!find_param(layer, "rope.original_length"))
      most = larger(most, param_or(layer, "rope.factor", 1.0));
  return most;
}

/// A length, or where it is 0 that of the file, or `usual` where it names none.
std::int64_t length_in(const ParamSet& params, const char* key, std::int64_t of_file,
                       std::int64_t usual) {
  constexpr std::int64_t most = std::int64_t{1} << 20;
  return length_or(params, key, of_file < 2 ? usual : std::min<std::int64_t>(of_file, most));
}

LayersFound found_in(const ParamSet& params, const PositionPlan& plan) {
  constexpr std::int64_t usual_context = 131072, usual_trained = 32768;
  const std::int64_t context = length_in(params, "context", plan.longest, usual_context);
  const std::int64_t shown = std::llround(static_cast<double>(plan.longest) / stretch_of(plan));
  LayersFound found{
      .plan = plan,
      .trained = static_cast<double>(length_in(params, "trained", shown, usual_trained)),
      .context = static_cast<double>(context),
      .bands = {},
      .groups = alike_layers(plan.layers),
      .field = receptive_field(plan, context, params.real("residual")),
      .caption = caption_of(params)};
  for (const LayerPlan& layer : plan.layers) {
    found.bands.push_back(bands_of(layer, found.trained, found.context));
    if (found.bands.back().empty()) continue;
    found.lengths.push_back(trained_length(layer, found.trained));
    found.layers_by_trained += !find_param(layer, "rope.original_length");
  }
  std::ranges::sort(found.lengths);
  found.lengths.erase(std::unique(found.lengths.begin(), found.lengths.end()), found.lengths.end());
  return found;
}

void add_scalars(const LayersFound& found, Result& result) {
  std::size_t without = 0, windowed = 0, pairs = 0, unseen = 0;
  for (const LayerPlan& layer : found.plan.layers) {
    without += layer.encoding == "none";
    windowed += layer.window.has_value();
  }
  for (const auto& bands : found.bands)
    for (const PairBand band : bands) {
      ++pairs;
      unseen += band == PairBand::unseen;
    }
  const FindingsOn all(result);
  all.scalar("layers", static_cast<double>(found.plan.layers.size()), "layers of the model",
             "layers");
  all.scalar("layers_without_positions", static_cast<double>(without),
             "layers whose attention knows no positions (NoPE)", "layers");
  all.scalar("layers_with_window", static_cast<double>(windowed),
             "layers that see a window of the context", "layers");
  all.scalar("pairs", static_cast<double>(pairs), "pairs that have a frequency, of all layers",
             "pairs");
  all.scalar("unseen_pairs", static_cast<double>(unseen),
             pairs == 0
                 ? "of these, pairs that meet unseen angles"
                 : fmt::format("of these, pairs that meet angles in {:.0f} tokens that {} never "
                               "showed",
                               found.context, seen_text(found)),
             "pairs");
  if (pairs > 0) {
    all.scalar(
        "seen_positions", found.lengths.front(),
        found.lengths.size() == 1
            ? "unscaled positions whose angles are taken as seen, $L₀$"
            : "the least of the layers' $L₀$, unscaled positions whose angles are taken as seen",
        "tokens");
    all.scalar("layers_by_trained", static_cast<double>(found.layers_by_trained),
               "layers whose file names no original length, so that $L₀$ is the one given",
               "layers");
  }
  all.scalar("reach", found.field.reach.back(),
             "largest distance from which the last token can know anything", "tokens");
  const std::string assumption = "; " + uniform_text();
  all.scalar("effective_field", found.field.most.back(),
             "distance within which 95 % of the influence on the last token lies" + assumption,
             "tokens");
  all.scalar("half_field", found.field.half.back(),
             "distance within which half of that influence lies" + assumption, "tokens");
  all.scalar("first_token_influence", found.first_token_share(),
             "share of that influence at the first token, where it gathers" + assumption);
}

/// Files name the length that a model had before it was stretched.
std::vector<ValueInUse> values_in_use(const ParamSet& params, const LayersFound& found,
                                      bool compares) {
  std::vector<ValueInUse> used;
  if (params.integer("context") == 0) used.push_back({.key = "context", .value = found.context});
  const std::vector<LayerPlan>& layers = found.plan.layers;
  if (!compares && std::ranges::none_of(layers, chooses_by_length))
    used.push_back({.key = "length", .why = "No layer of this file chooses frequencies by it."});
  if (found.lengths.empty()) {
    used.push_back({.key = "trained", .why = "No layer of this file turns pairs."});
  } else if (found.layers_by_trained == 0) {
    const double said = found.lengths.front();
    used.push_back(
        {.key = "trained", .value = said, .why = "The file says " + number_text(said) + "."});
  } else if (params.integer("trained") == 0) {
    used.push_back({.key = "trained", .value = found.trained});
  }
  return used;
}

std::vector<Check> checks_of(const LayersFound& found) {
  double sum = 0, beyond = 0;
  for (std::size_t r = 0; r < found.field.influence.size(); ++r) {
    sum += found.field.influence[r];
    if (static_cast<double>(r) > found.field.reach.back())
      beyond += std::abs(found.field.influence[r]);
  }
  const double rounding =
      0x1p-52 * found.context * (1 + static_cast<double>(found.plan.layers.size()));
  return {{.name = "influence_is_shared_out",
           .statement = "with uniform attention the influence of all positions on the last token "
                        "sums to 1 (difference)",
           .equation = "$Σ_j p(j) = 1$",
           .measured = std::abs(sum - 1.0),
           .bound = rounding},
          {.name = "windows_bound_the_field",
           .statement = "no influence comes from beyond the sum of the windows",
           .equation = "$p(j) = 0$ beyond $R$",
           .measured = beyond,
           .bound = rounding}};
}

Table layer_table(const LayersFound& found) {
  TableBuilder table(
      "layers", "one row per layer; NaN where it has none, or the file does not say",
      {"layer", "type", "encoding", "pairing", "head_dim [channels]", "rotary_dims [channels]",
       "base", "attention_factor", "softmax_scale", "window [tokens]"});
  for (const LayerPlan& layer : found.plan.layers)
    table.row({layer.layer, layer.type, layer.encoding, pairing_text(layer), layer.rope.d_head,
               layer.rope.rotary_dims, layer.encoding == "rope" ? layer.rope.base : missing,
               layer.attention_factor, layer.softmax_scale > 0 ? layer.softmax_scale : missing,
               layer.window ? static_cast<double>(*layer.window) : missing});
  return std::move(table).finish();
}

/// One row per layer and pair.
Table pair_table(const LayersFound& found) {
  TableBuilder table("pairs",
                     "one row per layer and pair; the wavelength is inf where it stands still",
                     {"layer", "pair", "unscaled_theta [rad per token]", "theta [rad per token]",
                      "wavelength [tokens]", "band"});
  for (std::size_t l = 0; l < found.plan.layers.size(); ++l) {
    const LayerPlan& layer = found.plan.layers[l];
    const std::vector<double> plain = unscaled_frequencies(layer);
    for (std::size_t t = 0; t < plain.size(); ++t)
      table.row({layer.layer, t, plain[t], layer.inv_freq[t],
                 2 * std::numbers::pi / layer.inv_freq[t],
                 std::string(name_of(found.bands[l][t]))});
  }
  return std::move(table).finish();
}

Table influence_table(const LayersFound& found) {
  return {
      .name = "influence",
      .caption = "influence on the last token by distance, through all layers; " + uniform_text(),
      .columns = {{"distance", "tokens", count_from_0(found.field.influence.size())},
                  {"influence", "", found.field.influence}}};
}

/// Where there are weights, its heads can be seen.
std::optional<NextStep> next_step(const ParamSet& params, const Inputs& inputs) {
  if (!std::get<ModelFile>(inputs.at("model")).has_weights) return {};
  return NextStep{.title = "Look at its heads",
                  .about = "Shows where the heads of this model look, and what edits change:",
                  .experiment = "model_heads",
                  .file_key = "model",
                  .file = params.text("model")};
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  checkpoint(progress, 0.0, "layers");
  const PositionPlan& plan = plan_of(inputs);
  check_operations(fmt::format("context={}", params.integer("context")),
                   6.0 * static_cast<double>(params.integer("context")) *
                       static_cast<double>(plan.layers.size()),
                   "lower context");
  const LayersFound found = found_in(params, plan);
  checkpoint(progress, 0.5, "figures");
  Result result;
  add_scalars(found, result);
  const auto other = inputs.find("other");
  result.in_use = values_in_use(params, found, other != inputs.end());
  result.next = next_step(params, inputs);
  result.checks = checks_of(found);
  result.figures = layers_figures(found);
  add_answers(found, params.text("model"), result);
  result.tables.push_back(layer_table(found));
  if (!found.lengths.empty()) result.tables.push_back(pair_table(found));
  result.tables.push_back(influence_table(found));
  if (other != inputs.end())
    add_comparison(found, *std::get<ModelFile>(other->second).plan, result);
  return result;
}

}  // namespace in_model_layers
}  // namespace

Experiment model_layers_experiment() {
  using namespace in_model_layers;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery
