#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "core/analysis/diagonals.h"
#include "core/analysis/largest.h"
#include "core/analysis/term_shares.h"
#include "core/encodings/common_formulas.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/map_equation.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/trained_head.h"
#include "experiments/studies/score_decomposition/decompose.h"
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

/// Settings that all figures of a run share.
struct Frame {
  const ParamSet& params;
  std::vector<std::string> labels;
  const Positions& positions;
  const Mask& mask;
  ArrayPtr masked;
  std::string caption;
  Index d_head;

  bool shows(const char* what) const { return names(params, "show", what); }
  bool has_own_colors() const { return params.text("colors") == "own"; }
};

/// The scores of an encoding: in parts, as arrays and by distance, each first the terms and then
/// the logits.
template <class T>
struct Scores {
  const Frame& frame;
  const std::string& name;
  Decomposition<T> d;
  std::vector<ArrayPtr> maps{};
  std::vector<DiagonalProfile> profiles{};

  std::string label() const { return encoding_label(name); }
};

template <class T>
void add_checks(const Scores<T>& scores, Result& result) {
  const Decomposition<T>& d = scores.d;
  const FindingsOn of(result, scores.name, scores.label());
  of.at_most("terms_add_up", "the terms add up to the logits (largest difference)",
             "eq. (6)–(10), (35)", d.add_up_error, d.rounding);
  of.at_most("parts_are_what_they_say",
             "removing contents from queries, keys or both leaves the terms without them (largest "
             "difference)",
             "eq. (6)–(10)", d.ablation_error, static_cast<double>(term_parts) * d.rounding);
}

template <class T>
void add_profiles_to(Scores<T>& scores) {
  const Frame& frame = scores.frame;
  const auto add = [&](const Matrix<T>& logits) {
    scores.profiles.push_back(
        diagonal_profile<T>(logits, frame.positions, frame.positions, frame.mask));
  };
  for (const DecomposedTerm<T>& term : scores.d.terms) add(term.logits);
  add(scores.d.logits);
}

template <class T>
void add_maps_to(Scores<T>& scores, Result& result) {
  const std::string& name = scores.name;
  const auto add = [&](const Matrix<T>& logits, const std::string& array,
                       const std::string& description, const FigureRole& role) {
    scores.maps.push_back(to_array<T>(logits, array, description, {"query", "key"}, role));
  };
  for (const DecomposedTerm<T>& term : scores.d.terms)
    add(term.logits, "term_" + name + "_" + term.name,
        fmt::format("{}, {}", term.words, words_of(term.part)),
        {.kind = "term", .encodings = {name}, .term = term.name});
  add(scores.d.logits, "logits_" + name, "the sum of the terms",
      {.kind = "logits", .encodings = {name}});
  result.arrays.insert(result.arrays.end(), scores.maps.begin(), scores.maps.end());
}

/// The map of one part of the logits, or of all.
Heatmap logit_map(const Frame& frame, const ArrayPtr& values, std::string quantity) {
  return {.values = values,
          .masked = frame.masked,
          .x = key_axis(),
          .y = query_axis(),
          .quantity = std::move(quantity),
          .meaning = Meaning::diverging,
          .column_labels = frame.labels,
          .row_labels = frame.labels};
}

/// The parts of an equation of logits, all of one quantity: the logits, and behind them the terms.
template <class T>
std::vector<EquationPart> parts_of(const Scores<T>& scores) {
  const Frame& frame = scores.frame;
  const Precision arithmetic = sizeof(T) == 8 ? Precision::fp64 : Precision::fp32;
  std::vector<EquationPart> parts;
  const auto add = [&](const char* relation, const std::string& symbol, const std::string& name,
                       std::size_t t) {
    MapProfile profile = profile_of(scores.profiles[t]);
    const double rounding = smaller(
        2.0 * scores.d.rounding,
        spread_rounding(frame.d_head, profile.largest(), arithmetic, rounding_of(frame.params)));
    parts.push_back({.relation = relation,
                     .symbol = symbol,
                     .name = name,
                     .map = logit_map(frame, scores.maps[t], "logit"),
                     .profile = std::move(profile),
                     .rounding = rounding});
  };
  const std::vector<DecomposedTerm<T>>& terms = scores.d.terms;
  add("", R"(\ell_{m,n})", "logit", terms.size());
  for (std::size_t t = 0; t < terms.size(); ++t)
    add(t == 0 ? "=" : "+",
        terms[t].symbol.empty() ? term_symbol(scores.name, terms[t].name) : terms[t].symbol,
        terms[t].words, t);
  return parts;
}

/// The profiles as arrays and, where it is shown, the figure "logits = sum of the terms". Terms
/// without content of an encoding that claims to be relative are checked to be.
template <class T>
void add_equation(const Scores<T>& scores, Result& result) {
  const Frame& frame = scores.frame;
  std::vector<EquationPart> parts = parts_of(scores);
  for (const EquationPart& part : parts)
    result.arrays.push_back(profile_array(part.profile, part.map.values->name + "_diagonals",
                                          part.map.values->description));
  for (std::size_t t = 0; t < scores.d.terms.size(); ++t) {
    const DecomposedTerm<T>& term = scores.d.terms[t];
    // With one token no distance has two values.
    if (!scores.d.relative || frame.positions.size() < 2 ||
        term.part != TermPart::position_position)
      continue;
    FindingsOn(result, scores.name, scores.label())
        .at_most(term.name + "_is_relative",
                 term.words + " depends on $m − n$ only (largest difference at a distance)",
                 "eq. (7)–(10)", parts[t + 1].profile.spread(), parts[t + 1].rounding);
  }
  if (frame.shows("equation"))
    result.figures.push_back(equation_figure(
        "equation", scores.name, scores.label() + ": the logit is the sum of its terms",
        frame.caption + " · symbols without the scale of the logits",
        map_equation(std::move(parts), encoding_color(scores.name),
                     frame.has_own_colors() ? Factors::of_all : Factors::of_faint)));
}

/// One range for all maps of an encoding, so that they can be compared and added by eye; or none.
template <class T>
std::optional<Range> common_range(const Scores<T>& scores) {
  if (scores.frame.has_own_colors()) return std::nullopt;
  std::vector<Matrix<T>> maps = scores.d.maps();
  maps.push_back(scores.d.logits);
  Largest most;
  for (const TermShare& share : term_shares(maps, scores.frame.mask)) most.see(share.largest);
  if (!std::isfinite(most.value())) return std::nullopt;
  return Range{-most.value(), most.value()};
}

template <class T>
void add_maps(const Scores<T>& scores, Result& result) {
  const Frame& frame = scores.frame;
  const std::optional<Range> range = common_range(scores);
  const auto add = [&](const ArrayPtr& values, std::string title, const char* quantity) {
    Heatmap map = logit_map(frame, values, quantity);
    map.range = range;
    result.figures.push_back(
        {values->name, std::move(title), frame.caption, std::move(map), values->role});
  };
  for (std::size_t t = 0; frame.shows("terms") && t < scores.d.terms.size(); ++t) {
    const DecomposedTerm<T>& term = scores.d.terms[t];
    std::string title = scores.label() + ": " + term.words;
    if (term.part != TermPart::content_content && term.words.find(" to ") == std::string::npos)
      title += fmt::format(" ({})", words_of(term.part));
    add(scores.maps[t], std::move(title), "part of the logit");
  }
  if (frame.shows("sum"))
    add(scores.maps.back(), scores.label() + ": the logits, the sum of the terms", "logit");
}

template <class T>
void add_profiles(const Scores<T>& scores, TableBuilder& table, Result& result) {
  LinePlot plot{.x = distance_axis(), .y = {.label = "mean along the diagonal"}};
  const auto add = [&](const DiagonalProfile& profile, const std::string& key,
                       const std::string& words) -> Series& {
    for (std::size_t i = 0; i < profile.r.size(); ++i)
      table.row({scores.name, key, profile.r[i], profile.mean[i], profile.deviation[i],
                 profile.low[i], profile.high[i]});
    return plot.series.emplace_back(named({.x = as_doubles(profile.r), .y = profile.mean}, words));
  };
  // Hues belong to encodings: the sum has its own, its terms are shades.
  const std::vector<DecomposedTerm<T>>& terms = scores.d.terms;
  const std::size_t steps = terms.size() > 1 ? terms.size() - 1 : 1;
  for (std::size_t t = 0; t < terms.size(); ++t)
    add(scores.profiles[t], terms[t].name, terms[t].words).shade =
        static_cast<double>(t) / static_cast<double>(steps);
  Series& sum = add(scores.profiles.back(), "logits", "sum: the logits");
  sum.color = encoding_color(scores.name);
  sum.style = LineStyle::dashed;
  if (scores.frame.shows("profiles"))
    result.figures.push_back({"profile_" + scores.name,
                              scores.label() + ": each term by relative distance",
                              scores.frame.caption,
                              std::move(plot),
                              {.kind = "profile", .encodings = {scores.name}}});
}

/// One row per encoding and term, as a table and as a figure.
struct Shares {
  TableFigure drawn{.header = {"encoding", "term", "part", "share", "within rows", "largest"}};
  TableBuilder table{"terms",
                     "share = cov(term, logits)/var(logits) over visible cells; within rows: "
                     "less each row's mean, which softmax ignores",
                     {"encoding", "term", "part", "variance", "share", "share_in_rows", "largest"}};
};

std::string percent(double share) {
  return std::isnan(share) ? "—" : decimal_label(100.0 * share, 1) + " %";
}

template <class T>
void add_shares(const Scores<T>& scores, Shares& found, Result& result) {
  const std::vector<TermShare> shares = term_shares(scores.d.maps(), scores.frame.mask);
  for (std::size_t t = 0; t < shares.size(); ++t) {
    const DecomposedTerm<T>& term = scores.d.terms[t];
    const TermShare& s = shares[t];
    const std::string part(words_of(term.part));
    found.drawn.rows.push_back({scores.label(), plain_text(term.words), part, percent(s.share),
                                percent(s.share_in_rows), short_label(s.largest)});
    found.table.row(
        {scores.name, term.name, part, s.variance, s.share, s.share_in_rows, s.largest});
    const FindingsOn of(result, scores.name + "_" + term.name, scores.label());
    const std::string share = "share of " + term.words + " in the variance of the logits";
    of.scalar("share", s.share, share);
    of.scalar("share_in_rows", s.share_in_rows, share + " about the means of their rows");
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
  TableBuilder profiles(
      "profiles",
      "each term by relative distance $m − n$: mean, deviation and extremes over its diagonal",
      {"encoding", "term", "distance [tokens]", "mean", "deviation", "smallest", "largest"});
  Shares shares;
  const std::vector<std::string>& names = params.list("encoding");
  for (std::size_t e = 0; e < names.size(); ++e) {
    SubProgress part = equal_part(progress, e, names.size());
    const auto at = [&](double done, const std::string& what) {
      checkpoint(part, done, what + " of " + names[e]);
    };
    at(0.0, "terms");
    Scores<T> scores{frame, names[e], decompose<T>(names[e], params, tokens)};
    add_checks(scores, result);
    at(0.6, "profiles");
    add_profiles_to(scores);
    at(0.7, "maps");
    add_maps_to(scores, result);
    add_equation(scores, result);
    add_maps(scores, result);
    add_profiles(scores, profiles, result);
    at(0.85, "shares");
    add_shares(scores, shares, result);
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
