#include "experiments/studies/sequence_length/figures.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_style.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/table_builder.h"

namespace orrery::studies {
namespace {
namespace in_sequence_length_figures {

constexpr double flat = 1e-12;  // logits that differ by less are the same table row
constexpr double offset_axis_threshold = 1e-17;  // below every rounding of fp64

constexpr const char* nothing_trained = "random contents, tables untrained";

/// "ends at 511", "the same from r = 113 on", "goes on".
std::string beyond_text(const LengthStudy& m) {
  if (m.ends()) return fmt::format("ends: no position above {}", m.last_position);
  const auto from = constant_from(m.change, flat);
  if (from && *from == 0) return "does not depend on distance";
  if (from) return fmt::format("one value from r = {} on", *from);
  return "goes on by its formula";
}

std::vector<double> as_doubles(const Positions& values) { return {values.begin(), values.end()}; }

Rule training_rule(const ParamSet& params) {
  const std::int64_t length = params.integer("train_length");
  return {Rule::Direction::vertical, static_cast<double>(length),
          fmt::format("training length {}", length), "train_length"};
}

Series banded(const LengthStudy& m, const std::vector<double>& lengths,
              MeanDeviation LengthPoint::*what) {
  Series series{.name = encoding_label(m.name),
                .x = lengths,
                .color = encoding_color(m.name),
                .choice = m.name};
  for (const LengthPoint& point : m.lengths) {
    const MeanDeviation& moments = point.*what;
    series.y.push_back(moments.mean);
    series.band_low.push_back(moments.mean - moments.deviation);
    series.band_high.push_back(moments.mean + moments.deviation);
  }
  return series;
}

Axis length_axis() {
  return {.label = "length", .symbol = "$N$", .unit = "tokens", .scale = AxisScale::log2};
}

Figure entropy_figure(const ParamSet& params, const std::vector<LengthStudy>& all) {
  const std::vector<double> lengths = as_doubles(lengths_of(params));
  LinePlot plot{.x = length_axis(),
                .y = {.label = "entropy of the last query", .symbol = "$H$", .unit = "bits"},
                .rules = {training_rule(params)}};
  std::vector<double> most;
  for (const double n : lengths) most.push_back(std::log2(n));
  plot.series.push_back({.name = "log₂ N: equal weights",
                         .x = lengths,
                         .y = std::move(most),
                         .style = LineStyle::dashed,
                         .color = encoding_color("none"),
                         .label = "$\\log₂ N$: equal weights"});
  for (const LengthStudy& m : all) plot.series.push_back(banded(m, lengths, &LengthPoint::entropy));
  return {"entropy", "Entropy of the last query's attention by length",
          fmt::format("{} · mean ± deviation over draws · {}", nothing_trained, caption_of(params)),
          std::move(plot)};
}

Figure recent_figure(const ParamSet& params, const std::vector<LengthStudy>& all) {
  const std::vector<double> lengths = as_doubles(lengths_of(params));
  LinePlot plot{.x = length_axis(),
                .y = {.label = "attention on the last $w$ tokens"},
                .rules = {training_rule(params)}};
  plot.y.range = Range{0.0, 1.03};
  for (const LengthStudy& m : all) plot.series.push_back(banded(m, lengths, &LengthPoint::recent));
  return {"recent_share",
          fmt::format("How much attention the last {} tokens keep", params.integer("window")),
          fmt::format("{} · mean ± deviation over draws · {}", nothing_trained, caption_of(params)),
          std::move(plot)};
}

Figure logit_figure(const ParamSet& params, const std::vector<LengthStudy>& all) {
  LinePlot plot{.x = distance_axis(AxisScale::log2),
                .y = {.label = "change of the mean logit",
                      .symbol = "$L(r) − L(0)$",
                      .scale = AxisScale::symlog},
                .rules = {training_rule(params)}};
  for (const LengthStudy& m : all)
    plot.series.push_back({.name = encoding_label(m.name),
                           .x = as_doubles(distances_of(params)),
                           .y = m.mean_change,
                           .color = encoding_color(m.name),
                           .choice = m.name});
  return {"logits", "Past the training length: some end, some clip, some go on",
          "like tokens, $L(0)$ by content $σ\\sqrt{d}$, mean over all directions · " +
              caption_of(params),
          std::move(plot)};
}

Figure offset_figure(const ParamSet& params, const std::vector<LengthStudy>& all) {
  const Positions offsets = offsets_of(params);
  LinePlot plot{.x = {.label = "offset of the window",
                      .symbol = "$s$",
                      .unit = "tokens",
                      .scale = AxisScale::log2},
                .y = {.label = "change of the weights",
                      .symbol = "mean $½ Σ|Δa|$",
                      .scale = AxisScale::symlog,
                      .symlog_threshold = offset_axis_threshold},
                .rules = {training_rule(params)}};
  for (const LengthStudy& m : all)
    plot.series.push_back({.name = encoding_label(m.name),
                           .x = as_doubles(offsets),
                           .y = m.offsets,
                           .color = encoding_color(m.name),
                           .choice = m.name});
  return {"offsets",
          fmt::format("The same {} tokens further down the text", params.integer("window")),
          fmt::format("{} · causal · {}", nothing_trained, caption_of(params)), std::move(plot)};
}

std::string number_or_dash(double value, const char* format) {
  return std::isnan(value) ? "–" : fmt::format(fmt::runtime(format), value);
}

Figure table_figure(const ParamSet& params, const std::vector<LengthStudy>& all) {
  const auto train = static_cast<std::size_t>(params.integer("train_length"));
  TableFigure table{.header = {"encoding", "beyond $L$", "leaves seen range by", "offset changes",
                               "decoding differs"}};
  for (const LengthStudy& m : all)
    table.rows.push_back({encoding_label(m.name), beyond_text(m),
                          number_or_dash(beyond_seen(m.change, train), "{:.3g}"),
                          number_or_dash(m.largest_offset_change(), "{:.1e}"),
                          fmt::format("{:.1e}", m.decoding)});
  return {"beyond", "Past the training length, encoding by encoding",
          fmt::format("{} · {}", nothing_trained, caption_of(params)), std::move(table)};
}

Table length_table(const ParamSet& params, const std::vector<LengthStudy>& all) {
  Table table{
      .name = "lengths",
      .caption = "entropy (bits) and share of the last $w$ keys by length, mean and deviation",
      .columns = {{"length", "tokens", as_doubles(lengths_of(params))}}};
  const auto add = [&](const LengthStudy& m, const std::string& name, const std::string& unit,
                       MeanDeviation LengthPoint::*what) {
    std::vector<double> mean, deviation;
    for (const LengthPoint& point : m.lengths) {
      mean.push_back((point.*what).mean);
      deviation.push_back((point.*what).deviation);
    }
    table.columns.push_back({name + "_" + m.name, unit, std::move(mean)});
    table.columns.push_back({name + "_" + m.name + "_deviation", unit, std::move(deviation)});
  };
  for (const LengthStudy& m : all) {
    add(m, "entropy", "bits", &LengthPoint::entropy);
    add(m, "recent", "", &LengthPoint::recent);
  }
  return table;
}

Table logit_table(const ParamSet& params, const std::vector<LengthStudy>& all) {
  Table table{.name = "logits",
              .caption = "change with distance of the mean logit of like tokens",
              .columns = {{"distance", "tokens", as_doubles(distances_of(params))}}};
  for (const LengthStudy& m : all) table.columns.push_back({m.name, "", m.mean_change});
  return table;
}

Table offset_table(const ParamSet& params, const std::vector<LengthStudy>& all) {
  const Positions offsets = offsets_of(params);
  Table table{
      .name = "offsets",
      .caption = "mean $½ Σ|\\text{difference}|$ of the weights of a window when it is shifted",
      .columns = {{"offset", "tokens", as_doubles(offsets)}}};
  for (const LengthStudy& m : all) table.columns.push_back({m.name, "", m.offsets});
  return table;
}

double place_or_nan(const std::optional<std::size_t>& place) {
  return place ? static_cast<double>(*place) : std::numeric_limits<double>::quiet_NaN();
}

Table encoding_table(const ParamSet& params, const std::vector<LengthStudy>& all) {
  TableBuilder table(
      "encodings",
      "last position that is defined; first distance of a constant logit; how far logits past the "
      "training "
      "length leave the range seen within; largest change under an offset; largest difference "
      "between decoding and prefill",
      {{"encoding"},
       {"beyond"},
       {"last_position", "tokens"},
       {"constant_from", "tokens"},
       {"leaves_seen_range"},
       {"offset_change"},
       {"decoding_difference"}});
  const auto train = static_cast<std::size_t>(params.integer("train_length"));
  for (const LengthStudy& m : all)
    table.row(
        {m.name, beyond_text(m),
         m.ends() ? static_cast<double>(m.last_position) : std::numeric_limits<double>::infinity(),
         place_or_nan(constant_from(m.change, flat)), beyond_seen(m.change, train),
         m.largest_offset_change(), m.decoding});
  return std::move(table).finish();
}

}  // namespace in_sequence_length_figures
}  // namespace

void add_length_figures(const ParamSet& params, const std::vector<LengthStudy>& all,
                        Result& result) {
  using namespace in_sequence_length_figures;
  result.figures.push_back(entropy_figure(params, all));
  result.figures.push_back(recent_figure(params, all));
  result.figures.push_back(logit_figure(params, all));
  result.figures.push_back(offset_figure(params, all));
  result.figures.push_back(table_figure(params, all));
}

void add_length_tables(const ParamSet& params, const std::vector<LengthStudy>& all,
                       Result& result) {
  using namespace in_sequence_length_figures;
  result.tables.push_back(length_table(params, all));
  result.tables.push_back(logit_table(params, all));
  result.tables.push_back(offset_table(params, all));
  result.tables.push_back(encoding_table(params, all));
}

}  // namespace orrery::studies
