#include "experiments/studies/linear_attention/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/largest.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/model/notices.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/trained_head.h"

namespace orrery {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Hues belong to encodings; what differs in other ways goes through colours in order.
double shade_of(FeatureKind kind) { return 0.45 * static_cast<int>(kind); }

/// How the curves of a variant are drawn; without rotation there is no encoding.
Series curve_of(FeatureRotation rotation) {
  switch (rotation) {
    case FeatureRotation::paper:
      return {.shade = 0.95};
    case FeatureRotation::both_rotated:
      return {.shade = 0.1};
    case FeatureRotation::rotated_before_features:
      return {.style = LineStyle::dotted, .shade = 0.35};
    case FeatureRotation::none:
      break;
  }
  return {.style = LineStyle::dotted, .color = encoding_color("none")};
}

Figure mean_weight_figure(const std::string& caption, const VariantFamily& family,
                          const Matrix<double>& softmax) {
  const std::vector<double> reference = mean_weight_by_distance(softmax);
  const std::vector<double> distances = count_from_0(reference.size());
  Axis behind = distance_axis();
  behind.label = "distance behind the query";
  LinePlot plot{.x = std::move(behind),
                .y = {.label = "mean weight", .symbol = "$a_{mn}$"},
                .series = {{.name = "softmax with RoPE",
                            .x = distances,
                            .y = reference,
                            .style = LineStyle::dashed,
                            .color = encoding_color("rope")}}};
  for (std::size_t i = 0; i < family.maps.size(); ++i) {
    Series curve = curve_of(linear_variants()[i].rotation);
    curve.x = distances;
    curve.y = mean_weight_by_distance(family.maps[i].weights);
    plot.series.push_back(named(std::move(curve), linear_variants()[i].label));
  }
  return {"weight_by_distance",
          fmt::format("Mean weight by distance, $φ$ = {}", family.feature.label), caption,
          std::move(plot)};
}

/// Of eq. (19), with every feature map.
std::string row_sums_title(const std::vector<VariantFamily>& families) {
  Largest most(-infinite), error;
  Smallest least(infinite);
  Largest rounding;
  for (const VariantFamily& family : families) {
    const LinearMap& map = map_of(family, FeatureRotation::paper);
    least.see(map.signs.row_sum_min);
    most.see(map.signs.row_sum_max);
    error.see(map.signs.row_sum_error);
    rounding.see(map.rounding);
  }
  if (error.value() <= rounding.value()) return "The weights of eq. (19) sum to 1 for every query";
  return fmt::format("The weights of eq. (19) do not sum to 1, but to {:.2f} … {:.2f}",
                     least.value(), most.value());
}

std::string negative_title(const std::vector<VariantFamily>& families) {
  Largest most;
  for (const VariantFamily& family : families)
    for (const double part : negative_mass_by_row(map_of(family, FeatureRotation::paper).weights))
      most.see(part);
  if (most.value() == 0) return "No weight of eq. (19) is negative";
  return fmt::format("Up to {:.2g} % of a query's weight by eq. (19) is negative",
                     100 * most.value());
}

/// A number of the weights of each query, by eq. (19).
/// @param figure  without its caption and its curves
void add_row_figure(const std::string& caption, const std::vector<VariantFamily>& families,
                    std::vector<double> (*number)(const Matrix<double>&), Figure figure,
                    Result& result) {
  auto& plot = std::get<LinePlot>(figure.content);
  for (const VariantFamily& family : families) {
    std::vector<double> numbers = number(map_of(family, FeatureRotation::paper).weights);
    std::vector<double> row_numbers = count_from_0(numbers.size());
    plot.series.push_back({.name = "eq. (19), " + family.feature.label,
                           .x = std::move(row_numbers),
                           .y = std::move(numbers),
                           .shade = shade_of(family.feature.kind)});
  }
  figure.caption = caption;
  result.figures.push_back(std::move(figure));
}

ArrayPtr array_of_map(const Matrix<double>& weights, std::string name, std::string description) {
  return to_array<double>(weights, std::move(name), std::move(description), {"query", "key"});
}

ArrayPtr mask_of(const LinearInputs& in) {
  if (!in.causal) return nullptr;
  const Index n = in.q.rows();
  Matrix<double> masked(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) masked(i, j) = in.mask.allows(i, j) ? 0 : 1;
  return array_of_map(masked, "masked", "1 where the query does not see the key");
}

/// A symmetric range beyond which one weight in a hundred lies: a vanishing normaliser in one row
/// does not blank the others.
Range typical_range(const Matrix<double>& weights) {
  constexpr double shown = 0.99;
  std::vector<double> sizes(weights.data(), weights.data() + weights.size());
  for (double& size : sizes) size = std::abs(size);
  const auto at =
      sizes.begin() + static_cast<std::ptrdiff_t>(shown * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), at, sizes.end());
  const double largest = *at > 0 ? *at : 1.0;
  return {-largest, largest};
}

Figure weight_map_figure(const std::string& caption, const ArrayPtr& array, const ArrayPtr& masked,
                         std::string title, Range range) {
  return {"map_" + array->name,
          std::move(title),
          caption,
          Heatmap{.values = array,
                  .masked = masked,
                  .x = key_axis(),
                  .y = query_axis(),
                  .quantity = "weight",
                  .symbol = "$a_{mn}$",
                  .meaning = Meaning::diverging,
                  .range = range},
          {.kind = "map"}};
}

void add_maps(const std::string& caption, const LinearFindings& found, Result& result) {
  const ArrayPtr masked = mask_of(found.in);
  result.arrays.push_back(array_of_map(found.softmax, "softmax", "softmax attention with RoPE"));
  result.figures.push_back(weight_map_figure(caption, result.arrays.back(), masked,
                                             "Weights of softmax attention with RoPE",
                                             typical_range(found.softmax)));
  for (const VariantFamily& family : found.families) {
    for (std::size_t i = 0; i < family.maps.size(); ++i) {
      const VariantName& variant = linear_variants()[i];
      const LinearMap& map = family.maps[i];
      result.arrays.push_back(array_of_map(map.weights, family.feature.name + "_" + variant.name,
                                           family.feature.label + ", " + variant.label));
      if (&family != &found.families.front()) continue;
      result.figures.push_back(
          weight_map_figure(caption, result.arrays.back(), masked,
                            fmt::format("Weights of linear attention: {}, $φ$ = {}", variant.label,
                                        family.feature.label),
                            typical_range(map.weights)));
    }
  }
}

/// Distance from softmax by number of features.
void add_favor(const std::string& caption, const LinearFindings& found, Result& result) {
  LinePlot plot{
      .x = {.label = "FAVOR+ features", .symbol = "$M$", .scale = AxisScale::log2},
      .y = {
          .label = "distance from softmax", .symbol = "mean $½ Σ|Δa|$", .scale = AxisScale::log10}};
  Table table{
      .name = "favor_error",
      .caption = "mean $½ Σ|\\text{difference}|$ from softmax attention with RoPE, over draws",
      .columns = {{"features", "", found.swept_features}}};
  for (std::size_t i = 0; i < found.sweep.size(); ++i) {
    const VariantName& variant = linear_variants()[i];
    const Band& band = found.sweep[i];
    add_curve(table, plot, {variant.name, "", band.mean},
              named(banded(curve_of(variant.rotation), band), "FAVOR+, " + variant.label));
    table.columns.push_back({variant.name + "_least", "", band.least});
    table.columns.push_back({variant.name + "_largest", "", band.greatest});
  }
  for (const VariantFamily& family : found.families)
    if (family.feature.kind != FeatureKind::favor)
      plot.rules.push_back(horizontal(map_of(family, FeatureRotation::paper).half_difference,
                                      "eq. (19), " + family.feature.label));
  result.figures.push_back(
      {"favor_error", "FAVOR+ nears softmax with more features; eq. (19) stays farther away",
       fmt::format("first {} tokens · mean, least and largest of {} draws · {}",
                   std::min<Index>(favor_sweep_tokens, found.in.q.rows()), found.draws, caption),
       std::move(plot)});
  result.tables.push_back(std::move(table));
}

/// A rule at the length from which linear attention is cheaper; equal crossovers share one rule.
void add_crossover(LinePlot& plot, const VariantFamily& family, double tokens, double longest) {
  constexpr double near = 1.05;
  if (tokens > longest) return;
  const std::string label = fmt::format("{}: $N$ = {}", family.feature.label, tokens);
  for (Rule& rule : plot.rules) {
    if (tokens > rule.at * near || rule.at > tokens * near) continue;
    rule.label += " · " + label;
    return;
  }
  plot.rules.push_back(vertical(tokens, label));
}

/// Counted operations of softmax, and of the feature maps with eq. (19), by length.
void add_cost(const std::string& caption, const LinearFindings& found, std::int64_t longest,
              Result& result) {
  std::vector<double> lengths;
  for (std::int64_t n = 16; n <= longest; n *= 2) lengths.push_back(static_cast<double>(n));
  AttentionShape shape = shape_of(found.in);
  const auto counted = [&](const auto& flops) {
    std::vector<double> all;
    for (const double length : lengths) {
      shape.tokens = static_cast<Index>(length);
      all.push_back(flops());
    }
    return all;
  };
  LinePlot plot{
      .x = {.label = "length", .symbol = "$N$", .unit = "tokens", .scale = AxisScale::log2},
      .y = {.label = "operations of a head", .unit = "FLOP", .scale = AxisScale::log10}};
  Table table{.name = "cost",
              .caption = "operations of a head by length; linear attention as in eq. (19)",
              .columns = {{"length", "tokens", lengths}}};
  add_curve(table, plot,
            {"softmax", "FLOP", counted([&] { return softmax_attention_flops(shape); })},
            {.name = "softmax", .color = encoding_color("none")});
  Index drawn = 0;  // as many features cost nearly the same: dashed over solid, both are seen
  for (const VariantFamily& family : found.families) {
    const FeatureKind kind = family.feature.kind;
    const auto flops = [&] {
      return linear_attention_flops(shape, kind, family.features, LinearVariant::paper);
    };
    add_curve(
        table, plot, {family.feature.name, "FLOP", counted(flops)},
        {.name = fmt::format("linear, {}, {} features", family.feature.label, family.features),
         .style = family.features == drawn ? LineStyle::dashed : LineStyle::solid,
         .shade = shade_of(kind)});
    drawn = family.features;
    add_crossover(plot, family, static_cast<double>(crossover_of(found.in, family)),
                  lengths.back());
  }
  result.figures.push_back({"cost",
                            "Counted operations: $N²$ for softmax, $N$ for linear attention",
                            caption, std::move(plot)});
  result.tables.push_back(std::move(table));
}

/// Of tokens that were cut, which were read, before the settings.
std::string caption_with_cut(const ParamSet& params, const LinearInputs& in) {
  const std::string cut = cut_text(in.read);
  return cut.empty() ? caption_of(params) : cut + " · " + caption_of(params);
}

Table variants_table(const std::vector<VariantFamily>& families) {
  TableBuilder table(
      "variants",
      "signs and sums of the weights; queries without a normaliser; the least normaliser over "
      "that of plain features; change under the shift; mean $½ Σ|\\text{difference}|$ from "
      "softmax; "
      "what rounding may cost a weight",
      headings({"features", "variant"}, map_measures()));
  for (const VariantFamily& family : families)
    for (std::size_t i = 0; i < family.maps.size(); ++i)
      table.row(
          cells({family.feature.name, linear_variants()[i].name}, family.maps[i], map_measures()));
  return std::move(table).finish();
}

/// Whose q, k and v maps show, before the rest of a caption.
std::string whose_contents(const ParamSet& params, const LinearInputs& in) {
  if (in.read.own) return {};
  if (!has_trained_contents(params))
    return fmt::format("$q$, $k$ and $v$ drawn at random; {} · ", untrained_notice);
  return fmt::format("$q$, $k$ and $v$ of layer {}, head {} of {}; {} · ",
                     params.integer("trained_layer"), params.integer("head"), trained_model,
                     trained_notice);
}

}  // namespace

const Measures<LinearMap>& map_measures() {
  const auto sign = [](double WeightSigns::*number) {
    return [=](const LinearMap& map) { return map.signs.*number; };
  };
  static const Measures<LinearMap> measures{
      {"negative_share", sign(&WeightSigns::negative_share),
       "share of the weights that are negative"},
      {"most_negative", sign(&WeightSigns::most_negative), "the most negative weight"},
      {"negative_mass", sign(&WeightSigns::negative_mass)},
      {"row_sum_min", sign(&WeightSigns::row_sum_min), "least sum of a query's weights"},
      {"row_sum_max", sign(&WeightSigns::row_sum_max), "largest sum of a query's weights"},
      {"row_sum_error", sign(&WeightSigns::row_sum_error)},
      {"zero_normalizers", &LinearMap::zero_normalizers},
      {"least_normalizer", &LinearMap::least_normalizer},
      {"shift_residual", &LinearMap::shift_residual},
      {"half_difference", &LinearMap::half_difference},
      {"rounding", &LinearMap::rounding}};
  return measures;
}

void add_linear_figures(const ParamSet& params, const LinearFindings& found, Result& result) {
  const std::string caption = caption_with_cut(params, found.in);
  result.tables.push_back(variants_table(found.families));
  add_row_figure(
      caption, found.families, row_sums,
      {"row_sums", row_sums_title(found.families), "",
       LinePlot{
           .x = query_axis(),
           .y = {.label = "sum of the weights of a query", .symbol = "$Σ_n a_{mn}$"},
           .rules = {horizontal(1, "softmax, and every other variant: 1"), horizontal(0, "0")}}},
      result);
  add_row_figure(caption, found.families, negative_mass_by_row,
                 {"negative_weights", negative_title(found.families), "",
                  LinePlot{.x = query_axis(),
                           .y = {.label = "negative part of the weights",
                                 .symbol = "$Σ|a < 0| / Σ|a|$",
                                 .range = Range{0.0, 1.0}},
                           .rules = {horizontal(0.5, "as much negative as positive")}}},
                 result);
  result.figures.push_back(mean_weight_figure(caption, found.families.front(), found.softmax));
  add_favor(caption, found, result);
  add_cost(caption, found, params.integer("longest"), result);
  add_maps(whose_contents(params, found.in) + caption, found, result);
}

}  // namespace orrery
