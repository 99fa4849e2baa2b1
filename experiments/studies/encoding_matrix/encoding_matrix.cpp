#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/analysis/invariance.h"
#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/studies/encoding_matrix/maps.h"

namespace orrery {
namespace {
namespace in_encoding_matrix {

constexpr double two_pi = 2.0 * std::numbers::pi;

std::vector<std::string> candidates() {
  return encodings_with({Door::input_term, Door::qk_transform, Door::score_terms});
}

std::vector<ParamSpec> declared_params() {
  return with_params_of(
      candidates(),
      {encodings_param_among(candidates(),
                             {"sinusoidal", "rope", "alibi", "shaw", "t5", "deberta"}),
       dim_param(64),
       log_count_param({"positions", "$N$", "tokens"},
                       "Positions shown; distances run from $−(N − 1)$ to $N − 1$.", 128, 2, 2048),
       count_param({"first_position", "$m₀$", "tokens"}, "The first position shown.", 0, 0, 1e12),
       heads_param(),
       count_param({"head", "$h$"}, "Which head's maps are shown, counted from 0.", 0, 0, 255),
       choices_param("show", "What is drawn; all maps are written as arrays.",
                     {"maps", "profiles", "staircases"},
                     {{"maps", "what is added, the angle of the rotation, the bias, relative keys"},
                      {"cos_sin", "cosines and sines of the angles, each as a map"},
                      {"profiles", "the bias by distance, head by head"},
                      {"staircases", "row of the table by distance"},
                      {"index_maps", "row of the table for each query and key"}}),
       seed_param()});
}

/// Whether no matrix of channels is drawn, in which pairs have places.
bool shows_angles_only(const ParamSet& params) { return !names(params, "encoding", "axis_rope"); }

ExperimentInfo make_info() {
  return {.name = "encoding_matrix",
          .title = "Encoding matrix",
          .question = "What does each encoding contribute, without any content?",
          .formulas = {{R"(\mathbf{p}_m: \text{ what is added to the input})", "eq. (4)",
                        in_descriptions},
                       {R"(\mathbf{R}_m: \text{ pair } t \text{ turns by } m\theta_t)", "eq. (15)",
                        in_descriptions},
                       {R"(b_{m,n}: \text{ the score without content})", "eq. (8), (9)",
                        in_descriptions},
                       {R"(\text{row of the table by clip or bucket of } m - n)",
                        "eq. (5), (8), (10)", in_descriptions}},
          .formulas_shown = FormulasShown::of_encodings,
          .params = declared_params(),
          .view = {.layout = ViewLayout::small_multiples,
                   .grouping = Grouping::by_encoding,
                   .controls = {"encoding", "dim", "positions", "base"}},
          .ignored = {{.keys = {"rope.rotary_value", "shaw.variant", "deberta.p2c"}},
                      {.keys = {"rope.pairing"}, .when = shows_angles_only},
                      {.figures = {"added"}, .keys = {"heads", "head"}},
                      {.figures = {"angle", "cosine", "sine"},
                       .encoding = "rope",
                       .keys = {"heads", "head", "seed"}},
                      {.figures = {"bias"}, .encoding = "alibi", .keys = {"base", "dim", "seed"}},
                      {.figures = {"bias_by_distance"}, .keys = {"first_position"}},
                      {.figures = {"rows"}, .keys = {"base", "dim", "heads", "head", "seed"}},
                      {.figures = {"staircase", "staircases"},
                       .keys = {"base", "dim", "first_position", "heads", "head", "seed"}}}};
}

using Map = Matrix<double>;

// Vectors added to the input.

void study_input_term(const MatrixStudy& study, const std::string& name, const Encoding& encoding) {
  const auto& term = dynamic_cast<const InputTerm<double>&>(encoding);
  Map p = Map::Zero(static_cast<Index>(study.positions.size()), study.d());
  term.add_to_input(study.positions, p);
  const std::string label = encoding_label(name);
  add_map(study, name, p,
          {"added", "Added to the input: " + label, "added", "$p_{m,c}$", Meaning::diverging},
          over(position_axis(), study.positions), channel_axis(), study.shows("maps"));
  const std::size_t pairs = encoding.turning_pairs().theta.size();
  if (pairs == 0) return;
  const double expected = std::sqrt(static_cast<double>(pairs));
  Largest error;
  for (const double norm : row_norms(p)) error.see(std::abs(norm / expected - 1.0));
  FindingsOn(study.result, name, label)
      .at_most("rows_have_one_length",
               "every position's vector has length $\\sqrt{d/2}$ (relative error)",
               "eq. (4): $\\sin² + \\cos² = 1$", error.value(),
               (8.0 + static_cast<double>(study.d())) * 0x1p-53);
}

// Rotations of q and k.

struct Turns {
  Map cos;
  Map sin;
  Map angle;  ///< in [0, 2π)
};

/// Read off what becomes of a vector with 1 in the first channel of each pair and 0 in the second.
Turns turns_of(const MatrixStudy& study, const TurningPairs& pairs,
               const QkTransform<double>& rotation) {
  const auto count = static_cast<Index>(pairs.channels.size());
  const auto channels = [&](Index t) { return pairs.channels[static_cast<std::size_t>(t)]; };
  Map x = Map::Zero(static_cast<Index>(study.positions.size()), study.d());
  for (Index t = 0; t < count; ++t) x.col(channels(t).first).setOnes();
  rotation.transform_queries(study.positions, x);
  x /= pairs.gain;
  Turns turns{Map(x.rows(), count), Map(x.rows(), count), Map(x.rows(), count)};
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index t = 0; t < count; ++t) {
      turns.cos(i, t) = x(i, channels(t).first);
      turns.sin(i, t) = x(i, channels(t).second);
      const double angle = std::atan2(turns.sin(i, t), turns.cos(i, t));
      turns.angle(i, t) = angle < 0 ? angle + two_pi : angle;
    }
  }
  return turns;
}

/// From one position to the next, pair t rotates by θ_t: the largest departure, in radians.
double step_error(const Turns& turns, const std::vector<double>& theta) {
  Largest largest;
  for (Index i = 1; i < turns.angle.rows(); ++i) {
    for (Index t = 0; t < turns.angle.cols(); ++t) {
      const double step = turns.angle(i, t) - turns.angle(i - 1, t);
      const double off = step - theta[static_cast<std::size_t>(t)];
      largest.see(std::abs(std::remainder(off, two_pi)));
    }
  }
  return largest.value();
}

void study_rotation(const MatrixStudy& study, const std::string& name, const TurningPairs& pairs,
                    const QkTransform<double>& rotation) {
  const Turns turns = turns_of(study, pairs, rotation);
  const std::string label = encoding_label(name);
  const auto add = [&](const Map& map, const std::string& what, const std::string& title,
                       const std::string& symbol, Meaning meaning, bool shown) {
    add_map(study, name, map, {what, title + ": " + label, what, symbol, meaning},
            over(position_axis(), study.positions),
            {.label = "pair, fastest first", .symbol = "$t$"}, shown);
  };
  add(turns.angle, "angle", "Angle by which each pair is rotated", "$m θ_t$ mod $2π$",
      Meaning::cyclic, study.shows("maps"));
  add(turns.cos, "cosine", "Cosine of the angle", "$\\cos m θ_t$", Meaning::diverging,
      study.shows("cos_sin"));
  add(turns.sin, "sine", "Sine of the angle", "$\\sin m θ_t$", Meaning::diverging,
      study.shows("cos_sin"));
  FindingsOn(study.result, name, label)
      .at_most("turns_evenly", "from one position to the next, pair $t$ rotates by $θ_t$ (radians)",
               "eq. (15)", step_error(turns, pairs.theta), 32.0 * 0x1p-53);
}

/// A transform that is no rotation of pairs: what becomes of a vector of ones.
void study_transform(const MatrixStudy& study, const std::string& name,
                     const QkTransform<double>& transform) {
  Map q = Map::Ones(static_cast<Index>(study.positions.size()), study.d());
  Map k = q;
  transform.transform_queries(study.positions, q);
  transform.transform_keys(study.positions, k);
  const auto add = [&](const Map& map, const std::string& side) {
    add_map(study, name, map,
            {side, fmt::format("What becomes of a {} of ones: {}", side, encoding_label(name)),
             side, "$f(1, m)$", Meaning::diverging},
            over(position_axis(), study.positions), channel_axis(), study.shows("maps"));
  };
  add(q, "query");
  add(k, "key");
}

// Terms added to the scores.

Map sum_of_terms(const ScoreTerms<double>& terms, const Map& q, const Map& k, const Positions& m,
                 const Positions& n, int head) {
  Map sum = Map::Zero(q.rows(), k.rows());
  for (const ScoreTerm<double>& term : terms.score_terms({q, k, m, n, head})) sum += term.logits;
  return sum;
}

Map no_content(const Positions& positions, Index d) {
  return Map::Zero(static_cast<Index>(positions.size()), d);
}

bool all_zero(const Map& map) { return (map.array() == 0.0).all(); }

/// The bias by distance, one curve per head.
Figure profile_figure(const MatrixStudy& study, const std::string& name,
                      const ScoreTerms<double>& terms) {
  LinePlot plot{.x = distance_axis(), .y = {.label = "score without content", .symbol = "$b$"}};
  const Positions query = swept_query(study), keys = swept_keys(study);
  const std::vector<double> x = as_doubles(distances_of(study));
  for (int h = 0; h < study.heads(); ++h) {
    const Map bias = sum_of_terms(terms, no_content(query, study.d()), no_content(keys, study.d()),
                                  query, keys, h);
    plot.series.push_back({.name = fmt::format("head {}", h),
                           .x = x,
                           .y = {bias.data(), bias.data() + bias.size()},
                           .shade = study.heads() > 1 ? h / (study.heads() - 1.0) : 0.5});
  }
  return {"bias_by_distance_" + name,
          fmt::format("Bias by distance, head by head: {}", encoding_label(name)),
          study.caption,
          std::move(plot),
          {.kind = "bias_by_distance", .encodings = {name}}};
}

/// How much other tokens change the score of a pair when all tokens have the same content.
void study_equal_contents(const MatrixStudy& study, const std::string& name,
                          const ScoreTerms<double>& terms) {
  const Map ones = Map::Ones(static_cast<Index>(study.positions.size()), study.d());
  const auto found =
      terms.score_terms({ones, ones, study.positions, study.positions, study.head()});
  Map change = Map::Zero(ones.rows(), ones.rows());
  for (std::size_t t = 1; t < found.size(); ++t) change += found[t].logits;
  add_map(study, name, change,
          {"equal_contents",
           fmt::format("What the tokens between change of the score, all contents being ones: {}, "
                       "{}",
                       encoding_label(name), study.head_text()),
           "change of the score", "", Meaning::diverging},
          over(query_axis(), study.positions), over(key_axis(), study.positions),
          study.shows("maps"));
}

void study_bias(const MatrixStudy& study, const std::string& name, const Encoding& encoding,
                const ScoreTerms<double>& terms) {
  const Map none = no_content(study.positions, study.d());
  const Map bias = sum_of_terms(terms, none, none, study.positions, study.positions, study.head());
  if (all_zero(bias)) {  // nothing is added but to contents
    if (encoding.traits().reads_other_keys) study_equal_contents(study, name, terms);
    return;
  }
  add_map(study, name, bias,
          {"bias",
           fmt::format("Score of two tokens without content: {}, {}", encoding_label(name),
                       study.head_text()),
           "bias", "$b_{mn}$", Meaning::diverging},
          over(query_axis(), study.positions), over(key_axis(), study.positions),
          study.shows("maps"));
  if (!encoding.traits().relative) return;
  check_relative(study, name, bias, "bias", find_encoding(name).info.source);
  if (study.shows("profiles")) study.result.figures.push_back(profile_figure(study, name, terms));
}

/// The vector that a distance adds to the key, scale included, read off by asking with each unit
/// vector: what a query meets at each distance though the key is empty.
void study_relative_keys(const MatrixStudy& study, const std::string& name,
                         const ScoreTerms<double>& terms) {
  const Positions at = swept_keys(study);
  const Map none = no_content(at, study.d());
  const Positions m(static_cast<std::size_t>(study.d()), swept_query(study)[0]);
  const Map asked =
      sum_of_terms(terms, Map::Identity(study.d(), study.d()), none, m, at, study.head());
  const Map silent = sum_of_terms(terms, no_content(m, study.d()), none, m, at, study.head());
  const Map keys = (asked - silent).transpose();
  if (all_zero(keys)) return;  // position adds nothing to a query's scores
  add_map(study, name, keys,
          {"relative_keys",
           fmt::format("Relative keys, channel by channel, at each distance: {}, {}",
                       encoding_label(name), study.head_text()),
           "relative key", "", Meaning::diverging},
          over(distance_axis(), distances_of(study)),
          {.label = "channel of $q$", .symbol = "$c$", .role = AxisRole::channel},
          study.shows("maps"));
}

/// Every door that the encoding uses, one after the other.
void study_encoding(const MatrixStudy& study, const std::string& name, BucketRows& bucket_rows) {
  const auto encoding = make_encoding<double>(name, {.d_model = study.d(),
                                                     .d_head = study.d(),
                                                     .heads = study.heads(),
                                                     .params = study.params,
                                                     .seed = study.params.integer("seed")});
  if (dynamic_cast<const InputTerm<double>*>(encoding.get()))
    study_input_term(study, name, *encoding);
  if (const auto* transform = dynamic_cast<const QkTransform<double>*>(encoding.get())) {
    const TurningPairs pairs = encoding->turning_pairs();
    if (pairs.channels.empty())
      study_transform(study, name, *transform);
    else
      study_rotation(study, name, pairs, *transform);
  }
  if (const auto* terms = dynamic_cast<const ScoreTerms<double>*>(encoding.get())) {
    study_bias(study, name, *encoding, *terms);
    if (encoding->traits().relative) study_relative_keys(study, name, *terms);
  }
  if (const auto* table = dynamic_cast<const TableIndex*>(encoding.get()))
    study_index(study, name, *encoding, *table, bucket_rows);
}

void check_positions_shown(const ParamSet& params) {
  check_last_position(params, params.integer("first_position") + params.integer("positions") - 1);
}

Result compute(const ParamSet& params, const Inputs&, Progress& progress) {
  Result result;
  TableBuilder matrices("matrices", "every map: its shape, least and greatest value",
                        {"matrix", "rows", "columns", "least", "greatest"});
  const MatrixStudy study{
      params, caption_of(params),
      consecutive_positions(params.integer("positions"), params.integer("first_position")), result,
      matrices};
  BucketRows bucket_rows;
  const std::vector<std::string>& names = params.list("encoding");
  for (std::size_t e = 0; e < names.size(); ++e) {
    checkpoint(progress, e, names.size(), "matrices of " + names[e]);
    study_encoding(study, names[e], bucket_rows);
  }
  result.tables.push_back(std::move(matrices).finish());
  if (bucket_rows.plot.series.empty()) return result;
  if (study.shows("staircases") && bucket_rows.plot.series.size() > 1)
    result.figures.push_back({"staircases",
                              "Which row of its table each distance takes: all encodings",
                              study.caption,
                              std::move(bucket_rows.plot),
                              {.encodings = std::move(bucket_rows.encodings)}});
  result.tables.push_back(std::move(bucket_rows.table));
  return result;
}

}  // namespace in_encoding_matrix
}  // namespace

Experiment encoding_matrix_experiment() {
  using namespace in_encoding_matrix;
  return with_provenance(make_info(), compute, check_positions_shown);
}

}  // namespace orrery
