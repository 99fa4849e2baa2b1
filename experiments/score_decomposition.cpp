#include "experiments/score_decomposition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/analysis/diagonals.h"
#include "core/analysis/largest.h"
#include "core/analysis/term_shares.h"
#include "experiments/figure/number_label.h"
#include "experiments/given_qkv.h"
#include "experiments/matrix_array.h"
#include "experiments/scene.h"
#include "experiments/score_terms.h"
#include "experiments/shared_params.h"

namespace orrery {
namespace {

constexpr double most_tokens = 1024;  // a run holds some thirty maps of N² cells

ParamSpec bands_param() {
  return {.key = "bands",
          .description = "RoPE has one term, split into so many bands of frequencies.",
          .kind = ParamKind::integer,
          .default_value = std::int64_t{4},
          .min = 1,
          .max = 64,
          .used_when = Condition{"encoding", {"rope"}}};
}

ParamSpec show_param() {
  return {.key = "show",
          .description = "What is drawn; all maps are written as arrays.",
          .kind = ParamKind::choice_list,
          .default_value = std::vector<std::string>{"terms", "sum", "profiles", "shares"},
          .choices = {{"terms", "each named term, all in one range of colours"},
                      {"sum", "the logits, in the same range"},
                      {"profiles", "each term's mean by relative distance"},
                      {"shares", "how much of the logits' variance each term explains"}}};
}

ParamSpec colors_param() {
  return {.key = "colors",
          .description = "What the colours of a map span.",
          .kind = ParamKind::choice,
          .default_value = std::string("common"),
          .choices = {{"common", "one range for all maps of an encoding: they add up by eye"},
                      {"own", "each map's own: faint terms show their pattern"}}};
}

/// The tokens and settings of attention_map, of which values play no part here.
std::vector<ParamSpec> token_params_without_values() {
  std::vector<ParamSpec> specs = token_params();
  std::erase_if(specs, [](const ParamSpec& spec) { return spec.key == "v"; });
  for (ParamSpec& spec : specs) {
    if (spec.key == "causal") spec.default_value = false;  // a term is seen whole
    if (spec.key == "max_tokens") spec.max = most_tokens;
  }
  return specs;
}

std::vector<ParamSpec> declared_params() {
  std::vector<ParamSpec> specs{encodings_param({"sinusoidal", "rope"})};
  for (ParamSpec& spec : token_params_without_values()) specs.push_back(std::move(spec));
  specs.push_back(bands_param());
  specs.push_back(show_param());
  specs.push_back(colors_param());
  for (ParamSpec& spec : content_params()) specs.push_back(std::move(spec));
  for (ParamSpec& spec : precision_params("exact", {.always = score_stages()}))
    specs.push_back(std::move(spec));
  specs.push_back(unless_q_is_given(seed_param()));
  return with_encoding_params(std::move(specs));
}

ExperimentInfo make_info() {
  return {
      .name = "score_decomposition",
      .version = 2,
      .title = "Decomposition of the scores",
      .question = "Which part of each score is content, which is position, and do they add up?",
      .equations = {"(x_m + p_m)ᵀW_qᵀW_k(x_n + p_n): content–content, content–position, "
                    "position–content, position–position  (6)",
                    "the same for the terms of Transformer-XL (7), T5 (8), TUPE (9), DeBERTa (10)",
                    "RoPE: Re Σ_t h_t e^{i(m−n)θ_t} over bands of pairs  (35)",
                    "share = cov(term, logits)/var(logits): shares add up to 1"},
      .params = declared_params()};
}

template <class T>
std::vector<Check> checks_of(const std::string& name, const Decomposition<T>& d) {
  const std::string label = encoding_label(name);
  return {{.name = name + "_terms_add_up",
           .statement = label + ": the terms add up to the logits (largest difference)",
           .equation = "eq. (6)–(10), (35)",
           .measured = d.add_up_error,
           .bound = d.rounding},
          {.name = name + "_parts_are_what_they_say",
           .statement = label + ": taking contents out of queries, keys or both leaves the terms "
                                "without them (largest difference)",
           .equation = "eq. (6)–(10)",
           .measured = d.ablation_error,
           .bound = static_cast<double>(term_parts) * d.rounding}};
}

/// What the figures of one run share.
struct Frame {
  const ParamSet& params;
  std::vector<std::string> labels;
  const Positions& positions;
  const Mask& mask;
  ArrayPtr masked;
  std::string caption;

  bool shows(const std::string& what) const {
    const auto& chosen = params.list("show");
    return std::find(chosen.begin(), chosen.end(), what) != chosen.end();
  }
};

/// One range for all maps of an encoding, so that they can be compared and added by eye; or none.
template <class T>
std::optional<Range> common_range(const Frame& frame, const Decomposition<T>& d) {
  if (frame.params.text("colors") == "own") return std::nullopt;
  std::vector<Matrix<T>> maps = d.maps();
  maps.push_back(d.logits);
  Largest most;
  for (const TermShare& share : term_shares(maps, frame.mask)) most.see(share.largest);
  if (!std::isfinite(most.value())) return std::nullopt;
  return Range{-most.value(), most.value()};
}

Figure map_figure(const Frame& frame, const ArrayPtr& values, std::string title,
                  std::string quantity, const std::optional<Range>& range) {
  Heatmap map{.values = values,
              .masked = frame.masked,
              .x = {.label = "key", .symbol = "n"},
              .y = {.label = "query", .symbol = "m"},
              .quantity = std::move(quantity),
              .meaning = Meaning::diverging,
              .range = range,
              .column_labels = frame.labels,
              .row_labels = frame.labels};
  return {values->name, std::move(title), frame.caption, std::move(map)};
}

/// What the name does not say by itself.
template <class T>
std::string title_of(const std::string& label, const Term<T>& term) {
  const bool said =
      term.part == TermPart::content_content || term.words.find(" to ") != std::string::npos;
  return said ? fmt::format("{}: {}", label, term.words)
              : fmt::format("{}: {} ({})", label, term.words, words_of(term.part));
}

template <class T>
void add_maps(const Frame& frame, const std::string& name, const Decomposition<T>& d,
              Result& result) {
  const std::string label = encoding_label(name);
  const std::optional<Range> range = common_range(frame, d);
  for (const Term<T>& term : d.terms) {
    result.arrays.push_back(array_of<T>(term.logits, "term_" + name + "_" + term.name,
                                        fmt::format("{}, {}", term.words, words_of(term.part)),
                                        {"query", "key"}));
    if (frame.shows("terms"))
      result.figures.push_back(map_figure(frame, result.arrays.back(), title_of(label, term),
                                          "part of the logit", range));
  }
  result.arrays.push_back(
      array_of<T>(d.logits, "logits_" + name, "the sum of the terms", {"query", "key"}));
  if (frame.shows("sum"))
    result.figures.push_back(map_figure(
        frame, result.arrays.back(), label + ": the logits, the sum of the terms", "logit", range));
}

/// One line an encoding, term and distance.
struct ProfileTable {
  std::vector<std::string> encoding, term;
  std::vector<double> distance, mean, deviation;

  void add(const std::string& name, const std::string& which, const DiagonalProfile& profile) {
    for (std::size_t i = 0; i < profile.r.size(); ++i) {
      encoding.push_back(name);
      term.push_back(which);
      distance.push_back(static_cast<double>(profile.r[i]));
      mean.push_back(profile.mean[i]);
      deviation.push_back(profile.deviation[i]);
    }
  }
  Table finish() && {
    return {.name = "profiles",
            .caption = "each term by relative distance m − n: mean and deviation over its diagonal",
            .columns = {{"encoding", "", std::move(encoding)},
                        {"term", "", std::move(term)},
                        {"distance", "tokens", std::move(distance)},
                        {"mean", "", std::move(mean)},
                        {"deviation", "", std::move(deviation)}}};
  }
};

Series profile_series(const DiagonalProfile& profile, std::string name, int color) {
  return {.name = std::move(name),
          .x = {profile.r.begin(), profile.r.end()},
          .y = profile.mean,
          .color = color};
}

template <class T>
void add_profiles(const Frame& frame, const std::string& name, const Decomposition<T>& d,
                  ProfileTable& table, Result& result) {
  LinePlot plot{.x = {.label = "relative distance", .symbol = "m − n", .unit = "tokens"},
                .y = {.label = "mean along the diagonal"}};
  int color = 0;
  const auto add = [&](const Matrix<T>& map, const std::string& key, const std::string& words,
                       LineStyle style) {
    const DiagonalProfile profile =
        diagonal_profile(map, frame.positions, frame.positions, frame.mask);
    table.add(name, key, profile);
    plot.series.push_back(profile_series(profile, words, color++));
    plot.series.back().style = style;
  };
  for (const Term<T>& term : d.terms) add(term.logits, term.name, term.words, LineStyle::solid);
  add(d.logits, "logits", "sum: the logits", LineStyle::dashed);
  if (frame.shows("profiles"))
    result.figures.push_back({"profile_" + name,
                              encoding_label(name) + ": each term by relative distance",
                              frame.caption, std::move(plot)});
}

/// One line an encoding and term, as a table and as a figure.
struct ShareTable {
  TableFigure drawn{.header = {"encoding", "term", "part", "share", "within rows", "largest"}};
  std::vector<std::string> encoding, term, part;
  std::vector<double> variance, share, share_in_rows, largest;

  template <class T>
  void add(const std::string& name, const Term<T>& which, const TermShare& s) {
    drawn.rows.push_back({encoding_label(name), which.words, std::string(words_of(which.part)),
                          percent(s.share), percent(s.share_in_rows), short_label(s.largest)});
    encoding.push_back(name);
    term.push_back(which.name);
    part.emplace_back(words_of(which.part));
    variance.push_back(s.variance);
    share.push_back(s.share);
    share_in_rows.push_back(s.share_in_rows);
    largest.push_back(s.largest);
  }
  static std::string percent(double share) {
    return std::isnan(share) ? "—" : decimal_label(100.0 * share, 1) + " %";
  }
  Table finish() && {
    return {.name = "terms",
            .caption =
                "share = cov(term, logits)/var(logits) over visible cells; within rows: "
                "less each row's mean, which softmax ignores",
            .columns = {{"encoding", "", std::move(encoding)},
                        {"term", "", std::move(term)},
                        {"part", "", std::move(part)},
                        {"variance", "", std::move(variance)},
                        {"share", "", std::move(share)},
                        {"share_in_rows", "", std::move(share_in_rows)},
                        {"largest", "", std::move(largest)}}};
  }
};

template <class T>
void add_shares(const Frame& frame, const std::string& name, const Decomposition<T>& d,
                ShareTable& table, Result& result) {
  const std::vector<TermShare> shares = term_shares(d.maps(), frame.mask);
  for (std::size_t t = 0; t < d.terms.size(); ++t) {
    const Term<T>& term = d.terms[t];
    table.add(name, term, shares[t]);
    const std::string key = name + "_" + term.name;
    result.scalars.push_back({.name = key + "_share",
                              .value = shares[t].share,
                              .description = encoding_label(name) + ": share of " + term.words +
                                             " in the variance of the logits"});
    result.scalars.push_back({.name = key + "_share_in_rows",
                              .value = shares[t].share_in_rows,
                              .description = "the same less each row's mean"});
  }
}

template <class T>
Result run_in(const ExperimentInfo& info, const ParamSet& params, const Inputs& inputs,
              Progress& progress) {
  const Scene<T> scene = make_scene<T>(params, inputs);
  const Mask mask =
      params.boolean("causal") ? Mask::causal(scene.positions, scene.positions) : Mask();
  const auto n = static_cast<Index>(scene.positions.size());
  const Frame frame{params, scene.labels,        scene.positions,
                    mask,   mask_array(mask, n), caption_of(params)};
  Result result{.provenance = provenance_of(info, params)};
  ProfileTable profiles;
  ShareTable shares;
  const std::vector<std::string>& names = params.list("encoding");
  for (std::size_t e = 0; e < names.size(); ++e) {
    const auto at = [&](double part, const std::string& what) {
      checkpoint(progress, (static_cast<double>(e) + part) / static_cast<double>(names.size()),
                 what + " of " + names[e]);
    };
    at(0.0, "terms");
    const Decomposition<T> d = decompose<T>(names[e], params, scene);
    for (Check& check : checks_of(names[e], d)) result.checks.push_back(std::move(check));
    at(0.6, "maps");
    add_maps(frame, names[e], d, result);
    at(0.7, "profiles");
    add_profiles(frame, names[e], d, profiles, result);
    at(0.85, "shares");
    add_shares(frame, names[e], d, shares, result);
  }
  if (frame.shows("shares"))
    result.figures.push_back({"shares", "How much of the logits' variance each term explains",
                              caption_of(params), std::move(shares.drawn)});
  result.tables.push_back(std::move(shares).finish());
  result.tables.push_back(std::move(profiles).finish());
  return result;
}

}  // namespace

const ExperimentInfo& ScoreDecomposition::info() const {
  static const ExperimentInfo info = make_info();
  return info;
}

Result ScoreDecomposition::run(const ParamSet& params, const Inputs& inputs,
                               Progress& progress) const {
  return runs_in_fp64(params) ? run_in<double>(info(), params, inputs, progress)
                              : run_in<float>(info(), params, inputs, progress);
}

}  // namespace orrery
