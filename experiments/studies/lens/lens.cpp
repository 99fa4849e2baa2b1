#include "experiments/heads/lens.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>

#include "core/analysis/largest.h"
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
namespace in_lens {

ExperimentInfo make_info() {
  return {
      .name = "lens",
      .title = "Lens",
      .question = "After which layer does a model know its answer?",
      .formulas = {{R"(\mathrm{loss}_i = -\ln p(t_{i+1} | t_1, \ldots, t_i))", ""}},
      .symbols = {{"t_i", "a token of the text"}},
      .params = joined(
          {asked_text_params(),
           {count_param({"token", "$i$"}, "The token whose states are listed.", 12, 0, 1 << 20),
            count_param("next", "Most probable tokens of each state.", 3, 1, 100)},
           edit_params(EditedHead::declared),
           {asked_precision_param()}}),
      .view = {.layout = ViewLayout::side_by_side,
               .controls = {"text", "token", "edits", "length"},
               .tabs = {{"lens", "By token"}, {"by_layer", "By layer"}, {"becomes", "One token"}}},
      .questions = {{.words = "In which layer is the answer there?",
                     .answer = "Each row reads the next token after so many layers. Drag the "
                               "line, or move $i$, to see what a token becomes.",
                     .figure = "lens",
                     .control = "token"}},
      .ignored = {{.figures = {"by_layer"}, .keys = {"token"}}}};
}

/// The mean of a number over the tokens that have one behind them, of each state of the residual
/// stream. [layers + 1]
std::vector<double> means_by_state(const Lens& lens, double LensCell::*number) {
  std::vector<double> means;
  const std::size_t n = lens.text.tokens.size() - 1;
  for (std::size_t s = 0; s < lens.states; ++s) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += lens.at(s, i).*number;
    means.push_back(sum / static_cast<double>(n));
  }
  return means;
}

Figure lens_figure(const std::string& about, const Lens& lens,
                   const std::vector<std::string>& labels, std::size_t token) {
  const std::size_t n = lens.text.tokens.size() - 1;  // nothing comes behind the last one
  std::vector<double> values;
  for (std::size_t s = 0; s < lens.states; ++s)
    for (std::size_t i = 0; i < n; ++i) values.push_back(lens.at(s, i).loss);
  const std::vector<double> means = means_by_state(lens, &LensCell::loss);
  Heatmap map{.values = array_of("lens", "loss of the next token after so many layers, nats",
                                 {lens.states, n}, {"layer", "token"}, std::move(values)),
              .x = token_axis(),
              .y = {.label = "layers applied"},
              .quantity = "loss, nats",
              .range = Range{0, lens.loss_of_chance},
              .column_labels = {labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(n)},
              .rules = {vertical(static_cast<double>(token), "", "token")}};
  return {"lens",
          fmt::format(
              "Loss of the next token: {:.2f} nats before the first layer, {:.2f} after the last",
              means.front(), means.back()) +
              under(lens.edits),
          about, std::move(map)};
}

Figure by_layer_figure(const std::string& about, const Lens& lens) {
  const std::vector<double> layers = count_from_0(lens.states);
  const std::vector<double> losses = means_by_state(lens, &LensCell::loss);
  std::size_t best = 0;
  for (std::size_t s = 0; s < lens.states; ++s)
    if (!std::isnan(losses[best]) && !(losses[s] >= losses[best])) best = s;
  return {"by_layer",
          fmt::format("The loss is lowest after {} of {} layers", best, lens.states - 1) +
              under(lens.edits),
          about,
          LinePlot{.x = {.label = "layers applied"},
                   .y = {.label = "mean over tokens", .unit = "nats"},
                   .series = {{.name = "loss", .x = layers, .y = losses, .marked = true},
                              {.name = "entropy",
                               .x = layers,
                               .y = means_by_state(lens, &LensCell::entropy),
                               .color = 1,
                               .marked = true}},
                   .rules = {horizontal(lens.loss_of_chance, "chance")}}};
}

/// What each state of one token makes the most probable: the first of them drawn, all in a table.
/// @param next  how those tokens read, state by state
void add_becomes(const std::string& about, const Lens& lens, const std::string& label,
                 const std::vector<std::string>& next, std::size_t token, Result& result) {
  constexpr std::size_t most_drawn = 3;  // that the figure has room for
  const std::size_t kept = lens.cells.front().ids.size();
  TableFigure drawn{.header = {"layers"}};
  std::vector<TableBuilder::Heading> columns{"layers", "loss [nats]"};
  for (std::size_t k = 0; k < kept; ++k) {
    columns.push_back({fmt::format("token_{}", k + 1)});
    columns.push_back({fmt::format("p_{}", k + 1)});
    if (k >= most_drawn) continue;
    drawn.header.push_back(k == 0 ? "most probable" : "then");
    drawn.header.emplace_back("p");
  }
  TableBuilder table("becomes", "the most probable tokens of each state of the token",
                     std::move(columns));
  for (std::size_t s = 0; s < lens.states; ++s) {
    const LensCell& cell = lens.at(s, token);
    std::vector<std::string> row{fmt::format("{}", s)};
    std::vector<TableCell> cells{s, cell.loss};
    for (std::size_t k = 0; k < kept; ++k) {
      cells.emplace_back(next[s * kept + k]);
      cells.emplace_back(cell.probabilities[k]);
      if (k >= most_drawn) continue;
      row.push_back(next[s * kept + k]);
      row.push_back(fmt::format("{:.3f}", cell.probabilities[k]));
    }
    drawn.rows.push_back(std::move(row));
    table.row(cells);
  }
  result.figures.push_back(
      {"becomes",
       fmt::format("What token {}, {}, becomes layer by layer", token, as_marked(label)) +
           under(lens.edits),
       about, std::move(drawn)});
  result.tables.push_back(std::move(table).finish_printed());
}

/// Numbers of all states and tokens.
void add_arrays(const Lens& lens, Result& result) {
  const std::size_t n = lens.text.tokens.size(), next = lens.cells.front().ids.size();
  std::vector<double> entropies, ids, probabilities;
  for (const LensCell& cell : lens.cells) {
    entropies.push_back(cell.entropy);
    ids.insert(ids.end(), cell.ids.begin(), cell.ids.end());
    probabilities.insert(probabilities.end(), cell.probabilities.begin(), cell.probabilities.end());
  }
  result.arrays.push_back(array_of("entropy", "−Σ p ln p, nats", {lens.states, n},
                                   {"layer", "token"}, std::move(entropies)));
  result.arrays.push_back(array_of("top_ids", "the most probable tokens", {lens.states, n, next},
                                   {"layer", "token", "rank"}, std::move(ids)));
  result.arrays.push_back(array_of("top_probabilities", "of those", {lens.states, n, next},
                                   {"layer", "token", "rank"}, std::move(probabilities)));
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

Result result_of(const ParamSet& params, const Lens& lens, AskedModel& model, std::size_t token) {
  const std::string about = caption_of_model(
      params, lens.family,
      fmt::format("the last norm and the vocabulary read the residual stream after each "
                  "layer; chance is {:.1f} nats, where colours end; {} tokens of {}",
                  lens.loss_of_chance, lens.text.tokens.size(), as_marked(lens.text.name)));
  std::vector<std::int32_t> ids;  // of the token that is looked at, state by state
  for (std::size_t state = 0; state < lens.states; ++state)
    for (const std::int32_t id : lens.at(state, token).ids) ids.push_back(id);
  const std::vector<std::string> next = model.labels_of_ids(ids);
  const std::vector<double> means = means_by_state(lens, &LensCell::loss);
  Result result;
  add_map_figure(lens_figure(about, lens, model.labels(), token), result);
  result.figures.push_back(by_layer_figure(about, lens));
  result.scalars = {{"first_loss", "", "nats", means.front(), "mean loss before the first layer"},
                    {"loss", "", "nats", means.back(), "mean loss after the last"}};
  TableBuilder table("lens", "mean loss of the next token after so many layers",
                     {"layers", "loss [nats]"});
  for (std::size_t s = 0; s < means.size(); ++s) table.row({s, means[s]});
  result.tables.push_back(std::move(table).finish());
  add_becomes(about, lens, model.labels()[token], next, token, result);
  add_arrays(lens, result);
  if (!lens.losses.empty()) result.checks = {check_of_lens(lens, model.live().settings().single)};
  return result;
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  const std::shared_ptr<AskedModel> model = AskedModel::take(params, inputs);
  const ModelText& text = model->only_text();
  const std::size_t token = token_in(params, text.tokens.size() - 1, "tokens have one behind them");
  const LensRequest request{.text = text,
                            .next = static_cast<std::size_t>(params.integer("next")),
                            .edits = edits_in(params, model->plan())};
  require_memory(static_cast<double>(lens_bytes(model->live(), request)), "the lens",
                 "lower length");
  checkpoint(progress, 0.0, "lens");
  Result result = result_of(params, model->lens(request, progress), *model, token);
  result.in_use = edit_limits(model->live().layers(), model->live().heads(), model->plan());
  result.in_use.push_back({.key = "token", .most = static_cast<double>(text.tokens.size() - 2)});
  model->tell_length(params, result);
  return result;
}

}  // namespace in_lens
}  // namespace

Experiment lens_experiment() {
  using namespace in_lens;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery
