#include "experiments/sequence_length.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/largest.h"
#include "core/errors.h"
#include "experiments/length_figures.h"
#include "experiments/shared_params.h"

namespace orrery {
namespace {

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
  return {
      .name = "sequence_length",
      .version = 2,
      .title = "Sequence length",
      .question = "What happens to the attention of random contents beyond the training length?",
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

void add_scalars(const ParamSet& params, const LengthStudy& m, Result& result) {
  const Positions lengths = lengths_of(params);
  const auto at_train = static_cast<std::size_t>(
      std::find(lengths.begin(), lengths.end(), params.integer("train_length")) - lengths.begin());
  const std::string label = untrained_label(m.name);
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

void add_checks(const ParamSet& params, const LengthStudy& m, std::vector<Check>& checks) {
  const std::string label = encoding_label(m.name);
  const double window = static_cast<double>(params.integer("window"));
  checks.push_back({.name = m.name + "_decodes",
                    .statement = label + ": decoding step by step equals prefill (largest |Δo|)",
                    .equation = "eq. (2), causal",
                    .measured = m.decoding,
                    .bound = (m.rounding + window * 0x1p-52) * m.largest_value});
  if (m.known_offsets > 0)
    checks.push_back({.name = m.name + (m.relative ? "_ignores_offsets" : "_feels_offsets"),
                      .statement = label +
                                   (m.relative ? ": a shifted window has the same weights"
                                               : ": a shifted window has other weights") +
                                   " (largest mean ½ Σ|Δa|)",
                      .equation = "eq. (11)",
                      .measured = m.largest_offset_change(),
                      .relation = m.relative ? Relation::at_most : Relation::at_least,
                      .bound = m.rounding});
  if (m.ends())
    checks.push_back({.name = m.name + "_ends",
                      .statement = label + ": the last position known is below the training length",
                      .equation = "p_i, 0 ≤ i < L",
                      .measured = static_cast<double>(m.last_position),
                      .bound = static_cast<double>(params.integer("train_length") - 1)});
}

Check entropy_check(const ParamSet& params, const std::vector<LengthStudy>& all) {
  const Positions lengths = lengths_of(params);
  Largest above(-std::numeric_limits<double>::infinity());
  for (const LengthStudy& m : all)
    for (std::size_t i = 0; i < lengths.size() && lengths[i] - 1 <= m.last_position; ++i)
      above.see(m.lengths[i].entropy.mean - std::log2(static_cast<double>(lengths[i])));
  // Each of N weights and logarithms is rounded once or twice.
  const double rounding = 8.0 * static_cast<double>(lengths.back()) * 0x1p-53;
  return {.name = "entropy_is_bounded",
          .statement = "no query has more entropy than equal weights (largest excess, bits)",
          .equation = "H ≤ log₂ N",
          .measured = above.value(),
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
  std::vector<LengthStudy> all;
  for (std::size_t e = 0; e < names.size(); ++e) {
    const double from = share * static_cast<double>(e);
    all.push_back(study_lengths(names[e], params, progress, from, smaller(1.0, from + share)));
    add_scalars(params, all.back(), result);
    add_checks(params, all.back(), result.checks);
  }
  result.checks.push_back(entropy_check(params, all));
  add_length_figures(params, all, result);
  add_length_tables(params, all, result);
  return result;
}

}  // namespace orrery
