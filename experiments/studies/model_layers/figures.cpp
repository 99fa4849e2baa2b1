#include "experiments/studies/model_layers/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "experiments/model/notices.h"
#include "experiments/model_files/positions_text.h"
#include "experiments/setup/common_axes.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {

std::string fact_of(const std::vector<PositionFact>& facts, const std::string& label) {
  for (const PositionFact& fact : facts)
    if (fact.label == label) return fact.value;
  return "";
}

/// "linear, factor 8"; empty without a scaling.
std::string scaling_text(const LayerPlan& layer) {
  const std::optional<ParamValue> scaling = find_param(layer, "rope.scaling");
  if (!scaling) return "";
  const std::optional<ParamValue> factor = find_param(layer, "rope.factor");
  return to_text(*scaling) + (factor ? ", factor " + to_text(*factor) : "");
}

/// A map of layers by pairs; NaN where a layer has no such pair.
template <class Cell>
Heatmap layer_map(const PositionPlan& plan, const char* name, const char* description,
                  const Cell& cell) {
  std::size_t pairs = 0;
  for (const LayerPlan& layer : plan.layers)
    pairs = std::max<std::size_t>(pairs, layer.inv_freq.size());
  std::vector<double> values(plan.layers.size() * pairs, missing);
  for (std::size_t l = 0; l < plan.layers.size(); ++l)
    for (std::size_t t = 0; t < plan.layers[l].inv_freq.size(); ++t)
      values[l * pairs + t] = cell(l, t);
  return {.values = array_of(name, description, {plan.layers.size(), pairs}, {"layer", "pair"},
                             std::move(values)),
          .x = {.label = "pair", .symbol = "$t$", .role = AxisRole::pair},
          .y = layer_axis()};
}

std::size_t count_of(const std::vector<PairBand>& bands, PairBand band) {
  return static_cast<std::size_t>(std::ranges::count(bands, band));
}

/// "52 of sliding_attention", or their numbers where the file has no types.
std::string kind_name(const std::vector<int>& group, const LayerPlan& layer) {
  return layer.type.empty() ? numbers_text(group)
                            : fmt::format("{} of {}", group.size(), layer.type);
}

/// The first row is the header; columns that say nothing of any layer are left out.
TableFigure without_empty_columns(std::vector<std::vector<std::string>> rows) {
  TableFigure table;
  table.rows.resize(rows.size() - 1);
  for (std::size_t column = 0; column < rows.front().size(); ++column) {
    bool empty = true;
    for (std::size_t row = 1; row < rows.size(); ++row) empty &= rows[row][column].empty();
    if (empty) continue;
    table.header.push_back(std::move(rows[0][column]));
    for (std::size_t row = 1; row < rows.size(); ++row)
      table.rows[row - 1].push_back(std::move(rows[row][column]));
  }
  return table;
}

/// Contexts from the shortest L0 to 16 times the longest of all, a quarter octave apart.
std::vector<double> contexts_of(const LayersFound& found) {
  const double longest =
      found.context < found.lengths.back() ? found.lengths.back() : found.context;
  std::vector<double> contexts;
  for (double at = found.lengths.front(); at <= 16 * longest; at *= std::exp2(0.25))
    contexts.push_back(std::round(at));
  return contexts;
}

Figure groups_figure(const LayersFound& found) {
  const std::vector<std::string> values{"rotated", "base", "window", "softmax scale",
                                        "times, by position"};
  std::vector<std::vector<std::string>> rows{{"layers", "encoding", "pairing", "scaling"}};
  rows[0].insert(rows[0].end(), values.begin(), values.end());
  rows[0].emplace_back("which");
  for (const std::vector<int>& group : found.groups) {
    const LayerPlan& layer = found.plan.layers[static_cast<std::size_t>(group.front())];
    const std::vector<PositionFact> facts = facts_of(layer);
    rows.push_back(
        {kind_name(group, layer), layer.encoding, pairing_text(layer), scaling_text(layer)});
    for (const std::string& value : values) rows.back().push_back(fact_of(facts, value));
    rows.back().push_back(numbers_text(group));
  }
  TableFigure table = without_empty_columns(std::move(rows));
  return {"layers",
          fmt::format("{}: {} layer{} of {} kind{}", as_marked(found.plan.source),
                      found.plan.layers.size(), found.plan.layers.size() == 1 ? "" : "s",
                      found.groups.size(), found.groups.size() == 1 ? "" : "s"),
          found.caption, std::move(table)};
}

Figure reasons_figure(const LayersFound& found) {
  TableFigure table{.header = {"layers", "setting", "value", "from"}};
  const auto add = [&](std::string name, const LayerPlan& layer) {
    for (const PositionFact& fact : facts_of(layer))
      table.rows.push_back({std::exchange(name, ""), fact.label, fact.value, fact.reason});
  };
  for (const std::vector<int>& group : found.groups)
    add(numbers_text(group), found.plan.layers[static_cast<std::size_t>(group.front())]);
  for (const std::vector<int>& group : alike_layers(found.plan.other))
    add(fmt::format("{}, {}", other_stack(found.plan), numbers_text(group)),
        found.plan.other[static_cast<std::size_t>(group.front())]);
  for (const std::string& sentence : found.plan.assumed)
    table.rows.push_back({"assumed", "", sentence, ""});
  return {"reasons", fmt::format("What {} says, key by key", as_marked(found.plan.source)),
          found.caption, std::move(table)};
}

Figure wavelengths_figure(const LayersFound& found) {
  Heatmap map = layer_map(found.plan, "log_wavelengths",
                          "log10 of 2π/theta in tokens, by layer and pair; NaN where a pair stands "
                          "still or is none",
                          [&](std::size_t l, std::size_t t) {
                            const double theta = found.plan.layers[l].inv_freq[t];
                            return theta == 0 ? missing : std::log10(2 * std::numbers::pi / theta);
                          });
  map.quantity = "$\\log₁₀$ of the wavelength in tokens";
  map.symbol = "$\\log₁₀ λ_t$";
  return {"wavelengths", "Wavelength of each pair, layer by layer", found.caption, std::move(map)};
}

std::size_t pairs_of(const LayersFound& found, PairBand band) {
  std::size_t pairs = 0;
  for (const auto& bands : found.bands) pairs += count_of(bands, band);
  return pairs;
}

std::string unseen_title(const LayersFound& found) {
  std::size_t pairs = 0;
  for (const auto& bands : found.bands) pairs += bands.size();
  return fmt::format("{} of {} pairs meet angles in {:.0f} tokens that {} never showed",
                     pairs_of(found, PairBand::unseen), pairs, found.context, seen_text(found));
}

/// "928 pairs meet unseen angles in 131072 tokens; 928 are extrapolated, 192 interpolated".
std::string bands_title(const LayersFound& found) {
  std::string title = fmt::format("{} pairs meet unseen angles in {:.0f} tokens",
                                  pairs_of(found, PairBand::unseen), found.context);
  std::string sign = ";";
  for (const auto& [band, words] : {std::pair(PairBand::extrapolated, "extrapolated"),
                                    std::pair(PairBand::interpolated, "interpolated"),
                                    std::pair(PairBand::still, "stand still")}) {
    const std::size_t pairs = pairs_of(found, band);
    if (pairs == 0) continue;
    const char* verb = sign == ";" && band != PairBand::still ? " are" : "";
    title += fmt::format("{} {}{} {}", sign, pairs, verb, words);
    sign = ",";
  }
  return title;
}

Figure bands_figure(const LayersFound& found) {
  Heatmap map = layer_map(
      found.plan, "bands", "0 still, 1 extrapolated, 2 interpolated, 3 unseen, by layer and pair",
      [&](std::size_t l, std::size_t t) { return static_cast<double>(found.bands[l][t]); });
  map.quantity = "class";
  map.classes = {"still", "extrapolated", "interpolated", "unseen"};
  map.range = Range{0, 3};
  return {
      "bands", bands_title(found),
      "extrapolated: as fast as unscaled · interpolated: slowed, within the angles of the unscaled "
      "positions · unseen: angles beyond them · no query is farther from a key than its layer's "
      "window · " +
          found.caption,
      std::move(map)};
}

Figure unseen_figure(const LayersFound& found) {
  LinePlot plot{
      .x = {.label = "context", .symbol = "$L$", .unit = "tokens", .scale = AxisScale::log2},
      .y = {.label = "share of the pairs that meet unseen angles"}};
  std::vector<const std::vector<int>*> groups;
  for (const std::vector<int>& group : found.groups)
    if (!found.bands[static_cast<std::size_t>(group.front())].empty()) groups.push_back(&group);
  const std::vector<double> contexts = contexts_of(found);
  const auto steps = static_cast<double>(groups.size()) - 1;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const LayerPlan& layer = found.plan.layers[static_cast<std::size_t>(groups[g]->front())];
    Series series{.name = kind_name(*groups[g], layer),
                  .x = contexts,
                  .y = {},
                  .shade = steps < 1 ? 0.5 : static_cast<double>(g) / steps};
    for (const double context : contexts) {
      const std::vector<PairBand> bands = bands_of(layer, found.trained, context);
      series.y.push_back(static_cast<double>(count_of(bands, PairBand::unseen)) /
                         static_cast<double>(bands.size()));
    }
    plot.series.push_back(std::move(series));
  }
  plot.rules.push_back(vertical(found.context, "L", "context"));
  return {"unseen_pairs", unseen_title(found), found.caption, std::move(plot)};
}

Figure field_figure(const LayersFound& found) {
  LinePlot plot{.x = {.label = "layers passed, from the last"},
                .y = {.label = "distance back from the last token",
                      .unit = "tokens",
                      .scale = AxisScale::symlog}};
  const auto add = [&](const char* name, const std::vector<double>& distances, double shade,
                       LineStyle style) {
    plot.series.push_back({.name = name,
                           .x = count_from_0(distances.size()),
                           .y = distances,
                           .style = style,
                           .shade = shade});
  };
  add("reach: the sum of the windows", found.field.reach, 0.0, LineStyle::dashed);
  add("95 % of the influence", found.field.most, 0.5, LineStyle::solid);
  add("half of the influence", found.field.half, 1.0, LineStyle::dotted);
  plot.rules.push_back(horizontal(found.context, "L", "context"));
  return {"receptive_field",
          fmt::format("With uniform attention 95 % of the influence on the last token lies within "
                      "{:.0f} of {:.0f} tokens, {:.3g} % of it at the first token",
                      found.field.most.back(), found.context, 100 * found.first_token_share()),
          fmt::format("{} · through layers that show all keys, influence gathers at the first "
                      "token, which sees itself alone · {}",
                      uniform_text(), found.caption),
          std::move(plot)};
}

Figure influence_figure(const LayersFound& found) {
  // Sums over distances that double, each divided by their number: a curve of few points.
  Series series{.name = "mean influence of a token", .marked = true};
  const std::vector<double>& influence = found.field.influence;
  for (std::size_t first = 0; first < influence.size(); first = first == 0 ? 1 : 2 * first) {
    const std::size_t next = first == 0 ? 1 : 2 * first;
    const std::size_t end = next < influence.size() ? next : influence.size();
    double sum = 0;
    for (std::size_t r = first; r < end; ++r) sum += influence[r];
    series.x.push_back(static_cast<double>(first));
    series.y.push_back(sum / static_cast<double>(end - first));
  }
  LinePlot plot{.x = {.label = "distance back from the last token",
                      .unit = "tokens",
                      .scale = AxisScale::symlog},
                .y = {.label = "influence", .symbol = "$p(j)$", .scale = AxisScale::log10}};
  plot.series.push_back(std::move(series));
  return {"influence", "Influence on the last token with uniform attention, through all layers",
          fmt::format("{} · mean over distances from one power of two to the next · {}",
                      uniform_text(), found.caption),
          std::move(plot)};
}

}  // namespace

std::string seen_text(const LayersFound& found) {
  if (found.lengths.size() == 1)
    return fmt::format("{:.0f} unscaled positions", found.lengths.front());
  return fmt::format("{:.0f} to {:.0f} unscaled positions, by layer,", found.lengths.front(),
                     found.lengths.back());
}

std::string pairing_text(const LayerPlan& layer) {
  return layer.encoding == "rope" ? std::string(name(layer.rope.pairing)) : "";
}

std::string uniform_text() {
  return assumption_notice("every head attends uniformly to the keys it sees");
}

std::vector<Figure> layers_figures(const LayersFound& found) {
  std::vector<Figure> figures;
  if (!found.lengths.empty()) figures.push_back(unseen_figure(found));
  figures.push_back(groups_figure(found));
  if (!found.lengths.empty()) {
    figures.push_back(bands_figure(found));
    figures.push_back(wavelengths_figure(found));
  }
  figures.push_back(field_figure(found));
  figures.push_back(influence_figure(found));
  figures.push_back(reasons_figure(found));
  return figures;
}

}  // namespace orrery
