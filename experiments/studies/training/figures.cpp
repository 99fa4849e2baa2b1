#include "experiments/studies/training/runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/diagonals.h"
#include "core/analysis/largest.h"
#include "experiments/model/notices.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/map_equation.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

/// What a size like this can say and what not: it stands below every figure.
std::string caption(const ParamSet& params, const std::vector<Run>& runs) {
  const auto taken = static_cast<std::int64_t>(runs.front().steps.back());
  const std::string part =
      taken == params.integer("steps")
          ? ""
          : fmt::format("After {} of {} steps. ", taken, params.integer("steps"));
  const std::int64_t seeds = params.integer("seeds");
  const std::string models =
      fmt::format("{} weights beside the encoding's own, {} seed{} each: ", runs.front().weights,
                  seeds, seeds == 1 ? "" : "s");
  return part + models +
         "bands reach from the lowest seed to the highest, which is a spread and no significance "
         "· " +
         std::string(small_models_notice) + " · " + caption_of(params);
}

/// The mean of the runs of an encoding in a band, and each of them where there are several.
/// @param value  of a run at x[i]
template <class Value>
void add_series(const std::vector<Run>& runs, const std::string& encoding, const Value& value,
                const Series& form, LinePlot& plot) {
  const std::vector<const Run*> of_encoding = runs_of(runs, encoding);
  const bool several = of_encoding.size() > 1;
  Series mean = form;
  mean.color = encoding_color(encoding);
  mean.choice = encoding;
  for (std::size_t i = 0; i < mean.x.size(); ++i) {
    std::vector<double> of_seeds;
    for (const Run* run : of_encoding) of_seeds.push_back(value(*run, i));
    const SeedSpread spread = spread_of(of_seeds);
    mean.y.push_back(spread.mean);
    if (!several) continue;
    mean.band_low.push_back(spread.least);
    mean.band_high.push_back(spread.greatest);
  }
  plot.series.push_back(mean);
  for (const Run* run : of_encoding) {
    if (!several) continue;
    Series one = form;
    one.name = fmt::format("{}, seed {}", form.name, run->seed);
    one.part_of = form.name;
    one.marked = false;
    one.color = mean.color;
    for (std::size_t i = 0; i < one.x.size(); ++i) one.y.push_back(value(*run, i));
    plot.series.push_back(std::move(one));
  }
}

/// A number at each look, and what its curves are called behind the encoding's label.
struct NumberOfLooks {
  std::vector<double> Run::*numbers{};
  const char* words{};
  LineStyle style{};
};

LinePlot by_step(const ParamSet& params, const std::vector<Run>& runs, Axis y,
                 const std::vector<NumberOfLooks>& shown) {
  LinePlot plot{.x = {.label = "step"}, .y = std::move(y)};
  for (const NumberOfLooks& one : shown)
    for (const std::string& encoding : params.list("encoding"))
      add_series(
          runs, encoding, [&](const Run& run, std::size_t i) { return (run.*one.numbers)[i]; },
          {.name = encoding_label(encoding) + one.words,
           .x = runs.front().steps,
           .style = one.style},
          plot);
  return plot;
}

LinePlot by_length(const ParamSet& params, const std::vector<Run>& runs, Axis y,
                   double LossAtLength::*value) {
  LinePlot plot{.x = {.label = "tokens of a sequence"}, .y = std::move(y)};
  std::vector<double> x;
  for (const LossAtLength& at : runs.front().held_out) x.push_back(static_cast<double>(at.length));
  for (const std::string& encoding : params.list("encoding"))
    add_series(
        runs, encoding, [&](const Run& run, std::size_t i) { return run.held_out[i].*value; },
        {.name = encoding_label(encoding), .x = x, .marked = true}, plot);
  plot.rules.push_back(vertical(static_cast<double>(params.integer("tokens")),
                                fmt::format("learned from {}", params.integer("tokens")),
                                "tokens"));
  return plot;
}

/// The head of a run that looks back most, wherever to.
const HeadOfRun& telling_head(const Run& run) {
  const auto told = [](const HeadOfRun& head) {
    Largest most(head.scores.previous);
    most.see(head.scores.induction);
    most.see(head.scores.farther);
    return most.value();
  };
  const HeadOfRun* best = &run.heads.front();
  for (const HeadOfRun& head : run.heads)
    if (told(head) > told(*best)) best = &head;
  return *best;
}

/// Its weights over the repeated block.
/// @param when  ends its description: ", step 18"
Heatmap weights_map(const HeadOfRun& head, const std::string& encoding, std::string name,
                    const std::string& when, FigureRole role) {
  return {.values = to_array<float>(head.weights, std::move(name),
                                    fmt::format("Weights of layer {} head {} of {}{}", head.layer,
                                                head.head, encoding_label(encoding), when),
                                    {"query", "key"}, std::move(role)),
          .x = key_axis(),
          .y = query_axis(),
          .quantity = "attention weight"};
}

Figure trained_figure(const std::string& about, const Run& run) {
  const HeadOfRun& head = telling_head(run);
  const std::string label = encoding_label(run.encoding);
  FigureRole role{.kind = "trained_weights", .encodings = {run.encoding}};
  Heatmap map =
      weights_map(head, run.encoding, "weights_" + run.encoding, " over a repeated block", role);
  map.symbol = "$a_{mn}$";
  map.range = Range{0, 1};
  return {"weights_" + run.encoding,
          fmt::format("{}, trained: layer {} head {}, {}", label, head.layer, head.head,
                      name_of_head(head.scores)),
          fmt::format("A block of {} symbols twice, seed {}. {}", head.weights.rows() / 2, run.seed,
                      about),
          std::move(map), std::move(role)};
}

/// A head of a run after so many steps.
EquationPart moment(const Run& run, const HeadOfRun& head, std::int64_t step) {
  const Positions at = consecutive_positions(head.weights.rows());
  const Mask mask = run.causal ? Mask::causal(at, at) : Mask();
  const std::string number = std::to_string(step);
  EquationPart part{.symbol = "a_{m,n}", .name = "step " + number};
  part.map = weights_map(head, run.encoding, "weights_" + run.encoding + "_step_" + number,
                         ", " + part.name,
                         {.kind = "weights_step_" + number, .encodings = {run.encoding}});
  if (run.causal) part.map.masked = mask_array(mask, head.weights.rows());
  part.profile = profile_of(diagonal_profile<float>(head.weights, at, at, mask));
  return part;
}

/// The head that tells most in the end, through time.
Figure moments_figure(const std::string& about, const Run& run) {
  const HeadOfRun& last = telling_head(run);
  const auto index = static_cast<std::size_t>(&last - run.heads.data());
  std::vector<EquationPart> parts;
  const auto end = static_cast<std::int64_t>(run.steps.back());
  for (const auto& [step, heads] : run.earlier)
    if (step < end) parts.push_back(moment(run, heads[index], step));
  parts.push_back(moment(run, last, end));
  for (std::size_t i = 1; i < parts.size(); ++i) parts[i].relation = R"(\to)";
  return equation_figure("moments", run.encoding,
                         fmt::format("{}: layer {} head {} while it learns",
                                     encoding_label(run.encoding), last.layer, last.head),
                         fmt::format("A block of {} symbols twice, seed {}. {}",
                                     last.weights.rows() / 2, run.seed, about),
                         map_equation(std::move(parts), encoding_color(run.encoding)));
}

struct EncodingLoss {
  std::string label{};
  double nats{};
};

/// "RoPE 0.001 nats, no encoding 1.6", from the least; of many the ends.
std::string ranked(std::vector<EncodingLoss> losses) {
  constexpr std::size_t most = 4;
  std::ranges::stable_sort(
      losses, [](const EncodingLoss& a, const EncodingLoss& b) { return a.nats < b.nats; });
  if (losses.size() > most) losses.erase(losses.begin() + 1, losses.end() - 1);
  std::string words;
  for (const EncodingLoss& one : losses)
    words += fmt::format("{}{} {:.2g}{}", words.empty() ? "" : ", ", one.label, one.nats,
                         words.empty() ? " nats" : "");
  return words;
}

/// Means of the seeds, by a number of each run.
template <class Value>
std::string ranked_runs(const ParamSet& params, const std::vector<Run>& runs, const Value& value) {
  std::vector<EncodingLoss> losses;
  for (const std::string& encoding : params.list("encoding")) {
    std::vector<double> of_seeds;
    for (const Run* run : runs_of(runs, encoding)) of_seeds.push_back(value(*run));
    losses.push_back({label_in_sentence(encoding), spread_of(of_seeds).mean});
  }
  return ranked(std::move(losses));
}

/// The loss by step, on an axis that stands still while it is trained.
Figure loss_figure(const ParamSet& params, const std::vector<Run>& runs, const std::string& about) {
  LinePlot plot = by_step(params, runs, {.label = "loss", .unit = "nats per token"},
                          {{&Run::loss, "", LineStyle::solid}});
  const std::vector<double>& steps = runs.front().steps;
  const auto asked = static_cast<double>(params.integer("steps"));
  if (steps.front() < asked) plot.x.range = Range{steps.front(), larger(steps.back(), asked)};
  return {"loss",
          fmt::format("After {:.0f} steps of {}: {}", steps.back(), spaced(params.text("task")),
                      ranked_runs(params, runs, [](const Run& run) { return run.loss.back(); })),
          about, std::move(plot)};
}

Figure length_figure(const ParamSet& params, const std::vector<Run>& runs,
                     const std::string& about) {
  return {"loss_by_length",
          fmt::format(
              "Learned from {} tokens, of {}: {}", params.integer("tokens"),
              runs.front().held_out.back().length,
              ranked_runs(params, runs, [](const Run& run) { return run.held_out.back().loss; })),
          about,
          by_length(params, runs, {.label = "held-out loss", .unit = "nats per token"},
                    &LossAtLength::loss)};
}

}  // namespace

SeedSpread spread_of(const std::vector<double>& values) {
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

SeedSpread held_out(const std::vector<Run>& runs, const std::string& encoding, std::size_t length,
                    double LossAtLength::*value) {
  std::vector<double> values;
  for (const Run* run : runs_of(runs, encoding)) values.push_back(run->held_out[length].*value);
  return spread_of(values);
}

SeedSpread excess_loss(const std::vector<Run>& runs, const std::string& other,
                       const std::string& encoding) {
  std::vector<double> differences;
  for (const Run* run : runs_of(runs, encoding))
    for (const Run* beside : runs_of(runs, other))
      if (beside->seed == run->seed)
        differences.push_back(beside->held_out.front().loss - run->held_out.front().loss);
  return spread_of(differences);
}

std::vector<Figure> training_figures(const ParamSet& params, const std::vector<Run>& runs) {
  const std::string about = caption(params, runs);
  std::vector<Figure> figures{
      loss_figure(params, runs, about),
      length_figure(params, runs, about),
      {"accuracy_by_length", "Share of held-out tokens that are said right", about,
       by_length(params, runs, {.label = "accuracy", .range = Range{0, 1}},
                 &LossAtLength::accuracy)}};
  if (params.text("attention") != "softmax") return figures;
  figures.push_back(
      {"forming_heads", "Heads form: weight on the previous token, and on what followed last time",
       about,
       by_step(params, runs, {.label = "score of the best head", .range = Range{0, 1}},
               {{&Run::induction, ": induction", LineStyle::solid},
                {&Run::previous, ": previous token", LineStyle::dashed}})});
  for (const std::string& encoding : params.list("encoding"))
    figures.push_back(trained_figure(about, *runs_of(runs, encoding).front()));
  for (const std::string& encoding : params.list("encoding"))
    figures.push_back(moments_figure(about, *runs_of(runs, encoding).front()));
  return figures;
}

std::vector<Table> training_tables(const Trained& trained) {
  TableBuilder curves(
      "curves", "mean loss and the scores of the best heads, by step",
      {"encoding", "seed", "step [steps]", "loss [nats]", "previous_token", "induction"});
  TableBuilder lengths("lengths", "held-out loss and accuracy, by tokens of a sequence",
                       {"encoding", "seed", "tokens", "loss [nats]", "accuracy"});
  const Measures<BlockScores> scores{{"previous_token", &BlockScores::previous},
                                     {"induction", &BlockScores::induction},
                                     {"first_token", &BlockScores::first},
                                     {"itself", &BlockScores::self},
                                     {"local", &BlockScores::local},
                                     {"farther", &BlockScores::farther},
                                     {"distance", &BlockScores::distance, "", "tokens"}};
  TableBuilder heads("heads", "mean weights of the heads over a repeated block",
                     headings({"encoding", "seed", "layer", "head", "name"}, scores));
  for (const Run& run : trained.runs) {
    for (std::size_t i = 0; i < run.steps.size(); ++i)
      curves.row(
          {run.encoding, run.seed, run.steps[i], run.loss[i], run.previous[i], run.induction[i]});
    for (const LossAtLength& at : run.held_out)
      lengths.row({run.encoding, run.seed, at.length, at.loss, at.accuracy});
    for (const HeadOfRun& head : run.heads)
      heads.row(cells({run.encoding, run.seed, head.layer, head.head, name_of_head(head.scores)},
                      head.scores, scores));
  }
  TableBuilder starts("starts",
                      "rates and deviations that were tried, and the mean loss at the end",
                      {"encoding", "learning_rate", "token_deviation", "loss [nats]", "taken"});
  for (const TriedStart& one : trained.tried)
    starts.row({one.encoding, one.rate, one.deviation, one.loss, one.best ? "yes" : "no"});
  std::vector<Table> tables;
  if (!trained.tried.empty()) tables.push_back(std::move(starts).finish());
  tables.push_back(std::move(curves).finish());
  tables.push_back(std::move(lengths).finish());
  tables.push_back(std::move(heads).finish());
  return tables;
}

}  // namespace orrery
