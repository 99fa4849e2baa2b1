#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/analysis/diagonals.h"
#include "core/analysis/largest.h"
#include "core/analysis/term_shares.h"
#include "core/encodings/catalogue.h"
#include "core/encodings/common_formulas.h"
#include "core/errors.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/model/experiment.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/check_settings.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/encoding_choice.h"
#include "experiments/setup/encoding_style.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/token_inputs.h"
#include "experiments/setup/trained_head.h"
#include "experiments/setup/user_qkv.h"
#include "experiments/studies/score_decomposition/decompose.h"
#include "experiments/studies/score_decomposition/equation.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {
namespace in_score_decomposition {

constexpr double most_tokens = 1024;  // a run holds some thirty maps of N² cells

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
  return with_encoding_params(joined(
      {{encodings_param({"sinusoidal", "rope"})},
       token_params_without_values(),
       {read_while(
            "encoding", {"rope"},
            count_param("bands",
                        "Number of frequency bands into which the one term of RoPE is split.", 4, 1,
                        64)),
        choices_param(
            "show", "What is drawn; all maps are written as arrays.", {"equation", "shares"},
            {{"equation", "logits = sum of the terms, as maps, each above its profile by distance"},
             {"terms", "each named term, all in one range of colours"},
             {"sum", "the logits, in the same range"},
             {"profiles", "each term's mean by relative distance"},
             {"shares", "how much of the logits' variance each term explains"}}),
        choice_param("colors", "What the colours of a map span.", "common",
                     {{"common",
                       "one range for all maps of an encoding: they add up by eye; the equation "
                       "states a factor for those that are too faint"},
                      {"own",
                       "each map's own: faint terms show their pattern; in the equation each has "
                       "the largest factor that the one range allows"}})},
       content_params("random"),
       precision_params("exact", {.always = score_stages()}),
       {of_random_contents(seed_param())}}));
}

ExperimentInfo make_info() {
  return {
      .name = "score_decomposition",
      .version = 4,
      .title = "Decomposition of the scores",
      .question = "Which part of each score is content, which is position, and do they add up?",
      .formulas =
          {four_terms_formula,
           {R"(\text{with other encodings the named terms of their logits})", "eq. (7)–(10), (35)",
            in_descriptions},
           {R"(\mathrm{share} = \mathrm{cov}(\mathrm{term}, \ell) / \mathrm{var}(\ell); \quad \text{shares add up to 1})",
            "", in_descriptions}},
      .formulas_shown = FormulasShown::scores_of_encodings,
      .params = declared_params(),
      .view = {.layout = ViewLayout::small_multiples,
               .grouping = Grouping::by_encoding,
               .controls = {"encoding", "max_tokens", "head", "base"}},
      .questions =
          {{.words = "What is content in a score, and what is position?",
            .answer =
                "The terms of eq. (6) add up to the logits, and each has a map of its own, of "
                "random vectors and no trained model. A term that has the same value along "
                "every diagonal depends on $m − n$ alone: move $N$ for more tokens.",
            .control = "max_tokens"}},
      .paired_files = paired_qk(),
      .ignored = {{.keys = {"rope.rotary_value"}},
                  {.keys = {"heads"}, .when = heads_are_alike},
                  {.figures = {"profile", "shares"}, .keys = {"colors"}}}};
}

template <class T>
void add_checks(const std::string& name, const Decomposition<T>& d, Result& result) {
  const FindingsOn of(result, name, encoding_label(name));
  of.at_most("terms_add_up", "the terms add up to the logits (largest difference)",
             "eq. (6)–(10), (35)", d.add_up_error, d.rounding);
  of.at_most("parts_are_what_they_say",
             "removing contents from queries, keys or both leaves the terms without them (largest "
             "difference)",
             "eq. (6)–(10)", d.ablation_error, static_cast<double>(term_parts) * d.rounding);
}

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
  Heatmap map = logit_map(frame, values, std::move(quantity));
  map.range = range;
  return {values->name, std::move(title), frame.caption, std::move(map), values->role};
}

/// The title of a term, with its part where the name does not give it.
template <class T>
std::string title_of(const std::string& label, const DecomposedTerm<T>& term) {
  const bool said =
      term.part == TermPart::content_content || term.words.find(" to ") != std::string::npos;
  return said ? fmt::format("{}: {}", label, term.words)
              : fmt::format("{}: {} ({})", label, term.words, words_of(term.part));
}

template <class T>
Maps add_arrays(const std::string& name, const Decomposition<T>& d, Result& result) {
  Maps maps;
  for (const DecomposedTerm<T>& term : d.terms)
    maps.terms.push_back(to_array<T>(term.logits, "term_" + name + "_" + term.name,
                                     fmt::format("{}, {}", term.words, words_of(term.part)),
                                     {"query", "key"},
                                     {.kind = "term", .encodings = {name}, .term = term.name}));
  maps.logits = to_array<T>(d.logits, "logits_" + name, "the sum of the terms", {"query", "key"},
                            {.kind = "logits", .encodings = {name}});
  result.arrays.insert(result.arrays.end(), maps.terms.begin(), maps.terms.end());
  result.arrays.push_back(maps.logits);
  return maps;
}

template <class T>
void add_maps(const Frame& frame, const std::string& name, const Decomposition<T>& d,
              const Maps& maps, Result& result) {
  const std::string label = encoding_label(name);
  const std::optional<Range> range = common_range(frame, d);
  if (frame.shows("terms"))
    for (std::size_t t = 0; t < d.terms.size(); ++t)
      result.figures.push_back(map_figure(frame, maps.terms[t], title_of(label, d.terms[t]),
                                          "part of the logit", range));
  if (frame.shows("sum"))
    result.figures.push_back(map_figure(
        frame, maps.logits, label + ": the logits, the sum of the terms", "logit", range));
}

/// One row per encoding, term and distance.
TableBuilder profile_table() {
  return {"profiles",
          "each term by relative distance $m − n$: mean, deviation and extremes over its diagonal",
          {{"encoding"},
           {"term"},
           {"distance", "tokens"},
           {"mean"},
           {"deviation"},
           {"smallest"},
           {"largest"}}};
}

void add_rows(TableBuilder& table, const std::string& encoding, const std::string& term,
              const DiagonalProfile& profile) {
  for (std::size_t i = 0; i < profile.r.size(); ++i)
    table.row({encoding, term, profile.r[i], profile.mean[i], profile.deviation[i], profile.low[i],
               profile.high[i]});
}

/// By distance: each term, then the logits.
template <class T>
std::vector<DiagonalProfile> profiles_of(const Frame& frame, const Decomposition<T>& d) {
  std::vector<DiagonalProfile> profiles;
  for (const DecomposedTerm<T>& term : d.terms)
    profiles.push_back(
        diagonal_profile<T>(term.logits, frame.positions, frame.positions, frame.mask));
  profiles.push_back(diagonal_profile<T>(d.logits, frame.positions, frame.positions, frame.mask));
  return profiles;
}

template <class T>
void add_profiles(const Frame& frame, const std::string& name, const Decomposition<T>& d,
                  const std::vector<DiagonalProfile>& profiles, TableBuilder& table,
                  Result& result) {
  LinePlot plot{.x = distance_axis(), .y = {.label = "mean along the diagonal"}};
  const auto add = [&](const DiagonalProfile& profile, const std::string& key,
                       const std::string& words) -> Series& {
    add_rows(table, name, key, profile);
    return plot.series.emplace_back(named({.x = as_doubles(profile.r), .y = profile.mean}, words));
  };
  // Hues belong to encodings: the sum has its own, its terms are shades.
  const std::size_t count = d.terms.size(), steps = count > 1 ? count - 1 : 1;
  for (std::size_t t = 0; t < d.terms.size(); ++t)
    add(profiles[t], d.terms[t].name, d.terms[t].words).shade =
        static_cast<double>(t) / static_cast<double>(steps);
  Series& sum = add(profiles.back(), "logits", "sum: the logits");
  sum.color = encoding_color(name);
  sum.style = LineStyle::dashed;
  if (frame.shows("profiles"))
    result.figures.push_back({"profile_" + name,
                              encoding_label(name) + ": each term by relative distance",
                              frame.caption,
                              std::move(plot),
                              {.kind = "profile", .encodings = {name}}});
}

/// One row per encoding and term, as a table and as a figure.
struct Shares {
  TableFigure drawn{.header = {"encoding", "term", "part", "share", "within rows", "largest"}};
  TableBuilder table{
      "terms",
      "share = cov(term, logits)/var(logits) over visible cells; within rows: "
      "less each row's mean, which softmax ignores",
      {{"encoding"}, {"term"}, {"part"}, {"variance"}, {"share"}, {"share_in_rows"}, {"largest"}}};
};

std::string percent(double share) {
  return std::isnan(share) ? "—" : decimal_label(100.0 * share, 1) + " %";
}

template <class T>
void add_rows(Shares& shares, const std::string& name, const DecomposedTerm<T>& term,
              const TermShare& s) {
  const std::string part(words_of(term.part));
  shares.drawn.rows.push_back({encoding_label(name), plain_text(term.words), part, percent(s.share),
                               percent(s.share_in_rows), short_label(s.largest)});
  shares.table.row({name, term.name, part, s.variance, s.share, s.share_in_rows, s.largest});
}

template <class T>
void add_shares(const Frame& frame, const std::string& name, const Decomposition<T>& d,
                Shares& found, Result& result) {
  const std::vector<TermShare> shares = term_shares(d.maps(), frame.mask);
  for (std::size_t t = 0; t < d.terms.size(); ++t) {
    const DecomposedTerm<T>& term = d.terms[t];
    add_rows(found, name, term, shares[t]);
    const FindingsOn of(result, name + "_" + term.name, encoding_label(name));
    const std::string share = "share of " + term.words + " in the variance of the logits";
    of.scalar("share", shares[t].share, share);
    of.scalar("share_in_rows", shares[t].share_in_rows, share + " about the means of their rows");
  }
}

/// Throws UsageError where positions would become infinite: such terms do not add up.
void check_formats(const ParamSet& params, Position last) {
  constexpr Position largest_fp16 = 65504;
  if (last <= largest_fp16) return;
  const StageRounding rounding = rounding_of(params);
  for (const std::string& name : params.list("encoding"))
    for (const Stage stage : find_encoding(name).info.stages) {
      const bool of_position = stage == Stage::position || stage == Stage::angle;
      if (of_position && rounding.format(stage) == Precision::fp16)
        throw UsageError(fmt::format("fp16 with positions up to {}", last),
                         fmt::format("the largest number of fp16 is {}, and {} rounds positions or "
                                     "angles to it",
                                     largest_fp16, name),
                         "lower first_position, or choose another format");
    }
}

template <class T>
void add_terms(const ParamSet& params, const TokenInputs<T>& tokens, const std::string& caption,
               Progress& progress, Result& result) {
  check_formats(params, last_position_of(tokens.positions));
  const Mask mask =
      params.boolean("causal") ? Mask::causal(tokens.positions, tokens.positions) : Mask();
  const auto n = static_cast<Index>(tokens.positions.size());
  const Frame frame{params,  tokens.labels,  tokens.positions, mask, mask_array(mask, n),
                    caption, tokens.d_head()};
  TableBuilder profiles = profile_table();
  Shares shares;
  const std::vector<std::string>& names = params.list("encoding");
  for (std::size_t e = 0; e < names.size(); ++e) {
    SubProgress part = equal_part(progress, e, names.size());
    const auto at = [&](double done, const std::string& what) {
      checkpoint(part, done, what + " of " + names[e]);
    };
    at(0.0, "terms");
    const Decomposition<T> d = decompose<T>(names[e], params, tokens);
    add_checks(names[e], d, result);
    at(0.6, "profiles");
    const std::vector<DiagonalProfile> by_distance = profiles_of(frame, d);
    at(0.7, "maps");
    const Maps maps = add_arrays(names[e], d, result);
    add_equation({frame, names[e], maps, by_distance}, d, result);
    add_maps(frame, names[e], d, maps, result);
    add_profiles(frame, names[e], d, by_distance, profiles, result);
    at(0.85, "shares");
    add_shares(frame, names[e], d, shares, result);
  }
  if (frame.shows("shares"))
    result.figures.push_back({"shares", "How much of the logits' variance each term explains",
                              frame.caption, std::move(shares.drawn)});
  result.tables.push_back(std::move(shares.table).finish());
  result.tables.push_back(std::move(profiles).finish());
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  return study_tokens(params, inputs,
                      [&](const auto& tokens, const std::string& caption, Result& result) {
                        add_terms(params, tokens, caption, progress, result);
                      });
}

}  // namespace in_score_decomposition
}  // namespace

Experiment score_decomposition_experiment() {
  using namespace in_score_decomposition;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery
