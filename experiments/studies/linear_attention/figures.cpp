#include "experiments/studies/linear_attention/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "experiments/figure/plot/labels.h"
#include "experiments/model/notices.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_style.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/table_builder.h"
#include "experiments/setup/trained_head.h"

namespace orrery::studies {
namespace {
namespace in_linear_attention_figures {

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

std::vector<double> count_from(std::size_t count, double first = 0) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = first + static_cast<double>(i);
  return values;
}

Figure distance_figure(const std::string& caption, const Family& family,
                       const Matrix<double>& softmax) {
  const std::vector<double> reference = mean_weight_by_distance(softmax);
  const std::vector<double> distances = count_from(reference.size());
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

LinePlot query_plot(std::string label, std::string symbol) {
  return {.x = query_axis(), .y = {.label = std::move(label), .symbol = std::move(symbol)}};
}

Figure row_sum_figure(const std::string& caption, const std::vector<Family>& families) {
  LinePlot plot = query_plot("sum of the weights of a query", "$Σ_n a_{mn}$");
  plot.rules = {{Rule::Direction::horizontal, 1.0, "softmax, and every other variant: 1"},
                {Rule::Direction::horizontal, 0.0, "0"}};
  for (const Family& family : families) {
    std::vector<double> sums = row_sums(map_of(family, FeatureRotation::paper).weights);
    const std::vector<double> queries = count_from(sums.size());
    plot.series.push_back({.name = "eq. (19), " + family.feature.label,
                           .x = queries,
                           .y = std::move(sums),
                           .shade = shade_of(family.feature.kind)});
  }
  return {"row_sums", "The weights of eq. (19) do not sum to 1", caption, std::move(plot)};
}

Figure negative_figure(const std::string& caption, const std::vector<Family>& families) {
  LinePlot plot = query_plot("negative part of the weights", "$Σ|a < 0| / Σ|a|$");
  plot.y.range = Range{0.0, 1.0};
  plot.rules = {{Rule::Direction::horizontal, 0.5, "as much negative as positive"}};
  for (const Family& family : families) {
    std::vector<double> mass = negative_mass_by_row(map_of(family, FeatureRotation::paper).weights);
    const std::vector<double> queries = count_from(mass.size());
    plot.series.push_back({.name = "eq. (19), " + family.feature.label,
                           .x = queries,
                           .y = std::move(mass),
                           .shade = shade_of(family.feature.kind)});
  }
  return {"negative_weights", "How much of the weights of eq. (19) is negative", caption,
          std::move(plot)};
}

std::shared_ptr<const Array> array_of(const Matrix<double>& weights, std::string name,
                                      std::string description) {
  return std::make_shared<const Array>(
      Array{std::move(name),
            std::move(description),
            {static_cast<std::size_t>(weights.rows()), static_cast<std::size_t>(weights.cols())},
            {"query", "key"},
            std::vector<double>(weights.data(), weights.data() + weights.size())});
}

std::shared_ptr<const Array> mask_of(const LinearInputs& in) {
  if (!in.causal) return nullptr;
  const Index n = in.q.rows();
  Matrix<double> masked(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) masked(i, j) = in.mask.allows(i, j) ? 0 : 1;
  return array_of(masked, "masked", "1 where the query does not see the key");
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

Figure map_figure(const std::string& caption, const std::shared_ptr<const Array>& array,
                  const std::shared_ptr<const Array>& masked, std::string title, Range range) {
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

void add_maps(const std::string& caption, const LinearInputs& in, const Matrix<double>& softmax,
              const std::vector<Family>& families, Result& result) {
  const auto masked = mask_of(in);
  result.arrays.push_back(array_of(softmax, "softmax", "softmax attention with RoPE"));
  result.figures.push_back(map_figure(caption, result.arrays.back(), masked,
                                      "Weights of softmax attention with RoPE",
                                      typical_range(softmax)));
  for (const Family& family : families) {
    for (std::size_t i = 0; i < family.maps.size(); ++i) {
      const VariantName& variant = linear_variants()[i];
      const LinearMap& map = family.maps[i];
      result.arrays.push_back(array_of(map.weights, family.feature.name + "_" + variant.name,
                                       family.feature.label + ", " + variant.label));
      if (&family != &families.front()) continue;
      result.figures.push_back(map_figure(caption, result.arrays.back(), masked,
                                          fmt::format("Weights of linear attention: {}, $φ$ = {}",
                                                      variant.label, family.feature.label),
                                          typical_range(map.weights)));
    }
  }
}

Figure favor_figure(const ParamSet& params, const std::string& caption, Index tokens,
                    const FavorSweep& sweep, const std::vector<Family>& families) {
  LinePlot plot{
      .x = {.label = "FAVOR+ features", .symbol = "$M$", .scale = AxisScale::log2},
      .y = {
          .label = "distance from softmax", .symbol = "mean $½ Σ|Δa|$", .scale = AxisScale::log10}};
  for (std::size_t i = 0; i < sweep.curves.size(); ++i) {
    Series curve = curve_of(linear_variants()[i].rotation);
    curve.x = sweep.features;
    curve.y = sweep.curves[i].mean;
    curve.band_low = sweep.curves[i].low;
    curve.band_high = sweep.curves[i].high;
    plot.series.push_back(named(std::move(curve), "FAVOR+, " + linear_variants()[i].label));
  }
  for (const Family& family : families)
    if (family.feature.kind != FeatureKind::favor)
      plot.rules.push_back({Rule::Direction::horizontal,
                            map_of(family, FeatureRotation::paper).half_difference,
                            "eq. (19), " + family.feature.label});
  return {
      "favor_error", "FAVOR+ nears softmax with more features; eq. (19) stays farther away",
      fmt::format("first {} tokens · mean, least and largest of {} draws · {}",
                  std::min<Index>(favor_sweep_tokens, tokens), params.integer("draws"), caption),
      std::move(plot)};
}

std::vector<double> lengths_up_to(std::int64_t longest) {
  std::vector<double> lengths;
  for (std::int64_t n = 16; n <= longest; n *= 2) lengths.push_back(static_cast<double>(n));
  return lengths;
}

/// Operations at each length, softmax first, then the feature maps with eq. (19).
std::vector<std::vector<double>> operations(const LinearInputs& in,
                                            const std::vector<Family>& families,
                                            const std::vector<double>& lengths) {
  std::vector<std::vector<double>> all(families.size() + 1);
  for (const double length : lengths) {
    AttentionShape shape = shape_of(in);
    shape.tokens = static_cast<Index>(length);
    all[0].push_back(softmax_attention_flops(shape));
    for (std::size_t f = 0; f < families.size(); ++f)
      all[f + 1].push_back(linear_attention_flops(shape, families[f].feature.kind,
                                                  families[f].features, LinearVariant::paper));
  }
  return all;
}

/// A rule at the length from which linear attention is cheaper; equal crossovers share one rule.
void add_crossover(LinePlot& plot, const Family& family, double tokens, double longest) {
  constexpr double near = 1.05;
  if (tokens > longest) return;
  const std::string label = fmt::format("{}: $N$ = {}", family.feature.label, tokens);
  for (Rule& rule : plot.rules) {
    if (tokens > rule.at * near || rule.at > tokens * near) continue;
    rule.label += " · " + label;
    return;
  }
  plot.rules.push_back({Rule::Direction::vertical, tokens, label});
}

Figure cost_figure(const std::string& caption, const LinearInputs& in,
                   const std::vector<Family>& families, const std::vector<double>& lengths,
                   const std::vector<std::vector<double>>& flops) {
  LinePlot plot{
      .x = {.label = "length", .symbol = "$N$", .unit = "tokens", .scale = AxisScale::log2},
      .y = {.label = "operations of a head", .unit = "FLOP", .scale = AxisScale::log10},
      .series = {
          {.name = "softmax", .x = lengths, .y = flops[0], .color = encoding_color("none")}}};
  Index drawn = 0;  // as many features cost nearly the same: dashed over solid, both are seen
  for (std::size_t f = 0; f < families.size(); ++f) {
    plot.series.push_back(
        {.name = fmt::format("linear, {}, {} features", families[f].feature.label,
                             families[f].features),
         .x = lengths,
         .y = flops[f + 1],
         .style = families[f].features == drawn ? LineStyle::dashed : LineStyle::solid,
         .shade = shade_of(families[f].feature.kind)});
    drawn = families[f].features;
    add_crossover(plot, families[f], static_cast<double>(crossover_of(in, families[f])),
                  lengths.back());
  }
  return {"cost", "Counted operations: $N²$ for softmax, $N$ for linear attention", caption,
          std::move(plot)};
}

/// Of tokens that were cut, which were read, before the settings.
std::string caption_of(const ParamSet& params, const LinearInputs& in) {
  const std::string cut = cut_text(in.read);
  return cut.empty() ? setup::caption_of(params) : cut + " · " + setup::caption_of(params);
}

Table variants_table(const std::vector<Family>& families) {
  TableBuilder table(
      "variants",
      "signs and sums of the weights; queries without a normaliser; the least normaliser over "
      "that of plain features; change under the shift; mean $½ Σ|\\text{difference}|$ from "
      "softmax; "
      "what rounding may cost a weight",
      {{"features"},
       {"variant"},
       {"negative_share"},
       {"most_negative"},
       {"negative_mass"},
       {"row_sum_min"},
       {"row_sum_max"},
       {"row_sum_error"},
       {"zero_normalizers"},
       {"least_normalizer"},
       {"shift_residual"},
       {"half_difference"},
       {"rounding"}});
  for (const Family& family : families)
    for (std::size_t i = 0; i < family.maps.size(); ++i) {
      const LinearMap& map = family.maps[i];
      table.row({family.feature.name, linear_variants()[i].name, map.signs.negative_share,
                 map.signs.most_negative, map.signs.negative_mass, map.signs.row_sum_min,
                 map.signs.row_sum_max, map.signs.row_sum_error, map.zero_normalizers,
                 map.least_normalizer, map.shift_residual, map.half_difference, map.rounding});
    }
  return std::move(table).finish();
}

Table favor_table(const FavorSweep& sweep) {
  Table table{
      .name = "favor_error",
      .caption = "mean $½ Σ|\\text{difference}|$ from softmax attention with RoPE, over draws",
      .columns = {{"features", "", sweep.features}}};
  for (std::size_t i = 0; i < sweep.curves.size(); ++i) {
    table.columns.push_back({linear_variants()[i].name, "", sweep.curves[i].mean});
    table.columns.push_back({linear_variants()[i].name + "_least", "", sweep.curves[i].low});
    table.columns.push_back({linear_variants()[i].name + "_largest", "", sweep.curves[i].high});
  }
  return table;
}

Table cost_table(const std::vector<Family>& families, const std::vector<double>& lengths,
                 const std::vector<std::vector<double>>& flops) {
  Table table{.name = "cost",
              .caption = "operations of a head by length; linear attention as in eq. (19)",
              .columns = {{"length", "tokens", lengths}, {"softmax", "FLOP", flops[0]}}};
  for (std::size_t f = 0; f < families.size(); ++f)
    table.columns.push_back({families[f].feature.name, "FLOP", flops[f + 1]});
  return table;
}

}  // namespace in_linear_attention_figures
}  // namespace

namespace {
namespace in_linear_attention_figures {

/// Whose q, k and v maps show, before the rest of a caption.
std::string whose_contents(const ParamSet& params, const LinearInputs& in) {
  if (in.read.own) return {};
  if (!has_trained_contents(params))
    return fmt::format("$q$, $k$ and $v$ drawn at random; {} · ", untrained_notice);
  return fmt::format("$q$, $k$ and $v$ of layer {}, head {} of {}; {} · ",
                     params.integer("trained_layer"), params.integer("head"), trained_model,
                     trained_notice);
}

}  // namespace in_linear_attention_figures
}  // namespace

void add_linear_figures(const ParamSet& params, const LinearFindings& found, Result& result) {
  using namespace in_linear_attention_figures;
  const std::string caption = caption_of(params, found.in);
  const std::vector<double> lengths = lengths_up_to(params.integer("longest"));
  const auto flops = operations(found.in, found.families, lengths);
  result.figures.push_back(distance_figure(caption, found.families.front(), found.softmax));
  result.figures.push_back(row_sum_figure(caption, found.families));
  result.figures.push_back(negative_figure(caption, found.families));
  result.figures.push_back(
      favor_figure(params, caption, found.in.q.rows(), found.sweep, found.families));
  result.figures.push_back(cost_figure(caption, found.in, found.families, lengths, flops));
  add_maps(whose_contents(params, found.in) + caption, found.in, found.softmax, found.families,
           result);
}

void add_linear_tables(const ParamSet& params, const LinearFindings& found, Result& result) {
  using namespace in_linear_attention_figures;
  const std::vector<double> lengths = lengths_up_to(params.integer("longest"));
  const auto flops = operations(found.in, found.families, lengths);
  result.tables.push_back(variants_table(found.families));
  result.tables.push_back(favor_table(found.sweep));
  result.tables.push_back(cost_table(found.families, lengths, flops));
}

}  // namespace orrery::studies
