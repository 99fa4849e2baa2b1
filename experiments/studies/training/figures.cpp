#include "experiments/studies/training/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/largest.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/encoding_style.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/table_builder.h"

namespace orrery::studies {
namespace {

using setup::encoding_color;
using setup::encoding_label;

/// What a size like this can say and what not: it stands below every figure.
std::string caption(const ParamSet& params, const std::vector<Run>& runs) {
  return fmt::format(
      "{} weights beside the encoding's own, {} seed{} each: bands reach from the lowest seed to "
      "the highest, which is a "
      "spread and no significance. A model of this size says how encodings learn this task, not "
      "how "
      "they rank in large models. · {}",
      runs.front().weights, params.integer("seeds"), params.integer("seeds") == 1 ? "" : "s",
      setup::caption_of(params));
}

template <class Value>
std::vector<Spread> spreads(const std::vector<const Run*>& runs, std::size_t count,
                            const Value& value) {
  std::vector<Spread> found;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> of_seeds;
    for (const Run* run : runs) of_seeds.push_back(value(*run, i));
    found.push_back(spread_of(of_seeds));
  }
  return found;
}

Series series_of(const std::string& encoding, std::vector<double> x,
                 const std::vector<Spread>& spreads, bool band) {
  Series series{.name = encoding_label(encoding),
                .x = std::move(x),
                .color = encoding_color(encoding),
                .choice = encoding};
  for (const Spread& s : spreads) {
    series.y.push_back(s.mean);
    if (!band) continue;
    series.band_low.push_back(s.least);
    series.band_high.push_back(s.greatest);
  }
  return series;
}

/// A curve per encoding of numbers at its looks.
template <class Values>
void add_curves(const ParamSet& params, const std::vector<Run>& runs, const Values& values,
                LinePlot& plot) {
  const bool several = params.integer("seeds") > 1;
  for (const std::string& encoding : params.list("encoding")) {
    const auto of_encoding = runs_of(runs, encoding);
    const Run& first = *of_encoding.front();
    plot.series.push_back(
        series_of(encoding, first.steps,
                  spreads(of_encoding, first.steps.size(),
                          [&](const Run& run, std::size_t i) { return values(run)[i]; }),
                  several));
  }
}

Axis step_axis() { return {.label = "step"}; }

Figure loss_figure(const ParamSet& params, const std::vector<Run>& runs) {
  LinePlot plot{.x = step_axis(), .y = {.label = "loss", .unit = "nats per token"}};
  add_curves(
      params, runs, [](const Run& run) -> const auto& { return run.loss; }, plot);
  return {"loss", fmt::format("Loss while learning, task {}", params.text("task")),
          caption(params, runs), std::move(plot)};
}

template <class Value>
LinePlot by_length(const ParamSet& params, const std::vector<Run>& runs, Axis y,
                   const Value& value) {
  LinePlot plot{.x = {.label = "tokens of a sequence"}, .y = std::move(y)};
  const std::vector<LossAtLength>& lengths = runs.front().held_out;
  std::vector<double> x;
  for (const LossAtLength& at : lengths) x.push_back(static_cast<double>(at.length));
  for (const std::string& encoding : params.list("encoding")) {
    Series series =
        series_of(encoding, x,
                  spreads(runs_of(runs, encoding), lengths.size(),
                          [&](const Run& run, std::size_t i) { return value(run.held_out[i]); }),
                  params.integer("seeds") > 1);
    series.marked = true;
    plot.series.push_back(std::move(series));
  }
  plot.rules.push_back({.direction = Rule::Direction::vertical,
                        .at = static_cast<double>(params.integer("tokens")),
                        .label = "learned from",
                        .param = "tokens"});
  return plot;
}

Figure loss_by_length_figure(const ParamSet& params, const std::vector<Run>& runs) {
  return {"loss_by_length", "Held-out loss of longer sequences", caption(params, runs),
          by_length(params, runs, {.label = "held-out loss", .unit = "nats per token"},
                    [](const LossAtLength& at) { return at.loss; })};
}

Figure accuracy_figure(const ParamSet& params, const std::vector<Run>& runs) {
  return {"accuracy_by_length", "Share of held-out tokens that are said right",
          caption(params, runs),
          by_length(params, runs, {.label = "accuracy", .range = Range{0, 1}},
                    [](const LossAtLength& at) { return at.accuracy; })};
}

Figure forming_figure(const ParamSet& params, const std::vector<Run>& runs) {
  LinePlot plot{.x = step_axis(), .y = {.label = "score of the best head", .range = Range{0, 1}}};
  add_curves(
      params, runs, [](const Run& run) -> const auto& { return run.induction; }, plot);
  const std::size_t solid = plot.series.size();
  add_curves(
      params, runs, [](const Run& run) -> const auto& { return run.previous; }, plot);
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    plot.series[i].name += i < solid ? ": induction" : ": previous token";
    if (i >= solid) plot.series[i].style = LineStyle::dashed;
  }
  return {"forming_heads",
          "Heads form: weight on the previous token, and on what followed last time",
          caption(params, runs), std::move(plot)};
}

/// The head of a run with the highest score of what copies.
const TrainedHead& telling_head(const Run& run) {
  const auto told = [](const TrainedHead& head) {
    return head.scores.induction + head.scores.previous;
  };
  const TrainedHead* best = &run.heads.front();
  for (const TrainedHead& head : run.heads)
    if (told(head) > told(*best)) best = &head;
  return *best;
}

Figure map_figure(const ParamSet& params, const std::vector<Run>& runs, const Run& run) {
  const TrainedHead& head = telling_head(run);
  const std::string label = encoding_label(run.encoding);
  FigureRole role{.kind = "trained_weights", .encodings = {run.encoding}};
  Heatmap map{.values = setup::to_array<float>(
                  head.weights, "weights_" + run.encoding,
                  fmt::format("Weights of layer {} head {} of {} over a repeated block", head.layer,
                              head.head, label),
                  {"query", "key"}, role),
              .x = setup::key_axis(),
              .y = setup::query_axis(),
              .quantity = "attention weight",
              .symbol = "$a_{mn}$",
              .range = Range{0, 1}};
  return {"weights_" + run.encoding,
          fmt::format("{}, trained: layer {} head {}, {}", label, head.layer, head.head,
                      name_of_head(head.scores)),
          fmt::format("A block of {} symbols twice, seed {}. {}", head.weights.rows() / 2, run.seed,
                      caption(params, runs)),
          std::move(map), std::move(role)};
}

}  // namespace

Spread spread_of(const std::vector<double>& values) {
  Largest greatest(values.front()), least(-values.front());
  double sum = 0;
  for (const double value : values) {
    sum += value;
    greatest.see(value);
    least.see(-value);
  }
  return {sum / static_cast<double>(values.size()), -least.value(), greatest.value()};
}

std::vector<const Run*> runs_of(const std::vector<Run>& runs, const std::string& encoding) {
  std::vector<const Run*> found;
  for (const Run& run : runs)
    if (run.encoding == encoding) found.push_back(&run);
  return found;
}

Spread loss_of(const std::vector<Run>& runs, const std::string& encoding, std::size_t length) {
  std::vector<double> losses;
  for (const Run* run : runs_of(runs, encoding)) losses.push_back(run->held_out[length].loss);
  return spread_of(losses);
}

Spread accuracy_of(const std::vector<Run>& runs, const std::string& encoding, std::size_t length) {
  std::vector<double> shares;
  for (const Run* run : runs_of(runs, encoding)) shares.push_back(run->held_out[length].accuracy);
  return spread_of(shares);
}

Spread excess_loss(const std::vector<Run>& runs, const std::string& other,
                   const std::string& encoding) {
  std::vector<double> differences;
  for (const Run* run : runs_of(runs, encoding))
    for (const Run* beside : runs_of(runs, other))
      if (beside->seed == run->seed)
        differences.push_back(beside->held_out.front().loss - run->held_out.front().loss);
  return spread_of(differences);
}

std::vector<Figure> training_figures(const ParamSet& params, const std::vector<Run>& runs) {
  std::vector<Figure> figures{loss_figure(params, runs), loss_by_length_figure(params, runs),
                              accuracy_figure(params, runs)};
  if (params.text("attention") == "softmax") {
    figures.push_back(forming_figure(params, runs));
    for (const std::string& encoding : params.list("encoding"))
      figures.push_back(map_figure(params, runs, *runs_of(runs, encoding).front()));
  }
  return figures;
}

std::vector<Table> training_tables(const std::vector<Run>& runs) {
  setup::TableBuilder curves("curves", "mean loss and the scores of the best heads, by step",
                             {{"encoding"},
                              {"seed"},
                              {"step", "steps"},
                              {"loss", "nats"},
                              {"previous_token"},
                              {"induction"}});
  setup::TableBuilder lengths("lengths", "held-out loss and accuracy, by tokens of a sequence",
                              {{"encoding"}, {"seed"}, {"tokens"}, {"loss", "nats"}, {"accuracy"}});
  setup::TableBuilder heads("heads", "mean weights of the heads over a repeated block",
                            {{"encoding"},
                             {"seed"},
                             {"layer"},
                             {"head"},
                             {"name"},
                             {"previous_token"},
                             {"induction"},
                             {"first_token"},
                             {"itself"},
                             {"local"}});
  for (const Run& run : runs) {
    for (std::size_t i = 0; i < run.steps.size(); ++i)
      curves.row(
          {run.encoding, run.seed, run.steps[i], run.loss[i], run.previous[i], run.induction[i]});
    for (const LossAtLength& at : run.held_out)
      lengths.row({run.encoding, run.seed, at.length, at.loss, at.accuracy});
    for (const TrainedHead& head : run.heads)
      heads.row({run.encoding, run.seed, head.layer, head.head, name_of_head(head.scores),
                 head.scores.previous, head.scores.induction, head.scores.first, head.scores.self,
                 head.scores.local});
  }
  std::vector<Table> tables;
  tables.push_back(std::move(curves).finish());
  tables.push_back(std::move(lengths).finish());
  tables.push_back(std::move(heads).finish());
  return tables;
}

}  // namespace orrery::studies
