#include <fmt/format.h>

#include <array>
#include <cmath>
#include <complex>
#include <span>
#include <utility>

#include "core/analysis/largest.h"
#include "core/analysis/score_chain.h"
#include "core/encodings/common_formulas.h"
#include "core/encodings/frequencies.h"
#include "core/random.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/rope_params.h"

namespace orrery {
namespace {
namespace in_semantic_reversal {

ExperimentInfo make_info() {
  return {
      .name = "semantic_reversal",
      .title = "Semantic reversal",
      .question =
          "How often does distance alone turn around which of two keys a query prefers, and what "
          "does a step of position still change?",
      .formulas =
          {{R"(P = \frac{1}{2} \mathrm{erfc}(\frac{\mu}{\sigma \sqrt{2}}))",
            "after Du et al. 2026, arXiv 2605.15514"},
           {R"(\mathrm{mean}_m |\mathrm{Re} \sum_t c_t (e^{\mathrm{i}\theta_t} - 1) e^{\mathrm{i}m\theta_t}| / |\mathbf{c}|)",
            "arXiv 2609.39929"},
           frequency_formula},
      .symbols =
          {frequency_meaning,
           {"P", "share of distances at which the query prefers the other key"},
           {"μ",
            "mean over distances of the difference of both scores, positive at "
            "distance 0"},
           {"σ", "its deviation over distances"},
           {"c_t",
            "product of the query's and the key's pair $t$, as complex numbers, over $\\sqrt{d}$"}},
      .params = joined(
          {{dim_param(128),
            with_role(ParamRole::context,
                      log_count_param({"context", "$W$", "tokens"}, "Largest number of distances.",
                                      32768, 16, 0x1p22)),
            real_param({"relevance", "$ρ$"},
                       "How like the query the first key is; the second is drawn apart from it.",
                       0.3, 0, 1),
            log_count_param({"draws"}, "Queries with two keys each, over which means are taken.",
                            16, 1, 4096),
            seed_param()},
           rope_params()}),
      .view = {.controls = {"base", "dim", "context", "relevance"}},
      .questions = {
          {.words = "Can distance alone change what a query prefers?",
           .answer =
               "A query and two keys, one more like it. Among all distances, the other key wins "
               "at the share that the curve shows; 0.5 is chance. Move base: a larger one keeps "
               "preferences and gives up what a step of position changes.",
           .control = "base"}}};
}

std::vector<Position> decay_lengths_of(const ParamSet& params) {
  const std::int64_t context = params.integer("context");
  std::vector<Position> lengths;
  for (double W = 4; W < static_cast<double>(context); W *= std::sqrt(2.0))
    lengths.push_back(static_cast<Position>(std::round(W)));
  lengths.push_back(context);
  return lengths;
}

using Complex = std::complex<double>;
using Complexes = std::vector<Complex>;
using Row = std::vector<double>;

/// One query and two keys, as RoPE's products h_t = q_pair · conj(k_pair), with the scale 1/√d and
/// the attention factor.
struct Preference {
  Complexes first{};       ///< of the key that is like the query [pairs]
  Complexes difference{};  ///< first less second
  double rest{};           ///< the difference over the channels that do not turn
};

/// What is counted over distances 0 … W − 1, means over the draws.
struct LengthRow {
  double W{};
  double reversal{};             ///< by the closed form
  double reversal_counted{};     ///< the share of distances
  double sensitivity{};          ///< by the closed form
  double sensitivity_counted{};  ///< the mean over distances
};

/// Curves by length of one set of frequencies, and how far closed moments are from the sums,
/// relative to Σ|c|².
struct Tuned {
  std::string label;  ///< empty for those that were asked for
  std::vector<LengthRow> rows{};
  double largest_moment_error{};  ///< NaN when one is

  /// What its names begin with.
  std::string before(const char* separator) const { return label.empty() ? "" : label + separator; }
};

Preference preference_of(const Rope<double>& rope, const Row& q, const Row& near,
                         const Row& other) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size()));
  const ScoreChain a = score_chain(rope, q, near, 0), b = score_chain(rope, q, other, 0);
  Preference preference{.rest = scale * (a.rest - b.rest)};
  for (std::size_t t = 0; t < a.links.size(); ++t) {
    preference.first.push_back(scale * a.links[t]);
    preference.difference.push_back(scale * (a.links[t] - b.links[t]));
  }
  return preference;
}

double squared_length(const Complexes& c) {
  double sum = 0;
  for (const Complex& one : c) sum += std::norm(one);
  return sum;
}

/// e^{i m θ_t} at m = 0, 1, …: every seed is exact, and so are the 64 steps from it.
class Phasors {
 public:
  explicit Phasors(const std::vector<double>& theta)
      : theta_(theta), seeds_(theta.size()), now_(theta.size()) {
    for (Position l = 0; l < lanes; ++l) {
      steps_.emplace_back();
      for (const double one : theta) steps_.back().push_back(exact(l, one));
    }
  }
  /// Those at m, which grows from call to call.
  void move_to(Position m) {
    if (m / lanes != block_) {
      block_ = m / lanes;
      for (std::size_t t = 0; t < theta_.size(); ++t) seeds_[t] = exact(block_ * lanes, theta_[t]);
    }
    const Complexes& step = steps_[static_cast<std::size_t>(m % lanes)];
    for (std::size_t t = 0; t < theta_.size(); ++t)
      now_[t] = {seeds_[t].real() * step[t].real() - seeds_[t].imag() * step[t].imag(),
                 seeds_[t].real() * step[t].imag() + seeds_[t].imag() * step[t].real()};
  }
  /// Re Σ c_t e^{i m θ_t} of two c: the additions of one are done while the other waits for its.
  std::array<double, 2> scores(const Complexes& a, const Complexes& b) const {
    double of_a = 0, of_b = 0;
    for (std::size_t t = 0; t < now_.size(); ++t) {
      const double re = now_[t].real(), im = now_[t].imag();
      of_a += a[t].real() * re - a[t].imag() * im;
      of_b += b[t].real() * re - b[t].imag() * im;
    }
    return {of_a, of_b};
  }

 private:
  static constexpr Position lanes = 64;
  static Complex exact(Position m, double theta) {
    const CosSin turn = rotation_at(m, theta);
    return {turn.cos, turn.sin};
  }
  const std::vector<double>& theta_;
  Complexes seeds_, now_;
  std::vector<Complexes> steps_{};
  Position block_{-1};
};

/// Sums over distances, of one preference.
struct Sums {
  double reversed{}, change{}, score{}, square{};
};

/// The error of the closed moments against sums over W distances.
double moment_error(const Moments& closed, const Sums& sums, double W, double scale) {
  const double mean = sums.score / W;
  Largest error;
  error.see(std::abs(closed.mean - mean) / std::sqrt(scale));
  error.see(std::abs(closed.variance - (sums.square / W - mean * mean)) / scale);
  return error.value();
}

/// 1 where the other key wins. A NaN stays one.
double reversed_at(double sign, double preferred) {
  if (std::isnan(preferred)) return preferred;
  return sign * preferred < 0 ? 1.0 : 0.0;
}

/// A preference, and the sums over the first distances, by their number.
struct Followed {
  const Preference& preference;
  Complexes steps{};
  double sign{};
  Sums sums{};
  std::vector<Sums> by_length{};
};

void follow(Followed& one, const Phasors& phasors, Position m) {
  const auto [turning, step] = phasors.scores(one.preference.difference, one.steps);
  const double preferred = turning + one.preference.rest;
  if (m == 0) one.sign = preferred < 0 ? -1.0 : 1.0;
  one.sums.reversed += reversed_at(one.sign, preferred);
  one.sums.change += std::abs(step);
  one.sums.score += turning;
  one.sums.square += turning * turning;
}

std::vector<Followed> follow_all(const std::vector<double>& theta,
                                 const std::vector<Preference>& preferences,
                                 const std::vector<Position>& lengths) {
  std::vector<Followed> all;
  for (const Preference& one : preferences)
    all.push_back({.preference = one, .steps = step_products(one.first, theta)});
  Phasors phasors(theta);
  std::size_t next = 0;
  for (Position m = 0; next < lengths.size(); ++m) {
    phasors.move_to(m);
    for (Followed& one : all) follow(one, phasors, m);
    if (m + 1 != lengths[next]) continue;
    for (Followed& one : all) one.by_length.push_back(one.sums);
    ++next;
  }
  return all;
}

/// @param steps  moments of the change by one step
void add_sums(const Followed& followed, std::size_t length, Moments difference,
              const Moments& steps, LengthRow& row, Largest& error) {
  const Preference& preference = followed.preference;
  const Sums& sums = followed.by_length[length];
  error.see(moment_error(difference, sums, row.W, squared_length(preference.difference)));
  difference.mean += preference.rest;
  double reference = preference.rest;
  for (const Complex& one : preference.difference) reference += one.real();
  row.reversal += reversal_probability(difference, reference);
  row.reversal_counted += sums.reversed / row.W;
  const double norm = std::sqrt(squared_length(preference.first));
  row.sensitivity += mean_magnitude(steps) / norm;
  row.sensitivity_counted += sums.change / row.W / norm;
}

/// `draws` of them: the query and the second key normal, the first key relevance·q + √(1 −
/// relevance²) times another normal.
std::vector<Preference> drawn_preferences(const Rope<double>& rope, double relevance,
                                          std::int64_t draws, std::int64_t seed) {
  Random random(seed, "semantic reversal");
  const Index d = rope.convention().d_head;
  std::vector<Preference> preferences;
  for (std::int64_t i = 0; i < draws; ++i) {
    const Matrix<double> drawn = normal_matrix<double>(random, 3, d);
    const auto row = [&](Index r) { return Row(drawn.row(r).data(), drawn.row(r).data() + d); };
    const Row q = row(0), other = row(1);
    Row near = row(2);
    for (std::size_t c = 0; c < near.size(); ++c)
      near[c] = relevance * q[c] + std::sqrt(1 - relevance * relevance) * near[c];
    preferences.push_back(preference_of(rope, q, near, other));
  }
  return preferences;
}

Tuned tuned(const Rope<double>& rope, const ParamSet& params, std::string label) {
  const std::vector<Preference> preferences = drawn_preferences(
      rope, params.real("relevance"), params.integer("draws"), params.integer("seed"));
  const std::vector<Position> lengths = decay_lengths_of(params);
  Tuned of{.label = std::move(label)};
  for (const Position W : lengths) of.rows.push_back({.W = static_cast<double>(W)});
  Largest error;
  const std::vector<Followed> all = follow_all(rope.theta(), preferences, lengths);
  std::vector<std::span<const Complex>> products;  // of each, and of its steps
  for (const Followed& one : all) {
    products.emplace_back(one.preference.difference);
    products.emplace_back(one.steps);
  }
  for (std::size_t l = 0; l < lengths.size(); ++l) {
    const std::vector<Moments> moments = score_moments(products, rope.theta(), lengths[l]);
    for (std::size_t i = 0; i < all.size(); ++i)
      add_sums(all[i], l, moments[2 * i], moments[2 * i + 1], of.rows[l], error);
  }
  const auto count = static_cast<double>(preferences.size());
  for (LengthRow& row : of.rows)
    for (double* sum :
         {&row.reversal, &row.reversal_counted, &row.sensitivity, &row.sensitivity_counted})
      *sum /= count;
  of.largest_moment_error = error.value();
  return of;
}

/// By the closed form, and counted.
const Measures<LengthRow>& measures() {
  static const Measures<LengthRow> all{
      {"reversal", &LengthRow::reversal,
       "share of distances at which the other key wins, if normal"},
      {"reversal_counted", &LengthRow::reversal_counted, "the same, counted"},
      {"sensitivity", &LengthRow::sensitivity, "mean change of a score by one step, if normal"},
      {"sensitivity_counted", &LengthRow::sensitivity_counted, "the same, counted"}};
  return all;
}

LinePlot by_length(Axis y) {
  return {.x = {.label = "number of distances",
                .symbol = "$W$",
                .unit = "tokens",
                .scale = AxisScale::log2},
          .y = std::move(y)};
}

/// The measures of one set of frequencies in the table, and the first two in their plot.
void add_curves(const Tuned& of, Table& table, LinePlot& reversal) {
  for (std::size_t i = 0; i < measures().size(); ++i) {
    const Measure<LengthRow>& measure = measures()[i];
    const bool counted = i % 2 == 1;
    Column column{of.before("_") + measure.key, "", measured(of.rows, measure)};
    if (i >= 2) {
      table.columns.push_back(std::move(column));
      continue;
    }
    add_curve(table, reversal, std::move(column),
              {.name = of.before(": ") + (counted ? "counted" : "closed form"),
               .style = counted ? LineStyle::dashed : LineStyle::solid,
               .color = encoding_color("rope"),
               .shade = of.label.empty() ? std::optional<double>{} : 0.3});
  }
}

void add_figures(const ParamSet& params, const std::vector<Tuned>& all, Result& result) {
  LinePlot reversal =
      by_length({.label = "share of distances at which the other key wins", .symbol = "$P$"});
  const std::vector<LengthRow>& rows = all.front().rows;
  Table table{.name = "lengths",
              .caption = "means over the draws, by number of distances",
              .columns = {{"distances", "", measured<LengthRow>(rows, {.of = &LengthRow::W})}}};
  for (const Tuned& one : all) add_curves(one, table, reversal);
  reversal.rules.push_back(horizontal(0.5, "no better than chance"));
  result.figures = {
      {"reversal",
       fmt::format("Over {} distances the query prefers the other key at {:.0f} % of them",
                   params.integer("context"), 100 * rows.back().reversal_counted),
       caption_of(params), std::move(reversal)}};
  result.tables.push_back(std::move(table));
}

void add_findings(const Tuned& of, const ParamSet& params, Result& result) {
  const double W = static_cast<double>(params.integer("context"));
  const FindingsOn tuned(result, of.label, of.label);
  tuned.scalars(of.rows.back(), measures());
  tuned.at_most("moments",
                "mean and variance over distances in closed form are those of the sums (largest "
                "difference, relative to $Σ|c|²$)",
                "$Σ_m e^{imθ} = (e^{iWθ} − 1)/(e^{iθ} − 1)$", of.largest_moment_error,
                (64.0 + W) * 0x1p-50);
}

void check_work(const ParamSet& params) {
  constexpr double operations_per_link = 12;     // two products of phasors, as measured
  constexpr double operations_per_moment = 200;  // two sines and a polar form per pair of pairs
  const auto pairs = static_cast<double>(params.integer("dim")) / 2;
  const auto draws = static_cast<double>(params.integer("draws"));
  const auto context = static_cast<double>(params.integer("context"));
  const double tunings = params.text("rope.scaling") == "none" ? 1 : 2;
  const double lengths = 2 * std::log2(context);
  check_operations(
      fmt::format("context={} with dim={} and draws={}", context, 2 * pairs, draws),
      tunings * draws * pairs *
          (2 * context * operations_per_link + 4 * lengths * pairs * operations_per_moment),
      "lower context, dim or draws");
}

Result compute(const ParamSet& params, const Inputs&, Progress& progress) {
  checkpoint(progress, 0.0, "scores by distance");
  const Rope<double> rope = rope_of(params, params.integer("dim"));
  std::vector<Tuned> all{tuned(rope, params, "")};
  checkpoint(progress, 0.5, "without the scaling");
  if (params.text("rope.scaling") != "none") {
    RopeConvention plain = rope.convention();
    plain.scaling = {};
    all.push_back(tuned(Rope<double>(std::move(plain), rope.options()), params, "unscaled"));
  }
  Result result;
  for (const Tuned& one : all) add_findings(one, params, result);
  add_figures(params, all, result);
  return result;
}

}  // namespace in_semantic_reversal
}  // namespace

Experiment semantic_reversal_experiment() {
  using namespace in_semantic_reversal;
  return with_provenance(make_info(), compute, check_work);
}

}  // namespace orrery
