#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>

#include "core/analysis/decay.h"
#include "core/analysis/largest.h"
#include "core/analysis/mean_logits.h"
#include "core/analysis/spectrum.h"
#include "core/encodings/catalogue.h"
#include "core/encodings/common_formulas.h"
#include "core/encodings/frequencies.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/frequency_bands.h"
#include "experiments/setup/provenance.h"
#include "experiments/studies/score_spectrogram/log_columns.h"

namespace orrery {
namespace {
namespace in_score_spectrogram {

constexpr Index distances_at_once = 256;  // their queries and keys stay in the cache
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

std::vector<ParamSpec> declared_params() {
  return with_encoding_params(
      {encodings_param({"rope"}), dim_param(128),
       with_role(ParamRole::longest_distance,
                 log_count_param({"max_distance", "$r_\\mathrm{max}$", "tokens"},
                                 "Distances go up to this.", 32768, 16, 131072)),
       with_role(ParamRole::distance,
                 log_count_param({"distance", "$r$", "tokens"},
                                 "The distance at which the pairs are drawn as they have turned.",
                                 200, 1, 131072)),
       with_role(ParamRole::context,
                 log_count_param({"context", "$L$", "tokens"},
                                 "Context length that the pairs' wavelengths are compared with.",
                                 8192, 2, 0x1p40)),
       heads_param(),
       count_param({"columns"}, "Columns that the distances are averaged into.", 480, 16, 4096),
       seed_param()});
}

ExperimentInfo make_info() {
  return {
      .name = "score_spectrogram",
      .version = 2,
      .title = "Pairs and distances",
      .question = "Why does the score fall with distance?",
      .formulas =
          {{R"(\frac{L(r)}{L(0)} = \frac{2}{d} \sum_t \cos(r\theta_t))", "eq. (35)"},
           frequency_formula,
           {R"(L(r): \text{ mean logit of tokens with equal contents, } |\mathbf{x}|^2 = d)", "",
            in_descriptions}},
      .symbols = {frequency_meaning,
                  {"L", "mean logit of a query and a key with equal contents"},
                  {"r", "relative distance $m − n$"}},
      .params = declared_params(),
      .view = {.layout = ViewLayout::small_multiples,
               .grouping = Grouping::stacked,
               .controls = {"encoding", "base", "dim", "distance"},
               .preview = {{"columns", "16"}, {"max_distance", "16"}}},
      .questions =
          {{.words = "Why does the score of RoPE fall with distance?",
            .answer =
                "Each row is a pair of channels that turns at its own speed, and the curve above "
                "is their mean. Where the rows agree it is high, where they disagree it falls: "
                "press Space to let the distance grow, or move $r$.",
            .control = "distance"},
           {.words = "Which pairs carry long distances?",
            .answer =
                "The lowest rows turn so slowly that they keep their sign over thousands of "
                "tokens. The title counts those that turn less than once within the context: move "
                "base and see how many there are.",
            .settings = {{"max_distance", "131072"}},
            .figure = "parts_rope",
            .control = "base"}},
      .ignored = {{.keys = {"rope.rotary_value"}},
                  {.figures = {"mean_logit"}, .keys = {"context"}},
                  {.figures = {"mean_logit"}, .keys = {"heads", "seed"}, .when = heads_are_alike},
                  {.figures = {"parts"}, .keys = {"distance"}},
                  {.figures = {"parts"}, .encoding = "rope", .keys = {"heads", "seed"}},
                  {.figures = {"parts"}, .encoding = "sinusoidal", .keys = {"heads", "seed"}},
                  {.figures = {"orbits", "chain"},
                   .keys = {"columns", "context", "heads", "max_distance", "seed"}}}};
}

/// The frequency that each pair turns with; a pair that is muted has none, channels that do not
/// turn have 0.
using Pairs = std::vector<std::optional<double>>;

/// The turning pairs of an encoding; empty where it has none.
std::optional<Pairs> pairs_of(const Encoding& encoding, Index d) {
  const TurningPairs turning = encoding.turning_pairs();
  if (turning.theta.empty()) return std::nullopt;
  Pairs pairs;
  for (std::size_t t = 0; t < turning.theta.size(); ++t)
    pairs.push_back(turning.is_muted(t) ? std::nullopt : std::optional(turning.theta[t]));
  pairs.resize(std::max<std::size_t>(pairs.size(), static_cast<std::size_t>(d / 2)), 0.0);
  return pairs;
}

/// The distance at which each pair's cosine is 0 first: from there on it adds nothing that is
/// certain.
MapLine quarter_turn(const Pairs& pairs) {
  MapLine line{.label = "a quarter turn: $\\cos(rθₜ) = 0$"};
  for (std::size_t t = 0; t < pairs.size(); ++t) {
    if (!pairs[t] || *pairs[t] == 0) continue;
    line.x.push_back(std::numbers::pi / (2 * *pairs[t]));
    line.y.push_back(static_cast<double>(t));
  }
  return line;
}

/// Axes that stay as they are while the pairs turn.
VectorPlot plane(const Range& x, const Range& y) {
  return {.x = {.label = "real part", .range = x},
          .y = {.label = "imaginary part", .range = y},
          .quantity = "pair index $t$",
          .value_role = AxisRole::pair};
}

/// Pair t as a hand that has turned by rθ_t, the slowest the longest.
Figure orbits_figure(const ParamSet& params, const Pairs& pairs) {
  const std::int64_t r = params.integer("distance");
  VectorPlot plot = plane({-1.05, 1.05}, {-1.05, 1.05});
  const auto count = static_cast<double>(pairs.size());
  for (std::size_t t = 0; t < pairs.size(); ++t) {
    if (!pairs[t]) continue;
    const CosSin turn = rotation_at(r, *pairs[t]);
    const double radius = (static_cast<double>(t) + 1) / count;
    plot.arrows.push_back({0, 0, radius * turn.cos, radius * turn.sin, static_cast<double>(t)});
  }
  return {"orbits", fmt::format("The orrery at distance $r$ = {}: pair $t$ has turned by $rθₜ$", r),
          caption_of(params), std::move(plot)};
}

/// The pairs head to tail: the real part of their sum is the score.
Figure chain_figure(const ParamSet& params, const Pairs& pairs) {
  std::vector<double> theta, index;
  for (std::size_t t = 0; t < pairs.size(); ++t) {
    if (!pairs[t]) continue;
    theta.push_back(*pairs[t]);
    index.push_back(static_cast<double>(t));
  }
  const std::int64_t r = params.integer("distance");
  const double scale = 1.0 / static_cast<double>(theta.size());
  VectorPlot plot = plane({-0.25, 1.0}, {-0.3, 0.5});
  std::vector<std::complex<double>> ends = phasor_chain(theta, r);
  for (std::complex<double>& end : ends) end *= scale;
  lay_head_to_tail(plot, ends, index);
  return {"chain", fmt::format("Head to tail at $r$ = {}: the real part is $L(r)/L(0)$", r),
          caption_of(params), std::move(plot)};
}

/// What every encoding is looked at with.
struct Study {
  const ParamSet& params;
  LogColumns columns;
  Index d{};
  Index last{};
  int heads{};
};

/// The mean logits at 0, 1, …, as far as the encoding is defined.
MeanLogits logits_of(const Study& study, const std::string& name, const Encoding& encoding,
                     int head, Progress& progress) {
  const Index known = std::min<Index>(study.last, last_askable(encoding)) + 1;
  MeanLogits all;
  for (Index first = 0; first < known; first += distances_at_once) {
    checkpoint(progress, static_cast<double>(first) / static_cast<double>(known),
               "mean logits of " + encoding_label(name));
    const Positions at =
        consecutive_positions(std::min<Index>(distances_at_once, known - first), first);
    const MeanLogits part = mean_logits(encoding, study.d, static_cast<double>(study.d), at, head);
    all.total.insert(all.total.end(), part.total.begin(), part.total.end());
    all.position.insert(all.position.end(), part.position.begin(), part.position.end());
  }
  return all;
}

Figure map_figure(const Study& study, const std::string& name, const char* description,
                  std::vector<double> values, std::string title, Heatmap map) {
  const FigureRole role{.kind = "parts", .encodings = {name}};
  const std::size_t columns = study.columns.size(), rows = values.size() / columns;
  map.values = std::make_shared<Array>(Array{.name = "parts_" + name,
                                             .description = description,
                                             .shape = {rows, columns},
                                             .axes = {map.y.label, "distance"},
                                             .values = std::move(values),
                                             .role = role});
  map.x = distance_axis(AxisScale::log2);
  map.x.range = Range{study.columns.middles().front(), study.columns.middles().back()};
  return {map.values->name, std::move(title),
          "mean over the tokens of a column, distance $r$ from $r − ½$ to $r + ½$ · " +
              caption_of(study.params),
          std::move(map), role};
}

/// Each pair's cosine by distance: the score is their mean.
Figure pairs_figure(const Study& study, const std::string& name, const Pairs& pairs) {
  std::vector<double> values, turning;
  for (const std::optional<double>& theta : pairs) {
    const std::vector<double> row = theta ? study.columns.mean_cosine(*theta)
                                          : std::vector<double>(study.columns.size(), missing);
    values.insert(values.end(), row.begin(), row.end());
    if (theta) turning.push_back(*theta);
  }
  const auto context = study.params.integer("context");
  const Index beyond = pairs_beyond(turning, static_cast<double>(context));
  return map_figure(
      study, name, "mean of cos(r·theta_t) by pair and distance", std::move(values),
      fmt::format("{}: each row is a pair; {} of {} turn less than once within {} tokens",
                  encoding_label(name), beyond, turning.size(), context),
      {.y = {.label = "pair", .symbol = "$t$", .role = AxisRole::pair},
       .quantity = "cosine",
       .symbol = "$\\cos(rθ_t)$",
       .meaning = Meaning::diverging,
       .range = Range{-1.0, 1.0},
       .lines = {quarter_turn(pairs)},
       .rules = {vertical(static_cast<double>(context), fmt::format("context $L$ = {}", context),
                          "context")}});
}

/// Each head's factor on the weights by distance, where an encoding has no pairs.
Figure heads_figure(const Study& study, const std::string& name, const Encoding& encoding,
                    Progress& progress) {
  std::vector<double> values;
  for (int head = 0; head < study.heads; ++head) {
    SubProgress part =
        equal_part(progress, static_cast<std::size_t>(head), static_cast<std::size_t>(study.heads));
    const MeanLogits logits = logits_of(study, name, encoding, head, part);
    std::vector<double> factors;
    for (std::size_t r = 1; r < logits.position.size(); ++r)
      factors.push_back(std::exp(logits.position[r]));
    const std::vector<double> row = study.columns.of(factors).mean;
    values.insert(values.end(), row.begin(), row.end());
  }
  return map_figure(
      study, name, "mean of exp(position terms) by head and distance", std::move(values),
      encoding_label(name) + ": each row is a head; what its position terms multiply a weight by",
      {.y = {.label = "head", .symbol = "$h$"},
       .quantity = "factor on the weight",
       .symbol = "$e^{b_h(r)}$",
       .meaning = Meaning::sequential});
}

/// The mean logit against that at distance 0.
struct Fall {
  std::string name{};
  std::vector<double> by_distance{};  ///< at r = 1, 2, …
  Band columns{};
};

Fall fall_of(const Study& study, const std::string& name, const Encoding& encoding,
             Progress& progress) {
  const std::vector<double> total = logits_of(study, name, encoding, 0, progress).total;
  Fall fall{.name = name};
  for (std::size_t r = 1; r < total.size(); ++r) fall.by_distance.push_back(total[r] / total[0]);
  fall.columns = study.columns.of(fall.by_distance);
  return fall;
}

/// The curves, over the columns and in their table.
void add_falls(const Study& study, const std::vector<Fall>& falls, Result& result) {
  std::vector<double> from, to;
  for (std::size_t i = 0; i < study.columns.size(); ++i) {
    from.push_back(study.columns.from(i));
    to.push_back(study.columns.to(i));
  }
  Table table{.name = "columns",
              .caption = "mean logit against that at distance 0, averaged over each column",
              .columns = {{"from", "tokens", std::move(from)}, {"to", "tokens", std::move(to)}}};
  LinePlot plot{.x = distance_axis(AxisScale::log2),
                .y = {.label = "mean logit", .symbol = "$L(r)/L(0)$", .range = Range{-0.5, 1.05}},
                .rules = {horizontal(0)}};
  for (const Fall& fall : falls) {
    plot.series.push_back(banded(encoding_series(fall.name), fall.columns));
    plot.series.back().x = study.columns.middles();
    add_band(table, fall.name, fall.columns);
  }
  const std::int64_t r = study.params.integer("distance");
  if (r <= study.last)
    plot.rules.push_back(vertical(static_cast<double>(r), fmt::format("$r$ = {}", r), "distance"));
  result.figures.push_back(
      {"mean_logit", "Mean logit of tokens with equal contents, by distance",
       "head 0 · mean over the tokens of a column, band from least to greatest · " +
           caption_of(study.params),
       std::move(plot)});
  result.tables.push_back(std::move(table));
}

/// The map's column means against the curve, which comes through the encoding's own door.
void check_sum(const Study& study, const Figure& map, const Pairs& pairs, const Fall& fall,
               Result& result) {
  const Array& parts = *std::get<Heatmap>(map.content).values;
  const std::size_t columns = parts.shape[1];
  Largest gap;
  for (std::size_t c = 0; c < columns; ++c) {
    double sum = 0, known = 0;
    for (std::size_t t = 0; t < pairs.size(); ++t) {
      if (!pairs[t]) continue;  // muted
      sum += parts[t * columns + c];
      ++known;
    }
    gap.see(std::abs(sum / known - fall.columns.mean[c]));
  }
  const double terms = 2.0 * static_cast<double>(study.last) + static_cast<double>(study.d);
  FindingsOn(result, "rope")
      .at_most("rows_make_the_curve",
               "the mean over the pairs' rows is the curve of the mean logit (largest difference "
               "over the columns)",
               "eq. (35)", gap.value(), terms * 0x1p-50);
}

void add_scalars(const Study& study, const Fall& fall, Result& result) {
  const FindingsOn of(result, fall.name, encoding_label(fall.name));
  const auto half =
      std::ranges::find_if(fall.by_distance, [](double share) { return share <= 0.5; });
  of.scalar("first_half",
            half == fall.by_distance.end()
                ? missing
                : static_cast<double>(half - fall.by_distance.begin() + 1),
            "first distance at which the mean logit is half of that at 0", "tokens");
  const auto r = static_cast<std::size_t>(study.params.integer("distance"));
  of.scalar("at_distance", r <= fall.by_distance.size() ? fall.by_distance[r - 1] : missing,
            fmt::format("mean logit at distance {} against that at 0", r), "", "$L(r)/L(0)$");
}

void check_work(const ParamSet& params) {
  const auto distances = static_cast<double>(params.integer("max_distance"));
  const auto d = static_cast<double>(params.integer("dim"));
  const auto heads = static_cast<double>(params.integer("heads"));
  double each = 0;
  for (const std::string& encoding : params.list("encoding"))
    each += find_encoding(encoding).info.cost.of_mean_logit(d);
  check_operations(fmt::format("max_distance={} with dim={}, heads={}", distances, d, heads),
                   distances * (heads + 1) * each,
                   "lower max_distance, dim or heads, or compare fewer encodings");
}

Result compute(const ParamSet& params, const Inputs&, Progress& progress) {
  const Index last = params.integer("max_distance");
  const Study study{
      .params = params,
      .columns = LogColumns(last, static_cast<std::size_t>(params.integer("columns"))),
      .d = params.integer("dim"),
      .last = last,
      .heads = static_cast<int>(params.integer("heads"))};
  Result result;
  std::vector<Table> wavelengths;
  std::vector<Fall> falls;
  std::vector<Figure> maps, turned;
  const std::vector<std::string>& names = params.list("encoding");
  for (std::size_t e = 0; e < names.size(); ++e) {
    SubProgress part = equal_part(progress, e, names.size());
    SubProgress of_fall(part, 0.0, 0.2), of_map(part, 0.2, 1.0);
    const auto encoding = make_encoding<double>(
        names[e], {.d_model = study.d, .d_head = study.d, .heads = study.heads, .params = params});
    falls.push_back(fall_of(study, names[e], *encoding, of_fall));
    const auto pairs = pairs_of(*encoding, study.d);
    maps.push_back(pairs ? pairs_figure(study, names[e], *pairs)
                         : heads_figure(study, names[e], *encoding, of_map));
    add_scalars(study, falls.back(), result);
    if (!pairs) continue;
    std::vector<double> lambda;
    for (const std::optional<double>& theta : *pairs)
      lambda.push_back(theta ? 2 * std::numbers::pi / *theta : missing);
    wavelengths.push_back(wavelength_table(names[e], std::move(lambda)));
    if (names[e] != "rope") continue;
    check_sum(study, maps.back(), *pairs, falls.back(), result);
    turned = {orbits_figure(params, *pairs), chain_figure(params, *pairs)};
  }
  for (const Figure& map : maps) result.arrays.push_back(std::get<Heatmap>(map.content).values);
  add_falls(study, falls, result);
  result.tables.insert(result.tables.end(), wavelengths.begin(), wavelengths.end());
  for (std::vector<Figure>* group : {&maps, &turned})
    for (Figure& figure : *group) result.figures.push_back(std::move(figure));
  return result;
}

}  // namespace in_score_spectrogram
}  // namespace

Experiment score_spectrogram_experiment() {
  using namespace in_score_spectrogram;
  return with_provenance(make_info(), compute, check_work);
}

}  // namespace orrery
