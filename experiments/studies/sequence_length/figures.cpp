#include "experiments/studies/sequence_length/figures.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_style.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"

namespace orrery {
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

Rule training_rule(const ParamSet& params) {
  const std::int64_t length = params.integer("train_length");
  return vertical(static_cast<double>(length), fmt::format("training length {}", length),
                  "train_length");
}

/// A number with its deviation over the draws, by length.
struct OfLength {
  const char* key{};
  const char* unit{};
  MeanDeviation LengthPoint::*value{};
  LinePlot plot{};
};

void add_of_length(const LengthStudy& m, OfLength& of, Table& table) {
  std::vector<double> mean, deviation;
  for (const LengthPoint& point : m.lengths) {
    mean.push_back((point.*of.value).mean);
    deviation.push_back((point.*of.value).deviation);
  }
  add_curve(table, of.plot, {fmt::format("{}_{}", of.key, m.name), of.unit, std::move(mean)},
            deviation, encoding_series(m.name));
}

/// The entropy of equal weights, which no query exceeds.
Series most_entropy(const std::vector<double>& lengths) {
  Series most{.name = "log₂ N: equal weights",
              .x = lengths,
              .style = LineStyle::dashed,
              .color = encoding_color("none"),
              .label = "$\\log₂ N$: equal weights"};
  for (const double n : lengths) most.y.push_back(std::log2(n));
  return most;
}

void add_by_length(const ParamSet& params, const std::vector<LengthStudy>& all, Result& result) {
  const Axis length{.label = "length", .symbol = "$N$", .unit = "tokens", .scale = AxisScale::log2};
  const std::vector<double> lengths = as_doubles(lengths_of(params));
  OfLength entropy{"entropy",
                   "bits",
                   &LengthPoint::entropy,
                   {.x = length,
                    .y = {.label = "entropy of the last query", .symbol = "$H$", .unit = "bits"},
                    .series = {most_entropy(lengths)},
                    .rules = {training_rule(params)}}};
  OfLength recent{"recent",
                  "",
                  &LengthPoint::recent,
                  {.x = length,
                   .y = {.label = "attention on the last $w$ tokens", .range = Range{0.0, 1.03}},
                   .rules = {training_rule(params)}}};
  Table table{
      .name = "lengths",
      .caption = "entropy (bits) and share of the last $w$ keys by length, mean and deviation",
      .columns = {{"length", "tokens", lengths}}};
  for (const LengthStudy& m : all)
    for (OfLength* of : {&entropy, &recent}) add_of_length(m, *of, table);
  const std::string caption =
      fmt::format("{} · mean ± deviation over draws · {}", nothing_trained, caption_of(params));
  result.figures.push_back({"entropy", "Entropy of the last query's attention by length", caption,
                            std::move(entropy.plot)});
  result.figures.push_back(
      {"recent_share",
       fmt::format("How much attention the last {} tokens keep", params.integer("window")), caption,
       std::move(recent.plot)});
  result.tables.push_back(std::move(table));
}

void add_logits(const ParamSet& params, const std::vector<LengthStudy>& all, Result& result) {
  LinePlot plot{.x = distance_axis(AxisScale::log2),
                .y = {.label = "change of the mean logit",
                      .symbol = "$L(r) − L(0)$",
                      .scale = AxisScale::symlog},
                .rules = {training_rule(params)}};
  Table table{.name = "logits",
              .caption = "change with distance of the mean logit of like tokens",
              .columns = {{"distance", "tokens", as_doubles(distances_of(params))}}};
  for (const LengthStudy& m : all)
    add_curve(table, plot, {m.name, "", m.mean_change}, encoding_series(m.name));
  result.figures.push_back({"logits", "Past the training length: some end, some clip, some go on",
                            "like tokens, $L(0)$ by content $σ\\sqrt{d}$, mean over all "
                            "directions · " +
                                caption_of(params),
                            std::move(plot)});
  result.tables.push_back(std::move(table));
}

void add_offsets(const ParamSet& params, const std::vector<LengthStudy>& all, Result& result) {
  LinePlot plot{.x = {.label = "offset of the window",
                      .symbol = "$s$",
                      .unit = "tokens",
                      .scale = AxisScale::log2},
                .y = {.label = "change of the weights",
                      .symbol = "mean $½ Σ|Δa|$",
                      .scale = AxisScale::symlog,
                      .symlog_threshold = offset_axis_threshold},
                .rules = {training_rule(params)}};
  Table table{
      .name = "offsets",
      .caption = "mean $½ Σ|\\text{difference}|$ of the weights of a window when it is shifted",
      .columns = {{"offset", "tokens", as_doubles(offsets_of(params))}}};
  for (const LengthStudy& m : all)
    add_curve(table, plot, {m.name, "", m.offsets}, encoding_series(m.name));
  result.figures.push_back(
      {"offsets", fmt::format("The same {} tokens further down the text", params.integer("window")),
       fmt::format("{} · causal · {}", nothing_trained, caption_of(params)), std::move(plot)});
  result.tables.push_back(std::move(table));
}

std::string number_or_dash(double value, const char* format) {
  return std::isnan(value) ? "–" : fmt::format(fmt::runtime(format), value);
}

double place_or_nan(const std::optional<std::size_t>& place) {
  return place ? static_cast<double>(*place) : std::numeric_limits<double>::quiet_NaN();
}

void add_encodings(const ParamSet& params, const std::vector<LengthStudy>& all, Result& result) {
  const auto train = static_cast<std::size_t>(params.integer("train_length"));
  TableFigure drawn{.header = {"encoding", "beyond $L$", "leaves seen range by", "offset changes",
                               "decoding differs"}};
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
  for (const LengthStudy& m : all) {
    const double leaves = beyond_seen(m.change, train), offset = m.largest_offset_change();
    drawn.rows.push_back({encoding_label(m.name), beyond_text(m), number_or_dash(leaves, "{:.3g}"),
                          number_or_dash(offset, "{:.1e}"), fmt::format("{:.1e}", m.decoding)});
    table.row(
        {m.name, beyond_text(m),
         m.ends() ? static_cast<double>(m.last_position) : std::numeric_limits<double>::infinity(),
         place_or_nan(constant_from(m.change, flat)), leaves, offset, m.decoding});
  }
  result.figures.push_back({"beyond", "Past the training length, encoding by encoding",
                            fmt::format("{} · {}", nothing_trained, caption_of(params)),
                            std::move(drawn)});
  result.tables.push_back(std::move(table).finish());
}

}  // namespace in_sequence_length_figures
}  // namespace

void add_length_findings(const ParamSet& params, const std::vector<LengthStudy>& all,
                         Result& result) {
  using namespace in_sequence_length_figures;
  add_by_length(params, all, result);
  add_logits(params, all, result);
  add_offsets(params, all, result);
  add_encodings(params, all, result);
}

}  // namespace orrery
