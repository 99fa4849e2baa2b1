#include "experiments/rotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/analysis/largest.h"
#include "core/analysis/score_chain.h"
#include "core/encodings/catalogue.h"
#include "core/encodings/frequencies.h"
#include "core/errors.h"
#include "core/random.h"
#include "experiments/figure/number_label.h"
#include "experiments/rope_params.h"
#include "experiments/shared_params.h"
#include "experiments/tensor_matrix.h"

namespace orrery {
namespace {

/// Of one rotation, relative to the vector: cos and sin to 4·2^-53 each, and three operations.
constexpr double rotation_rounding = 8 * 0x1p-53;

ParamSpec used_with(ParamSpec spec, std::vector<std::string> contents) {
  spec.used_when = Condition{"content", std::move(contents)};
  return spec;
}

ParamSpec count_param(const std::string& key, const std::string& description, std::int64_t value,
                      double min, double max) {
  return {.key = key,
          .description = description,
          .kind = ParamKind::integer,
          .default_value = value,
          .min = min,
          .max = max};
}

ParamSpec vector_param(const std::string& key, const std::string& what) {
  return used_with(array_file_param(key, what + ", [N, d] or [heads, N, d], not yet turned."),
                   {"file"});
}

std::vector<ParamSpec> content_params() {
  return {
      {.key = "content",
       .description = "What q and k are before they are turned.",
       .kind = ParamKind::choice,
       .default_value = std::string("equal"),
       .choices = {{"ones", "q = k = (1, …, 1)"},
                   {"equal", "q = k, standard normal: a token that meets itself"},
                   {"random", "q and k independent standard normals"},
                   {"file", "a row of your own q and k"}}},
      used_with(dim_param(64), {"ones", "equal", "random"}),
      vector_param("q", "Your own queries"),
      vector_param("k", "Your own keys; without a file the same as q"),
      used_with(count_param("head", "Which head of the file, counted from 0.", 0, 0, 255),
                {"file"}),
      used_with(count_param("row", "Which row of the file, counted from 0.", 0, 0, 1e6), {"file"})};
}

std::vector<ParamSpec> declared_params() {
  std::vector<ParamSpec> specs = content_params();
  specs.push_back({.key = "distance",
                   .symbol = "m − n",
                   .unit = "tokens",
                   .description = "Relative distance at which the phasors are laid out.",
                   .kind = ParamKind::integer,
                   .default_value = std::int64_t{6},
                   .min = -1e9,
                   .max = 1e9});
  specs.push_back({.key = "key_position",
                   .symbol = "n",
                   .unit = "tokens",
                   .description = "Position of the key; the score does not depend on it.",
                   .kind = ParamKind::integer,
                   .default_value = std::int64_t{0},
                   .min = 0,
                   .max = 1e12});
  specs.push_back({.key = "draw",
                   .description = "Which of the two vectors is drawn turning.",
                   .kind = ParamKind::choice,
                   .default_value = std::string("q"),
                   .choices = {{"q", "the query"}, {"k", "the key"}}});
  specs.push_back({.key = "positions",
                   .unit = "tokens",
                   .description = "Positions 0, 1, … at which each pair is drawn.",
                   .kind = ParamKind::integer,
                   .default_value = std::int64_t{13},
                   .min = 1,
                   .max = 256,
                   .logarithmic = true});
  specs.push_back(count_param("pairs", "How many pairs are drawn, a figure each.", 4, 1, 16));
  specs.push_back(count_param("first_pair", "The fastest pair drawn, counted from 0.", 0, 0, 2047));
  specs.push_back(count_param("pair_step", "From one drawn pair to the next.", 4, 1, 2047));
  specs.push_back(seed_param());
  specs.back().used_when = Condition{"content", {"equal", "random"}};
  for (ParamSpec& spec : rope_params()) specs.push_back(std::move(spec));
  return specs;
}

ExperimentInfo make_info() {
  return {.name = "rotation",
          .version = 1,
          .title = "Rotation of pairs",
          .question = "How does turning pairs of channels make the score depend on m − n alone?",
          .equations = {"f(x_m, m) = R_m W x_m, pair t turned by m θ_t  (14), (15), Fig. 1",
                        "R_m R_n = R_{m+n}, so R_mᵀ R_n = R_{n−m}  (16)",
                        "q_mᵀk_n = Re Σ_t h_t e^{i(m−n)θ_t}, h_t = q_pair · conj(k_pair)  (35)"},
          .params = declared_params()};
}

using Row = Matrix<double>;  // [1, d]

struct Vectors {
  Row q;
  Row k;
};

Row row_of(const Tensor& tensor, const ParamSet& params) {
  const auto head = tensor.shape.size() == 3 ? params.integer("head") : 0;
  const auto row = params.integer("row");
  const Matrix<double> rows = head_matrix<double>(tensor, static_cast<std::size_t>(head),
                                                  static_cast<std::size_t>(row + 1));
  if (rows.rows() <= row)
    throw DataError(shape_text(tensor), fmt::format("has no row {}", row),
                    fmt::format("choose row=0 to row={}", rows.rows() - 1));
  return rows.row(row);
}

Vectors vectors_of_file(const ParamSet& params, const Inputs& inputs) {
  const Tensor* q = tensor_of(inputs, "q");
  const Tensor* k = tensor_of(inputs, "k");
  if (!q)
    throw UsageError("content=file", "reads q from a file, and none is named", "give q=FILE.npy");
  Vectors v{row_of(*q, params), row_of(k ? *k : *q, params)};
  if (v.q.cols() != v.k.cols())
    throw DataError(fmt::format("{} and {}", shape_text(*q), shape_text(*k)),
                    "q and k must have the same d", "save them from the same head");
  return v;
}

Vectors vectors_of(const ParamSet& params, const Inputs& inputs) {
  const std::string& content = params.text("content");
  if (content == "file") return vectors_of_file(params, inputs);
  const Index d = params.integer("dim");
  if (content == "ones") return {Row::Ones(1, d), Row::Ones(1, d)};
  Random random(params.integer("seed"), "q and k of rotation");
  const Row q = normal_matrix<double>(random, 1, d);
  return {q, content == "equal" ? q : normal_matrix<double>(random, 1, d)};
}

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

std::string pair_title(std::size_t t, double theta) {
  if (theta == 0) return fmt::format("Pair t = {} never turns", t);
  return fmt::format("Pair t = {}: {} rad per token, once round in {} tokens", t,
                     short_label(theta), short_label(2 * std::numbers::pi / theta));
}

/// One pair at every position, from the origin; as long at each of them.
Figure pair_figure(const ParamSet& params, const Rope<double>& rope, const Matrix<double>& rows,
                   std::size_t t) {
  const std::string name = params.text("draw");
  VectorPlot plot{.x = {.label = "first channel of the pair", .symbol = "Re " + name + "_t"},
                  .y = {.label = "second channel", .symbol = "Im " + name + "_t"},
                  .quantity = "position"};
  Largest radius;
  for (Index m = 0; m < rows.rows(); ++m) {
    const auto z = complex_pairs(rope, channels(rows.row(m)))[t];
    plot.arrows.push_back({0, 0, z.real(), z.imag(), static_cast<double>(m)});
    radius.see(std::abs(z));
  }
  const double side = 1.1 * radius.value();
  if (side > 0) plot.x.range = plot.y.range = Range{-side, side};
  return {fmt::format("pair_{}", t), pair_title(t, rope.theta()[t]), caption_of(params),
          std::move(plot)};
}

Figure chain_figure(const ParamSet& params, const ScoreChain& chain) {
  VectorPlot plot{.x = {.label = "real part: the score", .symbol = "Re"},
                  .y = {.label = "imaginary part", .symbol = "Im"},
                  .quantity = "pair index t"};
  std::complex<double> from = 0;
  const auto add = [&](std::complex<double> to) {
    plot.arrows.push_back(
        {from.real(), from.imag(), to.real(), to.imag(), static_cast<double>(plot.arrows.size())});
    from = to;
  };
  for (const std::complex<double>& to : chain.ends()) add(to);
  if (chain.rest != 0) add(from + chain.rest);  // what never turns lies along the real axis
  plot.sum = Arrow{0, 0, from.real(), from.imag(), 0};
  return {"phasor_chain",
          fmt::format("Phasors head to tail at distance {}: the sum's real part is the score, {}",
                      params.integer("distance"), short_label(chain.end().real())),
          "arrows: h_t·exp(i(m − n)θ_t), fastest pair first · " + caption_of(params),
          std::move(plot)};
}

/// What each pair gives to the score, and the score so far.
struct Shares {
  std::vector<double> pair;
  std::vector<double> part;
  std::vector<double> so_far;
};

Shares shares_of(const ScoreChain& chain) {
  Shares shares;
  double sum = 0;
  for (const std::complex<double>& link : chain.links) {
    shares.pair.push_back(static_cast<double>(shares.pair.size()));
    shares.part.push_back(link.real());
    shares.so_far.push_back(sum += link.real());
  }
  return shares;
}

Figure share_figure(const ParamSet& params, const ScoreChain& chain) {
  Shares shares = shares_of(chain);
  std::string axis = "pair, fastest first";
  if (chain.rest != 0) {
    shares.pair.push_back(static_cast<double>(shares.pair.size()));
    shares.part.push_back(chain.rest);
    shares.so_far.push_back(chain.end().real());
    axis += "; last, what never turns";
  }
  LinePlot plot{.x = {.label = axis, .symbol = "t"}, .y = {.label = "contribution to the score"}};
  plot.series.push_back({.name = "sum so far",
                         .x = shares.pair,
                         .y = shares.so_far,
                         .color = encoding_color("rope")});
  plot.series.push_back({.name = "pair t alone",
                         .x = shares.pair,
                         .y = shares.part,
                         .style = LineStyle::points,
                         .color = encoding_color("rope") + 1});
  plot.rules.push_back({Rule::Direction::horizontal, chain.end().real(), ""});
  return {"contributions",
          fmt::format("What each pair gives to the score, {}, at distance {}",
                      short_label(chain.end().real()), params.integer("distance")),
          caption_of(params), std::move(plot)};
}

/// 0 for the zero vector, which any rotation keeps.
double over(double error, double norm) { return norm > 0 ? error / norm : error; }

double norm_error(const Matrix<double>& rows, const Row& x) {
  Largest largest;
  for (Index m = 0; m < rows.rows(); ++m)
    largest.see(over(std::abs(rows.row(m).norm() - x.norm()), x.norm()));
  return largest.value();
}

/// Turning by every position and then by n, against turning by the sum at once.
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

double core_score(const Rope<double>& rope, const Vectors& v, const ParamSet& params) {
  const Position n = params.integer("key_position");
  Row q = v.q, k = v.k;
  rope.transform_queries(Positions{n + params.integer("distance")}, q);
  rope.transform_keys(Positions{n}, k);
  return q.row(0).dot(k.row(0));
}

std::vector<Check> checks_of(const Rope<double>& rope, const Vectors& v, const Row& drawn,
                             const Matrix<double>& rows, const ScoreChain& chain,
                             const ParamSet& params) {
  const Positions positions = consecutive_positions(rows.rows());
  const double size = v.q.norm() * v.k.norm();
  const double gap = over(std::abs(chain.end().real() - core_score(rope, v, params)), size);
  return {{.name = "norm_is_kept",
           .statement = "turning keeps the length at every position (relative change)",
           .equation = "eq. (14), (15)",
           .measured = norm_error(rows, drawn),
           .bound = rotation_rounding + static_cast<double>(drawn.cols()) * 0x1p-53},
          {.name = "chain_ends_at_the_score",
           .statement = "the chain's real part is the product of the turned q and k",
           .equation = "eq. (16) = eq. (35)",
           .measured = gap,
           .bound = static_cast<double>(drawn.cols() + 10) * 0x1p-53},
          {.name = "rotations_add",
           .statement = "turning by m and then by m − n is turning by their sum (relative change)",
           .equation = "R_m R_n = R_{m+n}",
           .measured = composition_error(rope, drawn, rows, positions, params.integer("distance")),
           .bound = 3 * rotation_rounding}};
}

std::vector<Scalar> scalars_of(const ScoreChain& chain, Index d) {
  const std::complex<double> end = chain.end();
  return {
      {.name = "score",
       .symbol = "q_mᵀk_n",
       .value = end.real(),
       .description = "score at the distance, without a scale"},
      {.name = "logit",
       .symbol = "q_mᵀk_n/√d",
       .value = end.real() / std::sqrt(static_cast<double>(d)),
       .description = "the same over √d"},
      {.name = "chain_length",
       .value = std::abs(end),
       .description = "length of the sum Σ h_t e^{i(m−n)θ_t}"},
      {.name = "score_at_rest", .symbol = "qᵀk", .value = 0, .description = "score at distance 0"}};
}

Table pair_table(const Rope<double>& rope, const Vectors& v, const ScoreChain& chain, Position r) {
  const auto z_q = complex_pairs(rope, channels(v.q));
  const auto z_k = complex_pairs(rope, channels(v.k));
  std::vector<double> h_re, h_im, cosine, sine;
  for (std::size_t t = 0; t < z_q.size(); ++t) {
    const std::complex<double> h = z_q[t] * std::conj(z_k[t]);
    h_re.push_back(h.real());
    h_im.push_back(h.imag());
    const CosSin turn = rotation_at(r, rope.theta()[t]);
    cosine.push_back(turn.cos);
    sine.push_back(turn.sin);
  }
  Shares shares = shares_of(chain);
  return {.name = "pairs",
          .caption = "pair by pair: h_t, e^{i(m−n)θ_t}, contribution to the score and sum so far",
          .columns = {{"pair", "", std::move(shares.pair)},
                      {"theta", "rad per token", rope.theta()},
                      {"h_re", "", std::move(h_re)},
                      {"h_im", "", std::move(h_im)},
                      {"cos", "", std::move(cosine)},
                      {"sin", "", std::move(sine)},
                      {"contribution", "", std::move(shares.part)},
                      {"sum", "", std::move(shares.so_far)}}};
}

/// The arrows of the pair figures, long form.
Table turning_table(const Rope<double>& rope, const Matrix<double>& rows,
                    const std::vector<std::size_t>& pairs) {
  std::vector<double> pair, position, first, second;
  for (const std::size_t t : pairs) {
    for (Index m = 0; m < rows.rows(); ++m) {
      const auto z = complex_pairs(rope, channels(rows.row(m)))[t];
      pair.push_back(static_cast<double>(t));
      position.push_back(static_cast<double>(m));
      first.push_back(z.real());
      second.push_back(z.imag());
    }
  }
  return {.name = "turning",
          .caption = "the two channels of each drawn pair at each position",
          .columns = {{"pair", "", std::move(pair)},
                      {"position", "tokens", std::move(position)},
                      {"first_channel", "", std::move(first)},
                      {"second_channel", "", std::move(second)}}};
}

}  // namespace

const ExperimentInfo& Rotation::info() const {
  static const ExperimentInfo info = make_info();
  return info;
}

Result Rotation::run(const ParamSet& params, const Inputs& inputs, Progress& progress) const {
  checkpoint(progress, 0.0, "vectors");
  const Vectors v = vectors_of(params, inputs);
  const Rope<double> rope = rope_of(params, v.q.cols());
  const Position r = params.integer("distance");
  const ScoreChain chain = score_chain(rope, channels(v.q), channels(v.k), r);
  const Row& drawn = params.text("draw") == "q" ? v.q : v.k;
  const std::vector<std::size_t> pairs = drawn_pairs(params, rope.theta().size());
  checkpoint(progress, 0.3, "turning");
  const Matrix<double> rows =
      turned(rope, drawn, consecutive_positions(params.integer("positions")));
  Result result{.provenance = provenance_of(info(), params),
                .scalars = scalars_of(chain, v.q.cols())};
  result.scalars.back().value = score_chain(rope, channels(v.q), channels(v.k), 0).end().real();
  result.checks = checks_of(rope, v, drawn, rows, chain, params);
  checkpoint(progress, 0.7, "figures");
  result.figures.push_back(chain_figure(params, chain));
  result.figures.push_back(share_figure(params, chain));
  for (const std::size_t t : pairs) result.figures.push_back(pair_figure(params, rope, rows, t));
  result.tables.push_back(pair_table(rope, v, chain, r));
  result.tables.push_back(turning_table(rope, rows, pairs));
  return result;
}

}  // namespace orrery
