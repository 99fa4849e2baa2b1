#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/studies/sequence_length/study.h"

namespace orrery {
namespace {
namespace in_sequence_length {

std::vector<ParamSpec> declared_params() {
  std::vector<ParamSpec> specs = with_encoding_params(
      {encodings_param({"sinusoidal", "rope", "alibi", "learned", "shaw", "t5"}), dim_param(64),
       log_count_param({"train_length", "$L$", "tokens"},
                       "Length taken as that of a training: the tables of learned positions and "
                       "of TUPE end there.",
                       512, 32, 32768),
       log_count_param({"max_length", "$N_\\mathrm{max}$", "tokens"},
                       "Lengths from 16 up to this, above the training length, are measured.", 2048,
                       64, 65536),
       log_count_param({"window", "$w$", "tokens"},
                       "How many of the last tokens count as recent, and are shifted and decoded.",
                       32, 2, 512),
       log_real_param({"spread", "$σ$"},
                      "Deviation of the logits by content alone, the same for every encoding.", 1,
                      0.01, 30),
       log_count_param("draws", "Random queries at the last position to average over.", 32, 1,
                       1024),
       heads_param(), count_param("head", "Which head is meant, counted from 0.", 5, 0, 255),
       seed_param()});
  // Their end is the training length.
  std::erase_if(specs, [](const ParamSpec& spec) {
    return spec.key == "learned.length" || spec.key == "tupe.length";
  });
  return specs;
}

ExperimentInfo make_info() {
  return {
      .name = "sequence_length",
      .version = 3,
      .title = "Sequence length",
      .question = "What happens to the attention of random contents beyond the training length?",
      .formulas =
          {{R"(\ell_{m+s,n+s} = \ell_{m,n})", "eq. (11)"},
           {R"(\text{entropy } H(N) = -\sum_n a_n \log_2 a_n \text{ of a query at } N - 1, \text{ at most } \log_2 N)",
            "", in_descriptions},
           {R"(\text{recent share} = \sum a_n \text{ over the last } w \text{ keys})", "",
            in_descriptions},
           {R"(\text{offset: } a(m + s, n + s) = a(m, n) \text{ for relative encodings})",
            "eq. (11)", in_descriptions},
           {R"(\text{decoding: } \mathbf{o}_m \text{ from keys } 0 \; \ldots \; m \text{ one at a time} = \mathbf{o}_m \text{ of the causal whole})",
            "", in_descriptions}},
      .symbols = {{"s", "shift of all positions"}},
      .params = declared_params(),
      .view = {.layout = ViewLayout::small_multiples,
               .grouping = Grouping::by_page,
               .controls = {"encoding", "train_length", "max_length", "base"},
               .tabs = {{"beyond", "In a table"},
                        {"logits", "Logits"},
                        {"entropy", "Width of attention"},
                        {"offsets", "Shifted tokens"},
                        {"recent_share", "Share of recent tokens"}}},
      .questions =
          {{.words = "What happens beyond the training length?",
            .answer =
                "The entropy of the last query says over how many tokens its attention spreads. "
                "Move L, the training length, and see which encodings change their course there.",
            .figure = "entropy",
            .control = "train_length"}},
      // "beyond" measures rounding, which any change moves.
      .ignored = {{.figures = {"entropy", "logits"}, .keys = {"rope.rotary_value"}},
                  {.figures = {"entropy"}, .keys = {"window"}},
                  {.figures = {"logits"}, .keys = {"draws", "window"}}}};
}

void check_settings(const ParamSet& params) {
  const std::int64_t train = params.integer("train_length");
  if (params.integer("max_length") <= train)
    throw UsageError(fmt::format("max_length={}", params.integer("max_length")),
                     fmt::format("must be larger than train_length={}", train),
                     fmt::format("try max_length={}", 4 * train));
  if (params.integer("window") > train)
    throw UsageError(fmt::format("window={}", params.integer("window")),
                     fmt::format("must be at most train_length={}", train),
                     fmt::format("try window={}", train));
  // Every length projects its keys, every step of decoding those before it.
  constexpr double lengths_in_all = 4;  // of all lengths measured, over the largest
  constexpr double operations_per_logit = 500;
  const auto n = static_cast<double>(params.integer("max_length"));
  const auto w = static_cast<double>(params.integer("window"));
  const auto d = static_cast<double>(params.integer("dim"));
  const auto draws = static_cast<double>(params.integer("draws"));
  const double projected = (2 * lengths_in_all + 3) * n + 2 * w * w +
                           24 * static_cast<double>(offsets_of(params).size()) * w;
  const double each = projected * d * d * operations_per_product +
                      lengths_in_all * draws * n * (operations_per_logit + d) +
                      n * d * operations_per_normal + 3 * d * d * operations_per_normal;
  double contents = 0;
  for (const std::string& encoding : params.list("encoding")) {
    const double plain = d * operations_per_rotated_channel;
    const double own = d * find_encoding(encoding).info.cost.content;
    contents += n * plain + projected * (own - plain);
  }
  check_operations(fmt::format("max_length={} with dim={}, window={} and draws={}", n, d, w, draws),
                   each * static_cast<double>(params.list("encoding").size()) + contents,
                   "lower max_length, dim, window or draws, or compare fewer encodings");
}

void add_scalars(const ParamSet& params, const LengthStudy& m, Result& result) {
  const Positions lengths = lengths_of(params);
  const auto at_train = static_cast<std::size_t>(
      std::ranges::find(lengths, params.integer("train_length")) - lengths.begin());
  const FindingsOn of(result, m.name, untrained_label(m.name));
  const auto add = [&](const std::string& key, const char* unit, const std::string& words,
                       const std::vector<double>& number) {
    of.scalar(key + "_trained", number[at_train], words + " at the training length", unit);
    of.scalar(key + "_longest", number.back(), words + " at the largest length", unit);
  };
  add("entropy", "bits", "mean entropy", m.entropy);
  add("recent", "", "attention on the last $w$ tokens", m.recent);
}

void add_checks(const ParamSet& params, const LengthStudy& m, Result& result) {
  const FindingsOn of(result, m.name, encoding_label(m.name));
  const double window = static_cast<double>(params.integer("window"));
  of.at_most("decodes", "decoding step by step equals prefill (largest $|Δo|$)", "eq. (2), causal",
             m.decoding, (m.rounding + window * 0x1p-52) * m.largest_value);
  if (m.known_offsets > 0 && m.relative)
    of.at_most("ignores_offsets", "a shifted window has the same weights (largest mean $½ Σ|Δa|$)",
               "eq. (11)", m.largest_offset_change(), m.rounding);
  // Of ratios: a query that gives one key nearly all its weight has no weight left to change.
  if (m.known_offsets > 0 && !m.relative)
    of.at_least("feels_offsets",
                "a shifted window has other weights (largest change of $\\ln a_n/a_m$)", "eq. (11)",
                m.ratio_change, 2 * m.rounding);
  if (m.ends() && !find_encoding(m.name).info.length_param.empty())
    of.at_most("ends", "the last position that is defined is below the training length",
               "$p_i$, $0 ≤ i < L$", static_cast<double>(m.last_position),
               static_cast<double>(params.integer("train_length") - 1));
}

void check_entropy(const ParamSet& params, const std::vector<LengthStudy>& all, Result& result) {
  const Positions lengths = lengths_of(params);
  Largest above(-std::numeric_limits<double>::infinity());
  for (const LengthStudy& m : all)
    for (std::size_t i = 0; i < lengths.size() && lengths[i] - 1 <= m.last_position; ++i)
      above.see(m.entropy[i] - std::log2(static_cast<double>(lengths[i])));
  // Each of N weights and logarithms is rounded once or twice.
  const double rounding = 8.0 * static_cast<double>(lengths.back()) * 0x1p-53;
  FindingsOn(result).at_most("entropy_is_bounded",
                             "no query has more entropy than equal weights (largest excess, bits)",
                             "$H ≤ \\log₂ N$", above.value(), rounding);
}

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
  return vertical(static_cast<double>(length), fmt::format("trained to {}", length),
                  "train_length");
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
  LinePlot entropy{.x = length,
                   .y = {.label = "entropy of the last query", .symbol = "$H$", .unit = "bits"},
                   .series = {most_entropy(lengths)},
                   .rules = {training_rule(params)}};
  LinePlot recent{.x = length,
                  .y = {.label = "attention on the last $w$ tokens", .range = Range{0.0, 1.03}},
                  .rules = {training_rule(params)}};
  Table table{
      .name = "lengths",
      .caption = "entropy (bits) and share of the last $w$ keys by length, mean and deviation",
      .columns = {{"length", "tokens", lengths}}};
  for (const LengthStudy& m : all) {
    add_curve(table, entropy, {"entropy_" + m.name, "bits", m.entropy}, m.entropy_deviation,
              encoding_series(m.name));
    add_curve(table, recent, {"recent_" + m.name, "", m.recent}, m.recent_deviation,
              encoding_series(m.name));
  }
  const std::string caption =
      fmt::format("{} · mean ± deviation over draws · {}", nothing_trained, caption_of(params));
  result.figures.push_back({"entropy", entropy_title(all, params), caption, std::move(entropy)});
  result.figures.push_back({"recent_share", recent_title(all, params), caption, std::move(recent)});
  result.tables.push_back(std::move(table));
}

/// The range of the curve below the training length, as a band behind all of it.
Series seen_range(const Series& curve, double train) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  Smallest least(0.0);  // L(0) − L(0)
  Largest most(0.0);
  for (std::size_t i = 0; i < curve.x.size() && curve.x[i] < train; ++i) {
    least.see(curve.y[i]);
    most.see(curve.y[i]);
  }
  const std::size_t points = curve.x.size();
  return {.name = "range seen in training",
          .x = curve.x,
          .y = std::vector<double>(points, none),
          .band_low = std::vector<double>(points, least.value()),
          .band_high = std::vector<double>(points, most.value()),
          .ghost = "range seen in training",
          .own_ghost = true};
}

/// Each encoding has its own scale: one falls by 32 where another moves by a tenth.
void add_logits(const ParamSet& params, const std::vector<LengthStudy>& all, Result& result) {
  Table table{.name = "logits",
              .caption = "change with distance of the mean logit of like tokens",
              .columns = {{"distance", "tokens", as_doubles(distances_of(params))}}};
  const auto train = static_cast<double>(params.integer("train_length"));
  for (const LengthStudy& m : all) {
    LinePlot plot{.x = distance_axis(AxisScale::log2),
                  .y = {.label = "mean logit", .symbol = "$L(r) − L(0)$"},
                  .rules = {training_rule(params)}};
    add_curve(table, plot, {m.name, "", m.mean_change}, encoding_series(m.name));
    plot.series.push_back(seen_range(plot.series.front(), train));
    result.figures.push_back({"logits_" + m.name,
                              logit_title(m, params),
                              "like tokens, $L(0)$ by content $σ\\sqrt{d}$, mean over all "
                              "directions · shaded: the range seen in training · " +
                                  caption_of(params),
                              std::move(plot),
                              {.kind = "logits", .encodings = {m.name}}});
  }
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
  result.figures.push_back({"offsets", offset_title(all, params),
                            fmt::format("{} · causal · {}", nothing_trained, caption_of(params)),
                            std::move(plot)});
  result.tables.push_back(std::move(table));
}

std::string number_or_dash(double value, const char* format) {
  return std::isnan(value) ? "–" : fmt::format(fmt::runtime(format), value);
}

void add_encodings(const ParamSet& params, const std::vector<LengthStudy>& all, Result& result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  const auto train = static_cast<std::size_t>(params.integer("train_length"));
  TableFigure drawn{.header = {"encoding", "beyond $L$", "leaves seen range by", "offset changes",
                               "decoding differs"}};
  TableBuilder table(
      "encodings",
      "last position that is defined; first distance of a constant logit; how far logits past the "
      "training "
      "length leave the range seen within; largest change under an offset; largest difference "
      "between decoding and prefill",
      {"encoding", "beyond", "last_position [tokens]", "constant_from [tokens]",
       "leaves_seen_range", "offset_change", "decoding_difference"});
  for (const LengthStudy& m : all) {
    const double leaves = beyond_seen(m.change, train), offset = m.largest_offset_change();
    const auto constant = constant_from(m.change, flat);
    drawn.rows.push_back({encoding_label(m.name), beyond_text(m), number_or_dash(leaves, "{:.3g}"),
                          number_or_dash(offset, "{:.1e}"), fmt::format("{:.1e}", m.decoding)});
    table.row({m.name, beyond_text(m), m.ends() ? static_cast<double>(m.last_position) : infinity,
               constant ? static_cast<double>(*constant) : missing, leaves, offset, m.decoding});
  }
  result.figures.push_back({"beyond", "Past the training length, encoding by encoding",
                            fmt::format("{} · {}", nothing_trained, caption_of(params)),
                            std::move(drawn)});
  result.tables.push_back(std::move(table).finish());
}

Result compute(const ParamSet& params, const Inputs&, Progress& progress) {
  checkpoint(progress, 0.0, "contents");
  const std::vector<std::string>& names = params.list("encoding");
  Result result;
  std::vector<LengthStudy> all;
  for (std::size_t e = 0; e < names.size(); ++e) {
    SubProgress part = equal_part(progress, e, names.size());
    all.push_back(study_lengths(names[e], params, part));
    add_scalars(params, all.back(), result);
    add_checks(params, all.back(), result);
  }
  check_entropy(params, all, result);
  add_logits(params, all, result);
  add_by_length(params, all, result);
  add_offsets(params, all, result);
  add_encodings(params, all, result);
  return result;
}

}  // namespace in_sequence_length
}  // namespace

Experiment sequence_length_experiment() {
  using namespace in_sequence_length;
  return with_provenance(make_info(), compute, check_settings);
}

}  // namespace orrery
