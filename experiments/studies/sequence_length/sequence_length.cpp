#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/model/experiment.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/check_settings.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_style.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/studies/sequence_length/figures.h"

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
      .view = {.controls = {"encoding", "train_length", "max_length", "base"},
               .tabs = {{"beyond", "Encoding by encoding"},
                        {"logits", "Logits past the training length"},
                        {"offsets", "Shifted tokens"},
                        {"recent_share", "Share of recent tokens"}}},
      .questions =
          {{.words = "What happens beyond the training length?",
            .answer =
                "The entropy of the last query says over how many tokens its attention spreads. "
                "Move L, the training length, and see which encodings change their course there.",
            .control = "train_length"}},
      // "beyond" measures rounding, which any change moves.
      .ignored = {{.figures = {"entropy", "logits"}, .keys = {"rope.rotary_value"}},
                  {.figures = {"entropy"}, .keys = {"window"}},
                  {.figures = {"logits"}, .keys = {"draws", "window"}}}};
}

void check_lengths(const ParamSet& params) {
  const std::int64_t train = params.integer("train_length");
  if (params.integer("max_length") <= train)
    throw UsageError(fmt::format("max_length={}", params.integer("max_length")),
                     fmt::format("must be larger than train_length={}", train),
                     fmt::format("try max_length={}", 4 * train));
  if (params.integer("window") > train)
    throw UsageError(fmt::format("window={}", params.integer("window")),
                     fmt::format("must be at most train_length={}", train),
                     fmt::format("try window={}", train));
}

/// Every length projects its keys, every step of decoding those before it.
void check_work(const ParamSet& params) {
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

void check_settings(const ParamSet& params) {
  check_lengths(params);
  check_work(params);
}

void add_scalars(const ParamSet& params, const LengthStudy& m, Result& result) {
  const Positions lengths = lengths_of(params);
  const auto at_train = static_cast<std::size_t>(
      std::find(lengths.begin(), lengths.end(), params.integer("train_length")) - lengths.begin());
  const FindingsOn of(result, m.name, untrained_label(m.name));
  const auto add = [&](const std::string& key, const char* unit, const std::string& words,
                       MeanDeviation LengthPoint::*number) {
    of.scalar(key + "_trained", (m.lengths[at_train].*number).mean,
              words + " at the training length", unit);
    of.scalar(key + "_longest", (m.lengths.back().*number).mean, words + " at the largest length",
              unit);
  };
  add("entropy", "bits", "mean entropy", &LengthPoint::entropy);
  add("recent", "", "attention on the last $w$ tokens", &LengthPoint::recent);
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
      above.see(m.lengths[i].entropy.mean - std::log2(static_cast<double>(lengths[i])));
  // Each of N weights and logarithms is rounded once or twice.
  const double rounding = 8.0 * static_cast<double>(lengths.back()) * 0x1p-53;
  FindingsOn(result).at_most("entropy_is_bounded",
                             "no query has more entropy than equal weights (largest excess, bits)",
                             "$H ≤ \\log₂ N$", above.value(), rounding);
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
  add_length_findings(params, all, result);
  return result;
}

}  // namespace in_sequence_length
}  // namespace

Experiment sequence_length_experiment() {
  using namespace in_sequence_length;
  return with_provenance(make_info(), compute, check_settings);
}

}  // namespace orrery
