#include "experiments/studies/long_term_decay/decay_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/rotation_table.h"
#include "core/random.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"

namespace orrery {
namespace {

using Complex = std::complex<double>;
using Pairs = std::vector<Complex>;  // one number per pair of channels

constexpr Index distances_between_checkpoints = 512;
constexpr Index most_peak_distances = 4096;
constexpr int gaussian_draws = 256;
constexpr Index gaussian_distances = 256;
constexpr double most_standard_errors =
    6.0;  // of the largest of 256 means: once in a million seeds
constexpr double least_turn =
    1e-6;  // rad per token; below, neighbours of a peak round to its height

/// e^{i r θ_t} for every pair.
Pairs phasors_of(const std::vector<double>& theta, Position r) {
  Pairs turned;
  for (const double frequency : theta) {
    const CosSin turn = rotation_at(r, frequency);
    turned.emplace_back(turn.cos, turn.sin);
  }
  return turned;
}

/// The same of one distance after the other, of which a block is turned at once.
class PhasorsInTurn {
 public:
  explicit PhasorsInTurn(const std::vector<double>& theta) : table_(theta), turned_(theta.size()) {}

  const Pairs& at(Position r) {
    const Index row = r % distances_between_checkpoints;
    if (row == 0 || block_.size() == 0) turn(r - row);
    for (std::size_t t = 0; t < turned_.size(); ++t) {
      const auto channel = static_cast<Index>(2 * t);
      turned_[t] = {block_(row, channel), block_(row, channel + 1)};
    }
    return turned_;
  }

 private:
  void turn(Position first) {
    Positions distances(distances_between_checkpoints);
    std::iota(distances.begin(), distances.end(), first);
    block_ =
        Matrix<double>::Zero(distances_between_checkpoints, static_cast<Index>(2 * turned_.size()));
    for (Index channel = 0; channel < block_.cols(); channel += 2) block_.col(channel).setOnes();
    table_.rotate_interleaved<double>(distances, block_);
  }

  RotationTable table_;
  Matrix<double> block_{};
  Pairs turned_;
};

double real_product(const Pairs& h, const Pairs& turned) {
  double sum = 0;
  for (std::size_t t = 0; t < h.size(); ++t)
    sum += h[t].real() * turned[t].real() - h[t].imag() * turned[t].imag();
  return sum;
}

/// The rotated channels, pairs as neighbours.
std::vector<double> turning_channels(const Matrix<double>& row, std::size_t pairs,
                                     bool half_split) {
  std::vector<double> channels;
  const auto apart = static_cast<Index>(pairs);
  for (Index t = 0; t < apart; ++t) {
    channels.push_back(row(0, half_split ? t : 2 * t));
    channels.push_back(row(0, half_split ? t + apart : 2 * t + 1));
  }
  return channels;
}

/// a², by which the scaling of the frequencies multiplies scores.
double gain_of(const DecayFindings& found) {
  return found.rope.attention_factor() * found.rope.attention_factor();
}

/// a² h_t of eq. (35) for every pair of q and k, of the channel pairs that are not muted.
std::vector<Pairs> products_of(const DecayFindings& found) {
  const ParamSet& params = found.params;
  const bool half_split =
      params.is_used("rope.pairing") && params.text("rope.pairing") == "half_split";
  const std::size_t pairs = found.rope.theta().size();
  std::vector<Pairs> products;
  for (const QkPair& pair : found.assumption.pairs)
    products.push_back(found.rope.unmuted(pair_products(
        turning_channels(pair.q, pairs, half_split), turning_channels(pair.k, pairs, half_split))));
  for (Pairs& h : products)
    for (Complex& product : h) product *= gain_of(found);
  return products;
}

/// Bound (37) and |score| by distance, over all pairs.
struct BoundAndScores {
  std::vector<double> bound;      ///< mean
  std::vector<double> score;      ///< mean |q_mᵀk_n|
  std::vector<double> deviation;  ///< of it
  Largest largest_share{};        ///< of its bound that a score takes
};

BoundAndScores bound_and_scores(const DecayFindings& found, Progress& progress) {
  const std::vector<Pairs> products = products_of(found);
  PhasorsInTurn in_turn(found.theta);
  const auto pairs = static_cast<double>(found.theta.size());
  std::vector<double> steps;
  double mean_step = 0;
  for (const Pairs& h : products) {
    steps.push_back(largest_step(h) * pairs);
    mean_step += steps.back() / static_cast<double>(products.size());
  }
  BoundAndScores all;
  const std::vector<double>& curve = found.curve.mean_abs_S;
  for (std::size_t r = 0; r < curve.size(); ++r) {
    if (r % distances_between_checkpoints == 0)
      checkpoint(progress, r, curve.size(), "bound and scores");
    const Pairs& turned = in_turn.at(static_cast<Position>(r));
    double mean = 0, square = 0;
    for (std::size_t p = 0; p < products.size(); ++p) {
      const double score = std::abs(real_product(products[p], turned));
      if (steps[p] != 0) all.largest_share.see(score / (steps[p] * curve[r]));
      const double delta = score - mean;
      mean += delta / static_cast<double>(p + 1);
      square += delta * (score - mean);
    }
    all.bound.push_back(mean_step * curve[r]);
    all.score.push_back(mean);
    all.deviation.push_back(std::sqrt(square / static_cast<double>(products.size())));
  }
  return all;
}

/// A mean over all directions has no pairs of its own: (1, …, 1) represents it.
std::string pairs_text(const DecayAssumption& assumption) {
  return assumption.every_direction ? "$q = k = (1, …, 1)$" : assumption.text;
}

/// The bound and the scores: as curves, and in a table.
void add_bound(const DecayFindings& found, const BoundAndScores& all, Result& result) {
  const std::string pairs = pairs_text(found.assumption);
  LinePlot plot{.x = distance_axis(),
                .y = {.label = "size of a score",
                      .symbol = "$|q_m·k_n|$, unscaled",
                      .scale = AxisScale::log10}};
  Table table{
      .name = "bound",
      .caption = "bound (37) and $|q_mᵀk_n|$ by distance, unscaled: mean and deviation of " + pairs,
      .columns = {{"distance", "tokens", count_from_0(all.bound.size())}}};
  add_curve(table, plot, {"bound", "", all.bound},
            {.name = "bound (37)", .style = LineStyle::dashed, .color = encoding_color("none")});
  add_curve(table, plot, {"score", "", all.score}, all.deviation,
            {.name = "scores with RoPE", .color = encoding_color("rope")});
  Series& scores = plot.series.back();
  if (!found.assumption.has_spread()) scores.band_low = scores.band_high = {};
  for (std::size_t r = 0; r < scores.band_low.size(); ++r)
    // A logarithmic axis cannot show values at or below 0.
    scores.band_low[r] = larger(scores.band_low[r], 0.05 * all.score[r]);
  result.figures.push_back({"bound_and_scores", "The bound and the scores: " + pairs,
                            caption_of(found.params), std::move(plot)});
  result.tables.push_back(std::move(table));
}

Figure B_figure(const DecayFindings& found) {
  LinePlot plot{
      .x = distance_axis(),
      .y = {.label = "sum of cosines", .symbol = "$B_m = Σ \\cos(m θ_t)$"},
      .series = {{.name = "B_m",
                  .x = count_from_0(found.curve.B.size()),
                  .y = found.curve.B,
                  .color = encoding_color("rope"),
                  .label = "$B_m$"}},
      .rules = {horizontal(0, "below 0: like tokens score less than unlike ones, on average")}};
  if (const auto negative = first_negative(found.curve.B))
    plot.rules.push_back(
        vertical(static_cast<double>(*negative), fmt::format("first below 0: {}", *negative)));
  return {"B", "The sum of cosines $B_m$ by distance: arXiv 2405.14591 ends the context below 0",
          caption_of(found.params), std::move(plot)};
}

/// Scores against distance of a q with k = R_peak q, as shares of |q|².
struct PeakCurve {
  Position peak{};
  std::vector<double> score{};
};

std::vector<PeakCurve> peak_curves(const DecayFindings& found) {
  const Index count =
      std::min<Index>(most_peak_distances, static_cast<Index>(found.curve.B.size()));
  const Matrix<double>& q = found.assumption.pairs.front().q;
  const std::vector<double>& theta = found.theta;
  const std::vector<double> channels = turning_channels(q, found.rope.theta().size(), false);
  const Pairs squares = found.rope.unmuted(pair_products(channels, channels));
  double norm = 0;
  for (const Complex& square : squares) norm += square.real();
  std::vector<PeakCurve> curves;
  for (const Position peak : std::set<Position>{0, (count - 1) / 4, (count - 1) / 2}) {
    Pairs h = phasors_of(theta, peak);
    for (std::size_t t = 0; t < h.size(); ++t) h[t] = squares[t] * std::conj(h[t]);
    curves.push_back({peak, {}});
    for (Position r = 0; r < count; ++r)
      curves.back().score.push_back(gain_of(found) * complex_score(h, theta, r) / norm);
  }
  return curves;
}

Figure peak_figure(const DecayFindings& found, const std::vector<PeakCurve>& curves) {
  LinePlot plot{.x = distance_axis(), .y = {.label = "score", .symbol = "$q_m·k_n / |q|²$"}};
  for (const PeakCurve& curve : curves) {
    plot.series.push_back(
        named({.x = count_from_0(curve.score.size()),
               .y = curve.score,
               .shade = curves.size() > 1 ? static_cast<double>(plot.series.size()) /
                                                static_cast<double>(curves.size() - 1)
                                          : 0.5},
              curve.peak == 0 ? "$k = q$" : fmt::format("$k = R_{{{}}} q$", curve.peak)));
    if (curve.peak > 0)
      plot.rules.push_back(
          vertical(static_cast<double>(curve.peak), fmt::format("peak at {}", curve.peak)));
  }
  return {"any_peak", "Any distance can be made the peak, by the choice of $k$",
          "$q$ of the first pair · " + caption_of(found.params), std::move(plot)};
}

/// The distance of the first of the largest values; NaN when one of the values is.
double place_of_peak(const std::vector<double>& values) {
  Largest largest(values.front());
  double place = 0;
  for (std::size_t r = 1; r < values.size(); ++r) {
    if (values[r] > largest.value()) place = static_cast<double>(r);
    largest.see(values[r]);
  }
  return std::isnan(largest.value()) ? largest.value() : place;
}

/// The largest |mean score| of independent Gaussian q and k over distances, in standard errors.
double gaussian_mean(const DecayFindings& found, Progress& progress) {
  const std::vector<double>& theta = found.theta;
  const auto d = static_cast<Index>(2 * theta.size());
  Random random(found.params.integer("seed"), "gaussian q and k of long_term_decay");
  std::vector<Pairs> products;
  for (int draw = 0; draw < gaussian_draws; ++draw) {
    const Matrix<double> q = normal_matrix<double>(random, 1, d);
    const Matrix<double> k = normal_matrix<double>(random, 1, d);
    products.push_back(pair_products({q.data(), static_cast<std::size_t>(d)},
                                     {k.data(), static_cast<std::size_t>(d)}));
  }
  const auto count = static_cast<Index>(found.curve.B.size());
  const Index stride = std::max<Index>(1, count / gaussian_distances);
  Largest worst;
  for (Index r = 0; r < count; r += stride) {
    checkpoint(progress, static_cast<double>(r) / static_cast<double>(count),
               "Gaussian $q$ and $k$");
    const Pairs turned = phasors_of(theta, r);
    double sum = 0, square = 0;
    for (const Pairs& h : products) {
      const double score = real_product(h, turned);
      sum += score;
      square += score * score;
    }
    worst.see(std::abs(sum) / std::sqrt(square));
  }
  return worst.value();
}

void add_findings(const DecayFindings& found, const BoundAndScores& all,
                  const std::vector<PeakCurve>& curves, double gaussian, Result& result) {
  const auto& theta = found.theta;
  const std::string pairs = pairs_text(found.assumption);
  const double share = all.largest_share.value();
  const std::vector<double>& curve = found.curve.mean_abs_S;
  double rises = 0;
  for (std::size_t r = 1; r < curve.size(); ++r) rises += curve[r] > curve[r - 1] ? 1 : 0;
  Largest off;  // tokens between where a curve has its largest value and where it was put
  for (const PeakCurve& peaked : curves)
    off.see(std::abs(place_of_peak(peaked.score) - static_cast<double>(peaked.peak)));
  const FindingsOn rope(result, "rope");
  rope.scalar("rises", rises, "distances at which mean $|S_j|$ is larger than one token before");
  rope.scalar("share_of_bound", share,
              "largest share of the bound (37) that a score takes: " + pairs);
  rope.at_most("assumption_within_bound", "scores of " + pairs + " stay within the bound (share)",
               "eq. (37)", share, 1.0 + static_cast<double>(theta.size()) * 0x1p-50);
  rope.at_most("gaussians_do_not_decay",
               "independent Gaussian $q$, $k$: no mean score differs from 0 by more than chance "
               "(largest mean, in standard errors)",
               "$E[q_mᵀk_n] = 0$", gaussian, most_standard_errors);
  if (std::ranges::any_of(theta, [](double t) { return !(t <= least_turn); }))
    rope.at_most(
        "any_distance_is_a_peak",
        "with $k = R_r q$, at each $r$ drawn, the largest score is at distance $r$ (tokens "
        "between them)",
        "$Σ_t |q_t|² \\cos((m − n − r) θ_t)$", off.value(), 0);
}

/// The quantity that falls with distance, by how the encoding acts.
std::string meaning_of(const std::string& name) {
  const EncodingEntry& entry = find_encoding(name);
  if (entry.uses(Door::qk_transform)) return "rotated contents: the scores of like tokens fall";
  if (entry.uses(Door::score_terms))
    return "terms that depend on position, added to the content's logit";
  if (entry.uses(Door::input_term)) return "p_m·p_n, beside content and mixed terms";
  return "nothing: logits do not depend on distance";
}

}  // namespace

std::vector<double> mean_logits_with(const DecayFindings& found, const std::vector<double>& theta,
                                     double at_zero) {
  const std::vector<Pairs> products = products_of(found);
  const double share = 1 / (static_cast<double>(products.size()) *
                            std::sqrt(static_cast<double>(found.assumption.d)));
  Pairs mean(theta.size());
  double unturned = 0;
  for (const Pairs& h : products)
    for (std::size_t t = 0; t < mean.size(); ++t) mean[t] += share * h[t];
  for (const Complex& product : mean) unturned += product.real();
  PhasorsInTurn in_turn(theta);
  std::vector<double> logits;
  for (std::size_t r = 0; r < found.curve.B.size(); ++r)
    logits.push_back(at_zero - unturned + real_product(mean, in_turn.at(static_cast<Position>(r))));
  return logits;
}

void add_bound_claims(const DecayFindings& found, Progress& progress, Result& result) {
  SubProgress of_scores(progress, 0.0, 0.65), of_gaussians(progress, 0.75, 1.0);
  const BoundAndScores all = bound_and_scores(found, of_scores);
  checkpoint(progress, 0.65, "peaks");
  const std::vector<PeakCurve> curves = peak_curves(found);
  const double gaussian = gaussian_mean(found, of_gaussians);
  add_findings(found, all, curves, gaussian, result);
  add_bound(found, all, result);
  result.figures.push_back(B_figure(found));
  result.figures.push_back(peak_figure(found, curves));
}

void add_meanings(const ParamSet& params, const std::string& assumption,
                  const std::vector<Series>& logits, Result& result) {
  const std::int64_t last = params.integer("max_distance");
  TableFigure drawn{.header = {"encoding", "what falls with distance", "logit at 0",
                               fmt::format("at {}", last), "lowest"}};
  TableBuilder table("meanings",
                     "what falls with distance, and the mean logit at distance 0, at the largest, "
                     "and where it is lowest; tables are drawn by seed, untrained: " +
                         assumption,
                     {"encoding", "what_falls", "logit_at_0", "logit_at_last", "change", "lowest"});
  const auto text = [](double value) {
    return std::isnan(value) ? std::string("–") : fmt::format("{:.3f}", value);
  };
  for (const Series& of : logits) {
    const std::string &name = of.choice, label = untrained_label(name), falls = meaning_of(name);
    const double first = of.y.front(), at_last = of.y.back(), change = at_last - first;
    double lowest = first;
    for (const double logit : of.y) lowest = logit < lowest ? logit : lowest;
    table.row({name, falls, first, at_last, change, lowest});
    drawn.rows.push_back({label, falls, text(first), text(at_last), text(lowest)});
    FindingsOn(result, name, label)
        .scalar("change", change, fmt::format("mean logit at {} less that at 0", last), "", "$Δ$");
  }
  result.figures.push_back({"meanings", "What falls with distance: " + assumption,
                            caption_of(params), std::move(drawn)});
  result.tables.push_back(std::move(table).finish());
}

}  // namespace orrery
