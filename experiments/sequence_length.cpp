#include "experiments/sequence_length.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/errors.h"
#include "experiments/length_measures.h"
#include "experiments/shared_params.h"

namespace orrery {
namespace {

constexpr Index shortest = 16;           // of the lengths measured
constexpr int lengths_measured = 28;     // spaced by ratios
constexpr int distances_measured = 320;  // likewise
constexpr double flat = 1e-12;           // logits that differ by less are the same table row
constexpr double offset_axis_threshold = 1e-17;  // below every rounding of fp64

std::vector<ParamSpec> declared_params() {
  std::vector<ParamSpec> specs = with_encoding_params(
      {encodings_param({"sinusoidal", "rope", "alibi", "learned", "shaw", "t5"}),
       dim_param(64),
       {.key = "train_length",
        .symbol = "L",
        .unit = "tokens",
        .description = "Training length: the tables of learned positions and of TUPE end there.",
        .kind = ParamKind::integer,
        .default_value = std::int64_t{512},
        .min = 32,
        .max = 32768,
        .logarithmic = true},
       {.key = "max_length",
        .symbol = "N_max",
        .unit = "tokens",
        .description = "Lengths from 16 up to this, above the training length, are measured.",
        .kind = ParamKind::integer,
        .default_value = std::int64_t{2048},
        .min = 64,
        .max = 65536,
        .logarithmic = true},
       {.key = "window",
        .symbol = "w",
        .unit = "tokens",
        .description = "How many of the last tokens count as recent, and are shifted and decoded.",
        .kind = ParamKind::integer,
        .default_value = std::int64_t{32},
        .min = 2,
        .max = 512,
        .logarithmic = true},
       {.key = "spread",
        .symbol = "σ",
        .description = "Deviation of the logits by content alone, the same for every encoding.",
        .kind = ParamKind::real,
        .default_value = 1.0,
        .min = 0.01,
        .max = 30.0,
        .logarithmic = true},
       {.key = "draws",
        .description = "Random queries at the last position to average over.",
        .kind = ParamKind::integer,
        .default_value = std::int64_t{32},
        .min = 1,
        .max = 1024,
        .logarithmic = true},
       heads_param(),
       {.key = "head",
        .description = "Which head is meant, counted from 0.",
        .kind = ParamKind::integer,
        .default_value = std::int64_t{5},
        .min = 0,
        .max = 255},
       seed_param()});
  // Their end is the training length.
  std::erase_if(specs, [](const ParamSpec& spec) {
    return spec.key == "learned.length" || spec.key == "tupe.length";
  });
  return specs;
}

ExperimentInfo make_info() {
  return {.name = "sequence_length",
          .version = 1,
          .title = "Sequence length",
          .question = "What happens to attention when positions lie beyond the training length?",
          .equations = {"entropy H(N) = −Σ_n a_n log₂ a_n of a query at N − 1, at most log₂ N",
                        "recent share = Σ a_n over the last w keys",
                        "offset: a(m + s, n + s) = a(m, n) for relative encodings  (11)",
                        "decoding: o_m from keys 0 … m one at a time = o_m of the causal whole"},
          .params = declared_params()};
}

void check_lengths(const ParamSet& params) {
  const std::int64_t train = params.integer("train_length");
  if (params.integer("max_length") <= train)
    throw UsageError(fmt::format("max_length={}", params.integer("max_length")),
                     fmt::format("must lie beyond train_length={}", train),
                     fmt::format("try max_length={}", 4 * train));
  if (params.integer("window") > train)
    throw UsageError(fmt::format("window={}", params.integer("window")),
                     fmt::format("must be at most train_length={}", train),
                     fmt::format("try window={}", train));
}

/// Spaced by ratios, with the training length and the next one among them.
Positions lengths_of(const ParamSet& params) {
  const auto most = static_cast<double>(params.integer("max_length"));
  Positions lengths{params.integer("train_length"), params.integer("train_length") + 1};
  for (int i = 0; i <= lengths_measured; ++i)
    lengths.push_back(static_cast<Position>(std::lround(
        shortest * std::pow(most / shortest, static_cast<double>(i) / lengths_measured))));
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

Positions offsets_of(const ParamSet& params) {
  Positions offsets;
  for (Position s = 1; s <= params.integer("max_length"); s *= 2) offsets.push_back(s);
  return offsets;
}

/// Where the mean logit is taken: spaced by ratios, the training length among them.
Positions distances_of(const ParamSet& params) {
  const auto last = static_cast<double>(params.integer("max_length") - 1);
  Positions distances{params.integer("train_length") - 1, params.integer("train_length")};
  for (int i = 0; i <= distances_measured; ++i)
    distances.push_back(std::lround(std::pow(last, static_cast<double>(i) / distances_measured)));
  std::sort(distances.begin(), distances.end());
  distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
  return distances;
}

/// Everything measured on one encoding.
struct Measured {
  std::string name{};
  bool relative{};
  Position last_position{};
  std::vector<LengthPoint> lengths{};
  std::vector<double> change{};       ///< of one pair's logit, by distance
  std::vector<double> mean_change{};  ///< of like tokens' mean logit, at distances_of()
  std::vector<double> offsets{};
  double rounding{};
  double decoding{};
  double largest_value{};  ///< |v| of the window

  bool ends() const { return last_position < max_position; }
};

double largest_value(const LengthScene& scene, Index window) {
  return (scene.keys.topRows(window) * scene.projections.W_v).cwiseAbs().maxCoeff();
}

Measured measure(const std::string& name, const ParamSet& params, Progress& progress, double from,
                 double to) {
  const LengthScene scene = length_scene(name, params);
  const Index window = params.integer("window");
  Measured measured{.name = name,
                    .relative = scene.encoding->is_relative(),
                    .last_position = scene.encoding->last_position(),
                    .rounding = length_rounding(scene, window),
                    .largest_value = largest_value(scene, window)};
  const Positions lengths = lengths_of(params);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const double done = 0.8 * static_cast<double>(i) / static_cast<double>(lengths.size());
    checkpoint(progress, from + (to - from) * done, "lengths with " + name);
    measured.lengths.push_back(attention_at_length(scene, lengths[i], window));
  }
  checkpoint(progress, from + (to - from) * 0.8, "distances with " + name);
  measured.change = logit_change(scene, params.integer("max_length"));
  const double match =
      params.real("spread") * std::sqrt(static_cast<double>(params.integer("dim")));
  measured.mean_change = mean_logit_change(scene, match, distances_of(params));
  checkpoint(progress, from + (to - from) * 0.85, "offsets with " + name);
  for (const Position s : offsets_of(params))
    measured.offsets.push_back(change_under_offset(scene, window, s));
  checkpoint(progress, from + (to - from) * 0.9, "decoding with " + name);
  const Position past = params.integer("train_length") - window / 2;
  const Position first = std::min<Position>(past, scene.encoding->last_position() + 1 - window);
  measured.decoding = decoding_gap(scene, window, first);
  return measured;
}

/// NaN when the encoding knows no position that far.
double largest_offset_change(const Measured& m) {
  double largest = std::numeric_limits<double>::quiet_NaN();
  for (const double change : m.offsets)
    if (!std::isnan(change) && !(change <= largest)) largest = change;
  return largest;
}

/// "ends at 511", "the same from r = 113 on", "goes on".
std::string beyond_text(const Measured& m) {
  if (m.ends()) return fmt::format("ends: no position above {}", m.last_position);
  const auto from = constant_from(m.change, flat);
  if (from && *from == 0) return "feels no distance";
  if (from) return fmt::format("one value from r = {} on", *from);
  return "goes on by its formula";
}

std::vector<double> as_doubles(const Positions& values) { return {values.begin(), values.end()}; }

Rule training_rule(const ParamSet& params) {
  const std::int64_t length = params.integer("train_length");
  return {Rule::Direction::vertical, static_cast<double>(length),
          fmt::format("training length {}", length)};
}

Series banded(const Measured& m, const std::vector<double>& lengths, Moments LengthPoint::*what) {
  Series series{.name = encoding_label(m.name), .x = lengths, .color = encoding_color(m.name)};
  for (const LengthPoint& point : m.lengths) {
    const Moments& moments = point.*what;
    series.y.push_back(moments.mean);
    series.band_low.push_back(moments.mean - moments.deviation);
    series.band_high.push_back(moments.mean + moments.deviation);
  }
  return series;
}

Axis length_axis() {
  return {.label = "length", .symbol = "N", .unit = "tokens", .scale = AxisScale::log2};
}

Figure entropy_figure(const ParamSet& params, const std::vector<Measured>& all) {
  const std::vector<double> lengths = as_doubles(lengths_of(params));
  LinePlot plot{.x = length_axis(),
                .y = {.label = "entropy of the last query", .symbol = "H", .unit = "bits"},
                .rules = {training_rule(params)}};
  std::vector<double> most;
  for (const double n : lengths) most.push_back(std::log2(n));
  plot.series.push_back({.name = "log₂ N: all keys alike",
                         .x = lengths,
                         .y = std::move(most),
                         .style = LineStyle::dashed,
                         .color = encoding_color("none")});
  for (const Measured& m : all) plot.series.push_back(banded(m, lengths, &LengthPoint::entropy));
  return {"entropy", "Attention spreads as the context grows, unless position holds it",
          "mean ± deviation over draws · " + caption_of(params), std::move(plot)};
}

Figure recent_figure(const ParamSet& params, const std::vector<Measured>& all) {
  const std::vector<double> lengths = as_doubles(lengths_of(params));
  LinePlot plot{.x = length_axis(),
                .y = {.label = "attention on the last w tokens"},
                .rules = {training_rule(params)}};
  plot.y.range = Range{0.0, 1.03};
  for (const Measured& m : all) plot.series.push_back(banded(m, lengths, &LengthPoint::recent));
  return {"recent_share",
          fmt::format("How much attention the last {} tokens keep", params.integer("window")),
          "mean ± deviation over draws · " + caption_of(params), std::move(plot)};
}

Figure logit_figure(const ParamSet& params, const std::vector<Measured>& all) {
  LinePlot plot{.x = {.label = "relative distance",
                      .symbol = "m − n",
                      .unit = "tokens",
                      .scale = AxisScale::log2},
                .y = {.label = "change of the mean logit",
                      .symbol = "L(r) − L(0)",
                      .scale = AxisScale::symlog},
                .rules = {training_rule(params)}};
  for (const Measured& m : all)
    plot.series.push_back({.name = encoding_label(m.name),
                           .x = as_doubles(distances_of(params)),
                           .y = m.mean_change,
                           .color = encoding_color(m.name)});
  return {"logits", "Past the training length: some end, some clip, some go on",
          "like tokens, L(0) by content σ√d, mean over all directions · " + caption_of(params),
          std::move(plot)};
}

Figure offset_figure(const ParamSet& params, const std::vector<Measured>& all) {
  const Positions offsets = offsets_of(params);
  LinePlot plot{.x = {.label = "offset of the window",
                      .symbol = "s",
                      .unit = "tokens",
                      .scale = AxisScale::log2},
                .y = {.label = "change of the weights",
                      .symbol = "mean ½ Σ|Δa|",
                      .scale = AxisScale::symlog,
                      .symlog_threshold = offset_axis_threshold},
                .rules = {training_rule(params)}};
  for (const Measured& m : all)
    plot.series.push_back({.name = encoding_label(m.name),
                           .x = as_doubles(offsets),
                           .y = m.offsets,
                           .color = encoding_color(m.name)});
  return {"offsets",
          fmt::format("The same {} tokens further down the text", params.integer("window")),
          "causal · " + caption_of(params), std::move(plot)};
}

std::string number_or_dash(double value, const char* format) {
  return std::isnan(value) ? "–" : fmt::format(fmt::runtime(format), value);
}

Figure table_figure(const ParamSet& params, const std::vector<Measured>& all) {
  const auto train = static_cast<std::size_t>(params.integer("train_length"));
  TableFigure table{.header = {"encoding", "beyond L", "leaves seen range by", "offset changes",
                               "decoding differs"}};
  for (const Measured& m : all)
    table.rows.push_back({encoding_label(m.name), beyond_text(m),
                          number_or_dash(beyond_seen(m.change, train), "{:.3g}"),
                          number_or_dash(largest_offset_change(m), "{:.1e}"),
                          fmt::format("{:.1e}", m.decoding)});
  return {"beyond", "Past the training length, encoding by encoding", caption_of(params),
          std::move(table)};
}

Table length_table(const ParamSet& params, const std::vector<Measured>& all) {
  Table table{
      .name = "lengths",
      .caption = "entropy (bits) and share of the last w keys by length, mean and deviation",
      .columns = {{"length", "tokens", as_doubles(lengths_of(params))}}};
  const auto add = [&](const Measured& m, const std::string& name, const std::string& unit,
                       Moments LengthPoint::*what) {
    std::vector<double> mean, deviation;
    for (const LengthPoint& point : m.lengths) {
      mean.push_back((point.*what).mean);
      deviation.push_back((point.*what).deviation);
    }
    table.columns.push_back({name + "_" + m.name, unit, std::move(mean)});
    table.columns.push_back({name + "_" + m.name + "_deviation", unit, std::move(deviation)});
  };
  for (const Measured& m : all) {
    add(m, "entropy", "bits", &LengthPoint::entropy);
    add(m, "recent", "", &LengthPoint::recent);
  }
  return table;
}

Table logit_table(const ParamSet& params, const std::vector<Measured>& all) {
  Table table{.name = "logits",
              .caption = "change with distance of the mean logit of like tokens",
              .columns = {{"distance", "tokens", as_doubles(distances_of(params))}}};
  for (const Measured& m : all) table.columns.push_back({m.name, "", m.mean_change});
  return table;
}

Table offset_table(const ParamSet& params, const std::vector<Measured>& all) {
  const Positions offsets = offsets_of(params);
  Table table{.name = "offsets",
              .caption = "mean ½ Σ|difference| of the weights of a window when it is shifted",
              .columns = {{"offset", "tokens", as_doubles(offsets)}}};
  for (const Measured& m : all) table.columns.push_back({m.name, "", m.offsets});
  return table;
}

double place_or_nan(const std::optional<std::size_t>& place) {
  return place ? static_cast<double>(*place) : std::numeric_limits<double>::quiet_NaN();
}

Table encoding_table(const ParamSet& params, const std::vector<Measured>& all) {
  std::vector<std::string> name, beyond;
  std::vector<double> last, from, leaves, offset, decoding;
  const auto train = static_cast<std::size_t>(params.integer("train_length"));
  for (const Measured& m : all) {
    name.push_back(m.name);
    beyond.push_back(beyond_text(m));
    last.push_back(m.ends() ? static_cast<double>(m.last_position)
                            : std::numeric_limits<double>::infinity());
    from.push_back(place_or_nan(constant_from(m.change, flat)));
    leaves.push_back(beyond_seen(m.change, train));
    offset.push_back(largest_offset_change(m));
    decoding.push_back(m.decoding);
  }
  return {.name = "encodings",
          .caption =
              "last position known; first distance of a constant logit; how far logits past "
              "the training length leave the range seen within; largest change under an "
              "offset; largest difference between decoding and prefill",
          .columns = {{"encoding", "", std::move(name)},
                      {"beyond", "", std::move(beyond)},
                      {"last_position", "tokens", std::move(last)},
                      {"constant_from", "tokens", std::move(from)},
                      {"leaves_seen_range", "", std::move(leaves)},
                      {"offset_change", "", std::move(offset)},
                      {"decoding_difference", "", std::move(decoding)}}};
}

void add_scalars(const ParamSet& params, const Measured& m, Result& result) {
  const Positions lengths = lengths_of(params);
  const auto at_train = static_cast<std::size_t>(
      std::find(lengths.begin(), lengths.end(), params.integer("train_length")) - lengths.begin());
  const std::string label = encoding_label(m.name);
  const auto add = [&](const std::string& name, const std::string& unit, double value,
                       const std::string& text) {
    result.scalars.push_back(
        {.name = m.name + name, .unit = unit, .value = value, .description = label + ": " + text});
  };
  add("_entropy_trained", "bits", m.lengths[at_train].entropy.mean,
      "mean entropy at the training length");
  add("_entropy_longest", "bits", m.lengths.back().entropy.mean,
      "mean entropy at the largest length");
  add("_recent_trained", "", m.lengths[at_train].recent.mean,
      "attention on the last w tokens at the training length");
  add("_recent_longest", "", m.lengths.back().recent.mean,
      "attention on the last w tokens at the largest length");
}

void add_checks(const ParamSet& params, const Measured& m, std::vector<Check>& checks) {
  const std::string label = encoding_label(m.name);
  const double window = static_cast<double>(params.integer("window"));
  checks.push_back({.name = m.name + "_decodes",
                    .statement = label + ": decoding step by step equals prefill (largest |Δo|)",
                    .equation = "eq. (2), causal",
                    .measured = m.decoding,
                    .bound = (m.rounding + window * 0x1p-52) * m.largest_value});
  if (!std::isnan(largest_offset_change(m)))
    checks.push_back({.name = m.name + (m.relative ? "_ignores_offsets" : "_feels_offsets"),
                      .statement = label +
                                   (m.relative ? ": a shifted window has the same weights"
                                               : ": a shifted window has other weights") +
                                   " (largest mean ½ Σ|Δa|)",
                      .equation = "eq. (11)",
                      .measured = largest_offset_change(m),
                      .relation = m.relative ? Relation::at_most : Relation::at_least,
                      .bound = m.rounding});
  if (m.ends())
    checks.push_back({.name = m.name + "_ends",
                      .statement = label + ": knows no position above the training length",
                      .equation = "p_i, i ≤ L",
                      .measured = static_cast<double>(m.last_position),
                      .bound = static_cast<double>(params.integer("train_length"))});
}

Check entropy_check(const ParamSet& params, const std::vector<Measured>& all) {
  const Positions lengths = lengths_of(params);
  double above = -std::numeric_limits<double>::infinity();
  for (const Measured& m : all)
    for (std::size_t i = 0; i < lengths.size(); ++i)
      above =
          std::max(above, m.lengths[i].entropy.mean - std::log2(static_cast<double>(lengths[i])));
  // Each of N weights and logarithms is rounded once or twice.
  const double rounding = 8.0 * static_cast<double>(lengths.back()) * 0x1p-53;
  return {.name = "entropy_is_bounded",
          .statement = "no query has more entropy than equal weights (largest excess, bits)",
          .equation = "H ≤ log₂ N",
          .measured = above,
          .bound = rounding};
}

}  // namespace

const ExperimentInfo& SequenceLength::info() const {
  static const ExperimentInfo info = make_info();
  return info;
}

Result SequenceLength::run(const ParamSet& params, const Inputs&, Progress& progress) const {
  check_lengths(params);
  checkpoint(progress, 0.0, "contents");
  const std::vector<std::string>& names = params.list("encoding");
  const double share = 1.0 / static_cast<double>(names.size());
  Result result{.provenance = provenance_of(info(), params)};
  std::vector<Measured> all;
  for (std::size_t e = 0; e < names.size(); ++e) {
    const double from = share * static_cast<double>(e);
    all.push_back(measure(names[e], params, progress, from, std::min(1.0, from + share)));
    add_scalars(params, all.back(), result);
    add_checks(params, all.back(), result.checks);
  }
  result.checks.push_back(entropy_check(params, all));
  result.figures.push_back(entropy_figure(params, all));
  result.figures.push_back(recent_figure(params, all));
  result.figures.push_back(logit_figure(params, all));
  result.figures.push_back(offset_figure(params, all));
  result.figures.push_back(table_figure(params, all));
  result.tables.push_back(length_table(params, all));
  result.tables.push_back(logit_table(params, all));
  result.tables.push_back(offset_table(params, all));
  result.tables.push_back(encoding_table(params, all));
  return result;
}

}  // namespace orrery
