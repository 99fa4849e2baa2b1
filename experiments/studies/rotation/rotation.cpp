#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include "core/analysis/largest.h"
#include "core/analysis/score_chain.h"
#include "core/encodings/catalogue.h"
#include "core/encodings/common_formulas.h"
#include "core/encodings/frequencies.h"
#include "core/errors.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/rope_params.h"
#include "experiments/studies/rotation/vectors.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {
namespace in_rotation {

/// Rounding of one rotation relative to the vector: cos and sin to 4·2^-53 each, three operations.
constexpr double rotation_rounding = 8 * 0x1p-53;

/// Whether pairs are drawn at every position alone, and no query beside a key.
bool draws_no_query(const ParamSet& params) { return params.text("content") != "plane"; }

ExperimentInfo make_info() {
  return {
      .name = "rotation",
      .title = "Rotation of pairs",
      .question = "How does rotating pairs of channels make the score depend on $m − n$ alone?",
      .formulas =
          {{R"(\begin{pmatrix} \cos m\theta & -\sin m\theta \\ \sin m\theta & \cos m\theta \end{pmatrix} \begin{pmatrix} q_1 \\ q_2 \end{pmatrix} = \mathbf{R}_{\theta,m} \mathbf{q})",
            "eq. (13)"},
           Rope<double>::info().score_formulas.front(),
           {R"(h_t = q_t \cdot \mathrm{conj}(k_t), \text{ pairs as complex numbers})", "",
            in_descriptions},
           {R"(f(\mathbf{x}_m, m) = \mathbf{R}_m \mathbf{W} \mathbf{x}_m, \quad \text{pair } t \text{ rotated by } m\theta_t)",
            "eq. (14), (15), Fig. 1", in_descriptions},
           {R"(\mathbf{R}_m \mathbf{R}_n = \mathbf{R}_{m+n}, \quad \mathbf{R}_m^\top \mathbf{R}_n = \mathbf{R}_{n-m})",
            "eq. (16)", in_descriptions}},
      .symbols = {frequency_meaning,
                  {"θ", "frequency of the pair, in rad per token"},
                  {"h_t", "product of the query's and the key's pair $t$, as complex numbers"}},
      .params =
          joined({vector_params(),
                  {with_role(ParamRole::distance,
                             count_param({"distance", "$m − n$", "tokens"},
                                         "Relative distance at which the phasors are laid out.", 6,
                                         -1e9, 1e9)),
                   count_param({"key_position", "$n$", "tokens"},
                               "Position of the key; the score does not depend on it.", 0, 0, 1e12),
                   choice_param("draw", "Which of the two vectors is drawn at every position.", "q",
                                {{"q", "the query"}, {"k", "the key"}}),
                   log_count_param({"positions", "", "tokens"},
                                   "Positions 0, 1, … at which each pair is drawn.", 13, 1, 256),
                   count_param("pairs", "How many pairs are drawn, one figure per pair.", 4, 1, 16),
                   count_param("first_pair", "The fastest pair drawn, counted from 0.", 0, 0, 2047),
                   count_param("pair_step", "From one drawn pair to the next.", 4, 1, 2047),
                   read_while("content", {"equal", "random"}, seed_param())},
                  rope_params()}),
      .view = {.layout = ViewLayout::side_by_side,
               .left = "phasor_chain",
               .right = "pair",
               .controls = {"distance", "base", "dim"}},
      .paired_files = paired_qk(),
      .ignored = {
          {.figures = {"pair"}, .keys = {"distance", "key_position"}, .when = draws_no_query},
          {.figures = {"contributions", "phasor_chain"},
           .keys = {"draw", "first_pair", "key_position", "pair_step", "pairs", "positions"}}}};
}

using Row = Matrix<double>;  // [1, d]

std::span<const double> channels(const Row& row) {
  return {row.data(), static_cast<std::size_t>(row.cols())};
}

/// The vector at each of the positions. [positions, d]
Matrix<double> turned(const Rope<double>& rope, const Row& x, const Positions& positions) {
  Matrix<double> rows = x.replicate(static_cast<Index>(positions.size()), 1);
  rope.transform_queries(positions, rows);
  return rows;
}

std::vector<std::size_t> drawn_pairs(const ParamSet& params, std::size_t available) {
  std::vector<std::size_t> pairs;
  auto t = static_cast<std::size_t>(params.integer("first_pair"));
  for (std::int64_t i = 0; i < params.integer("pairs") && t < available; ++i) {
    pairs.push_back(t);
    t += static_cast<std::size_t>(params.integer("pair_step"));
  }
  if (pairs.empty())
    throw UsageError(fmt::format("first_pair={}", t),
                     fmt::format("there are {} pairs, counted from 0", available),
                     fmt::format("try first_pair={}", available - 1));
  return pairs;
}

/// Axes that arrows of this length fit in, wherever they point.
void show_all(VectorPlot& plot, double radius) {
  const double side = 1.1 * radius;
  if (side > 0) plot.x.range = plot.y.range = Range{-side, side};
}

std::string pair_title(std::size_t t, double theta) {
  if (theta == 0) return fmt::format("Pair $t$ = {} is not rotated", t);
  return fmt::format("Pair $t$ = {}: {} rad per token, once round in {} tokens", t,
                     short_label(theta), short_label(2 * std::numbers::pi / theta));
}

/// The drawn pairs at every position: a figure each, and the arrows of all of them in long form.
void add_pairs(const ParamSet& params, const Rope<double>& rope, const Matrix<double>& rows,
               const std::vector<std::size_t>& pairs, Result& result) {
  const std::string& name = params.text("draw");
  TableBuilder table("turning", "the two channels of each drawn pair at each position",
                     {"pair", "position [tokens]", "first_channel", "second_channel"});
  for (const std::size_t t : pairs) {
    VectorPlot plot{.x = {.label = "first channel of the pair", .symbol = "$\\Re " + name + "_t$"},
                    .y = {.label = "second channel", .symbol = "$\\Im " + name + "_t$"},
                    .quantity = "position"};
    Largest radius;
    for (Index m = 0; m < rows.rows(); ++m) {
      const auto z = complex_pairs(rope, channels(rows.row(m)))[t];
      plot.arrows.push_back({0, 0, z.real(), z.imag(), static_cast<double>(m)});
      plot.tips.push_back(fmt::format("{}{}", m == 0 ? "$m$ = " : "", m));
      radius.see(std::abs(z));
      table.row({t, m, z.real(), z.imag()});
    }
    show_all(plot, radius.value());
    result.figures.push_back({fmt::format("pair_{}", t),
                              pair_title(t, rope.theta()[t]),
                              caption_of(params),
                              std::move(plot),
                              {.kind = "pair"}});
  }
  result.tables.push_back(std::move(table).finish());
}

Figure chain_figure(const ParamSet& params, const ScoreChain& chain) {
  VectorPlot plot{.x = {.label = "real part: the score", .symbol = "$\\Re$"},
                  .y = {.label = "imaginary part", .symbol = "$\\Im$"},
                  .quantity = "pair index $t$",
                  .value_role = AxisRole::pair};
  std::vector<std::complex<double>> ends = chain.ends();
  // Channels that are not rotated add to the real part.
  if (chain.rest != 0) ends.push_back((ends.empty() ? 0.0 : ends.back()) + chain.rest);
  lay_head_to_tail(plot, ends, count_from_0(ends.size()));
  return {"phasor_chain",
          fmt::format("The phasors at distance {} sum to a score of {}", params.integer("distance"),
                      short_label(chain.end().real())),
          "arrows: $h_t·\\exp(i(m − n)θ_t)$, fastest pair first · " + caption_of(params),
          std::move(plot)};
}

/// The angle of an arrow from the first axis, in degrees from 0 to 360.
double degrees(std::complex<double> z) {
  const double angle = std::arg(z) * 180.0 / std::numbers::pi;
  return angle < 0 ? angle + 360.0 : angle;
}

/// The query and the key of one pair, before they turn and at their positions m and n.
struct TurnedPair {
  std::complex<double> q{}, k{}, q_at_m{}, k_at_n{};
  Position m{}, n{};

  /// From the key's arrow to the query's, in degrees from 0 to 360.
  double between() const { return degrees(q_at_m * std::conj(k_at_n)); }
};

TurnedPair turned_pair(const Rope<double>& rope, const QkPair& v, const ParamSet& params) {
  TurnedPair pair{.m = params.integer("key_position") + params.integer("distance"),
                  .n = params.integer("key_position")};
  const auto at = [&](const Row& x, Position position) {
    const Matrix<double> rows = turned(rope, x, Positions{position});
    return complex_pairs(rope, channels(rows.row(0)))[0];
  };
  pair.q = at(v.q, 0);
  pair.k = at(v.k, 0);
  pair.q_at_m = at(v.q, pair.m);
  pair.k_at_n = at(v.k, pair.n);
  return pair;
}

/// The key's arrow and the query's, which is drawn over it, where they stand and where they began.
Figure query_and_key_figure(const ParamSet& params, const TurnedPair& pair, double score) {
  VectorPlot plot{.x = {.label = "first channel"},
                  .y = {.label = "second channel"},
                  .quantity = "position",
                  .value_role = AxisRole::position};
  const auto arrow = [](std::complex<double> z, Position at) {
    return Arrow{0, 0, z.real(), z.imag(), static_cast<double>(at)};
  };
  plot.arrows = {arrow(pair.k, 0), arrow(pair.q, 0), arrow(pair.k_at_n, pair.n)};
  plot.sum = arrow(pair.q_at_m, pair.m);
  const bool turned_q = pair.m != 0, turned_k = pair.n != 0;  // otherwise the arrows are the same
  plot.tips = {turned_k ? "$k$" : "", turned_q ? "$q$" : "",
               turned_k ? fmt::format("$k$ at {}", pair.n) : "$k$",
               turned_q ? fmt::format("$q$ at {}", pair.m) : "$q$"};
  show_all(plot, larger(std::abs(pair.q), std::abs(pair.k)));
  return {"query_and_key",
          fmt::format("$q$ at $m$ = {} stands {}° from $k$ at $n$ = {}: the score is {}", pair.m,
                      short_label(pair.between()), pair.n, short_label(score)),
          "over the others: $q$ at $m$; beneath: $k$ at $n$, and both before they turn · " +
              caption_of(params),
          std::move(plot),
          {.kind = "pair"}};
}

void add_plane(const ParamSet& params, const TurnedPair& pair, double score, Result& result) {
  const FindingsOn angle(result, "angle");
  angle.scalar("of_q", degrees(pair.q_at_m), "angle of the query's arrow at its position $m$",
               "degrees");
  angle.scalar("of_k", degrees(pair.k_at_n), "angle of the key's arrow at its position $n$",
               "degrees");
  angle.scalar("between", pair.between(), "angle from the key's arrow to the query's", "degrees");
  result.figures.insert(result.figures.begin(), query_and_key_figure(params, pair, score));
}

Figure share_figure(const ParamSet& params, const ScoreChain& chain) {
  std::vector<double> alone, so_far;
  for (const std::complex<double>& link : chain.links) alone.push_back(link.real());
  for (const std::complex<double>& end : chain.ends()) so_far.push_back(end.real());
  std::string axis = "pair, fastest first";
  if (chain.rest != 0) {
    alone.push_back(chain.rest);
    so_far.push_back(chain.end().real());
    axis += "; last, the channels that are not rotated";
  }
  const std::vector<double> pair = count_from_0(alone.size());
  LinePlot plot{.x = {.label = axis, .symbol = "$t$", .role = AxisRole::pair},
                .y = {.label = "contribution to the score"},
                .series = {{.name = "sum so far",
                            .x = pair,
                            .y = std::move(so_far),
                            .color = encoding_color("rope")},
                           {.name = "pair t alone",
                            .x = pair,
                            .y = std::move(alone),
                            .style = LineStyle::points,
                            .shade = 0.9,
                            .label = "pair $t$ alone"}},
                .rules = {horizontal(chain.end().real())}};
  return {"contributions",
          fmt::format("What each pair gives to the score, {}, at distance {}",
                      short_label(chain.end().real()), params.integer("distance")),
          caption_of(params), std::move(plot)};
}

/// 0 for the zero vector, which any rotation keeps.
double over(double error, double norm) { return norm > 0 ? error / norm : error; }

/// Rotation by every position and then by n, against rotation by the sum at once.
double composition_error(const Rope<double>& rope, const Row& x, const Matrix<double>& rows,
                         const Positions& positions, Position n) {
  const Positions again(positions.size(), n);
  Positions sums = positions;
  for (Position& p : sums) p += n;
  Matrix<double> twice = rows;
  rope.transform_queries(again, twice);
  const Matrix<double> at_once = turned(rope, x, sums);
  Largest largest;
  for (Index m = 0; m < rows.rows(); ++m)
    largest.see(over((twice.row(m) - at_once.row(m)).norm(), x.norm()));
  return largest.value();
}

double core_score(const Rope<double>& rope, const QkPair& v, const ParamSet& params) {
  const Position n = params.integer("key_position");
  Row q = v.q, k = v.k;
  rope.transform_queries(Positions{n + params.integer("distance")}, q);
  rope.transform_keys(Positions{n}, k);
  return q.row(0).dot(k.row(0));
}

void add_checks(const Rope<double>& rope, const QkPair& v, const Row& drawn,
                const ScoreChain& chain, const ParamSet& params, Result& result) {
  const Positions positions = consecutive_positions(params.integer("positions"));
  RopeConvention convention = rope.convention();
  convention.scaling.attention_factor = 1.0;  // the rotation alone
  const Rope<double> rotation(std::move(convention), rope.options());
  const Matrix<double> rows = turned(rotation, drawn, positions);
  const double a = rope.attention_factor();
  const double size = a * a * v.q.norm() * v.k.norm();
  const double gap = over(std::abs(chain.end().real() - core_score(rope, v, params)), size);
  Largest change;
  for (Index m = 0; m < rows.rows(); ++m)
    change.see(over(std::abs(rows.row(m).norm() - drawn.norm()), drawn.norm()));
  const FindingsOn all(result);
  all.at_most("norm_is_kept", "rotation keeps the length at every position (relative change)",
              "eq. (14), (15)", change.value(),
              rotation_rounding + static_cast<double>(drawn.cols()) * 0x1p-53);
  all.at_most("chain_ends_at_the_score",
              "the chain's real part is the product of the rotated q and k", "eq. (16) = eq. (35)",
              gap, static_cast<double>(drawn.cols() + 10) * 0x1p-53);
  all.at_most("rotations_add",
              "rotating by m and then by m − n is rotating by their sum (relative change)",
              "$R_m R_n = R_{m+n}$",
              composition_error(rotation, drawn, rows, positions, params.integer("distance")),
              3 * rotation_rounding);
}

void add_scalars(const ScoreChain& chain, double at_rest, Index d, Result& result) {
  const FindingsOn all(result);
  const std::complex<double> end = chain.end();
  all.scalar("score", end.real(), "score at the distance, without a scale", "", "$q_mᵀk_n$");
  all.scalar("logit", end.real() / std::sqrt(static_cast<double>(d)),
             "score at the distance, over $\\sqrt{d}$", "", "$q_mᵀk_n/\\sqrt{d}$");
  all.scalar("chain_length", std::abs(end), "length of the sum $Σ h_t e^{i(m−n)θ_t}$");
  all.scalar("score_at_rest", at_rest, "score at distance 0", "", "$qᵀk$");
}

Table pair_table(const Rope<double>& rope, const QkPair& v, const ScoreChain& chain, Position r) {
  TableBuilder table(
      "pairs", "pair by pair: $h_t$, $e^{i(m−n)θ_t}$, contribution to the score and sum so far",
      {"pair", "theta [rad per token]", "h_re", "h_im", "cos", "sin", "contribution", "sum"});
  const auto z_q = complex_pairs(rope, channels(v.q)), z_k = complex_pairs(rope, channels(v.k));
  double sum = 0;
  for (std::size_t t = 0; t < z_q.size(); ++t) {
    const std::complex<double> h = z_q[t] * std::conj(z_k[t]);
    const CosSin turn = rotation_at(r, rope.theta()[t]);
    sum += chain.links[t].real();
    table.row(
        {t, rope.theta()[t], h.real(), h.imag(), turn.cos, turn.sin, chain.links[t].real(), sum});
  }
  return std::move(table).finish();
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  checkpoint(progress, 0.0, "vectors");
  const QkPair v = vectors_of(params, inputs);
  const Rope<double> rope = rope_of(params, v.q.cols());
  const Position r = params.integer("distance");
  const ScoreChain chain = score_chain(rope, channels(v.q), channels(v.k), r);
  const Row& drawn = params.text("draw") == "q" ? v.q : v.k;
  const std::vector<std::size_t> pairs = drawn_pairs(params, rope.theta().size());
  checkpoint(progress, 0.3, "turning");
  const Matrix<double> rows =
      turned(rope, drawn, consecutive_positions(params.integer("positions")));
  const double at_rest = score_chain(rope, channels(v.q), channels(v.k), 0).end().real();
  Result result;
  add_scalars(chain, at_rest, v.q.cols(), result);
  add_checks(rope, v, drawn, chain, params, result);
  checkpoint(progress, 0.7, "figures");
  result.figures.push_back(chain_figure(params, chain));
  result.figures.push_back(share_figure(params, chain));
  result.tables.push_back(pair_table(rope, v, chain, r));
  add_pairs(params, rope, rows, pairs, result);
  if (params.text("content") == "plane")
    add_plane(params, turned_pair(rope, v, params), chain.end().real(), result);
  return result;
}

}  // namespace in_rotation
}  // namespace

Experiment rotation_experiment() {
  using namespace in_rotation;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery
