#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/analysis/largest.h"
#include "core/analysis/mean_logits.h"
#include "core/attention/head.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "core/random.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/rope_params.h"
#include "experiments/studies/long_term_decay/decay_claims.h"
#include "experiments/studies/long_term_decay/logits_figure.h"

namespace orrery {
namespace {
namespace in_long_term_decay {

constexpr int heads = 8;                   // of the layer; head 0 is meant, ALiBi's steepest
constexpr Index distances_at_once = 2048;  // bounds the memory of the queries

/// Whether q and k are given by a formula, and the encodings too.
bool nothing_is_drawn(const ParamSet& params) {
  const std::string& assumption = params.text("assumption");
  return (assumption == "ones" || assumption == "mean") && heads_are_alike(params);
}

ExperimentInfo make_info() {
  return {
      .name = "long_term_decay",
      .version = 3,
      .title = "Long-term decay",
      .question = "How large can the score of two tokens be at a distance, and how large is it?",
      .formulas =
          {{R"(\left|\mathbf{q}_m^\top \mathbf{k}_n\right| \le \max_i |h_{i+1} - h_i| \sum_{j=1}^{d/2} |S_j|)",
            "eq. (37)"},
           {R"(S_j = \sum_{i=0}^{j-1} e^{\mathrm{i} r \theta_i}, \quad r = m - n)", "eq. (35)"},
           {R"(\theta_i = \mathrm{base}^{-2i/d})", "sec. 3.3"},
           {R"(\frac{1}{d/2} \sum_{j=1}^{d/2} |S_j| \text{ against } m - n)", "Fig. 2",
            in_descriptions},
           {R"(B_m = \sum_t \cos(m\theta_t); \quad \mathbf{q}_m^\top \mathbf{k}_n = 2 B_{m-n} \text{ for } \mathbf{q} = \mathbf{k} = (1, \ldots, 1), \text{ all channels rotated})",
            "", in_descriptions},
           {R"(\mathbf{k} = \mathbf{R}_r \mathbf{q}: \quad \mathbf{q}_m^\top \mathbf{k}_n = \sum_t |q_t|^2 \cos((m - n - r)\theta_t), \text{ largest at } m - n = r)",
            "", in_descriptions}},
      .symbols = {{"θ_i", "frequency of a pair of channels, in rad per token"},
                  {"S_j", "partial sum of the phasors of the first $j$ pairs"},
                  {"h_i", "product of the query's and the key's pair $i$, as complex numbers"},
                  {"i", "index of a pair; upright in an exponent, the imaginary unit"},
                  {"j", "index of a partial sum"}},
      .params = with_encoding_params(joined(
          {{encodings_param({"rope"}),
            // A file has a d of its own.
            read_while("assumption", {"ones", "equal", "random", "mean"}, dim_param(128)),
            max_distance_param(1e6)},
           decay_assumption_params(),
           {with_role(ParamRole::distance,
                      read_while(
                          "encoding", {"rope"},
                          count_param({"distance", "$r$", "tokens"},
                                      "The distance whose phasor chain $S_1$ … $S_{d/2}$ is drawn.",
                                      10, 0, 1e6))),
            seed_param()}})),
      .view = {.left = "decay_bound",
               .right = "phasor_chain",
               .controls = {"encoding", "base", "dim", "distance"},
               // The chain is of the frequencies alone.
               .preview = {{"assumption", "ones"}, {"max_distance", "1"}},
               .tabs = {{"B", "Sum of cosines"},
                        {"any_peak", "Any peak by choice of k"},
                        {"bound_and_scores", "Bound and logits"},
                        {"decay_changes", "Changes of logits"},
                        {"decay_scores", "Logits"},
                        {"meanings", "Meanings of decay"}}},
      .paired_files = paired_qk(),
      .ignored = {
          {.keys = {"rope.rotary_value"}},
          {.keys = {"seed"}, .when = nothing_is_drawn},
          {.figures = {"decay_bound"}, .keys = {"assumption", "draws", "seed"}},
          {.figures = {"decay_scores", "decay_changes", "bound_and_scores", "meanings", "any_peak"},
           .keys = {"distance"}},
          {.figures = {"any_peak"}, .keys = {"draws"}},
          {.figures = {"B"}, .keys = {"assumption", "distance", "draws", "seed"}},
          {.figures = {"phasor_chain"}, .keys = {"assumption", "draws", "max_distance", "seed"}}}};
}

struct Spread {
  std::vector<double> mean;
  std::vector<double> deviation;
};

/// Mean and standard deviation over samples added one by one, without cancellation (Welford).
class RunningSpread {
 public:
  explicit RunningSpread(std::size_t size) : mean_(size), square_(size) {}

  void add(std::size_t i, double value, std::size_t count) {
    const double delta = value - mean_[i];
    mean_[i] += delta / static_cast<double>(count);
    square_[i] += delta * (value - mean_[i]);
  }
  /// From i on nothing is added: there is no value.
  void end_at(std::size_t i) {
    std::fill(mean_.begin() + static_cast<std::ptrdiff_t>(i), mean_.end(),
              std::numeric_limits<double>::quiet_NaN());
  }
  Spread finish(std::size_t count) && {
    for (double& s : square_) s = std::sqrt(s / static_cast<double>(count));
    return {std::move(mean_), std::move(square_)};
  }

 private:
  std::vector<double> mean_;
  std::vector<double> square_;
};

/// Logits of a query at each distance from a key at position 0, among keys of the same content at
/// every position between where the encoding reads those.
std::vector<double> logits_of(const Encoding& encoding, const QkPair& pair,
                              const Positions& distances) {
  const Positions n = keys_beside_origin(encoding, distances);
  const Matrix<double> queries = pair.q.row(0).replicate(static_cast<Index>(distances.size()), 1);
  const Matrix<double> keys = pair.k.row(0).replicate(static_cast<Index>(n.size()), 1);
  const Matrix<double> logits =
      dynamic_cast<const InputTerm<double>*>(&encoding)
          ? attention_head<double>(encoding, Projections<double>::identity(pair.q.cols()),
                                   {queries, keys, distances, n})
                .logits.col(0)
          : attention_from_qkv<double>(encoding, {queries, keys, keys, distances, n}).logits.col(0);
  return {logits.data(), logits.data() + logits.size()};
}

/// Over the pairs; a mean over every direction is of contents with the norm of standard normals,
/// |q|² = d.
Spread scores_of(const std::string& name, const ParamSet& params, const DecayAssumption& assumption,
                 Progress& progress) {
  const Index d = assumption.d;
  const auto encoding =
      make_encoding<double>(name, {.d_model = d, .d_head = d, .heads = heads, .params = params});
  const Index all = params.integer("max_distance") + 1;
  const Index known = std::min<Index>(all, last_askable(*encoding) + 1);
  const std::vector<QkPair>& pairs = assumption.pairs;
  const char* stage = assumption.every_direction ? "mean scores of " : "scores of ";
  RunningSpread spread(static_cast<std::size_t>(all));
  spread.end_at(static_cast<std::size_t>(known));
  for (Index first = 0; first < known; first += distances_at_once) {
    const Positions distances =
        consecutive_positions(std::min<Index>(distances_at_once, known - first), first);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const double done = (static_cast<double>(first) +
                           static_cast<double>(p) / static_cast<double>(pairs.size())) /
                          static_cast<double>(known);
      checkpoint(progress, done, stage + name);
      const std::vector<double> logits =
          assumption.every_direction
              ? mean_logits(*encoding, d, static_cast<double>(d), distances, 0).total
              : logits_of(*encoding, pairs[p], distances);
      for (std::size_t i = 0; i < logits.size(); ++i)
        spread.add(static_cast<std::size_t>(first) + i, logits[i], p + 1);
    }
  }
  return std::move(spread).finish(pairs.size());
}

/// The rotation of the bound: of the rotated channels, in neighbouring pairs, with the
/// bands that the score has.
Rope<double> bounded_rope(const ParamSet& params, Index d) {
  if (!params.is_used("rope.fraction"))
    return Rope<double>({.d_head = d, .base = params.real("base")});
  const auto asked = Rope<double>::make({.d_model = d, .d_head = d, .params = params});
  RopeConvention convention = asked->convention();
  convention.pairing = RopePairing::interleaved;
  if (convention.partial == RopePartial::truncated) convention.d_head = convention.rotary_dims;
  return Rope<double>(std::move(convention), asked->options());
}

/// Fig. 2.
Figure bound_figure(const ParamSet& params, const DecayCurve& curve, Table& table) {
  LinePlot plot{.x = distance_axis(), .y = {.label = "mean", .symbol = "$|S_j|$"}};
  add_curve(table, plot, {"mean_abs_S", "", curve.mean_abs_S},
            {.name = "RoPE", .color = encoding_color("rope")});
  const double most = largest_of(curve.mean_abs_S);
  if (std::isfinite(most)) plot.y.range = Range{0.0, most * 1.04};
  const std::int64_t r = params.integer("distance");
  if (r <= params.integer("max_distance"))
    plot.rules.push_back(vertical(static_cast<double>(r), fmt::format("$r$ = {}", r), "distance"));
  return {"decay_bound",
          "Long-term decay: mean $|S_j|$, the factor of the bound (37) that Fig. 2 shows",
          caption_of(params), std::move(plot)};
}

/// Whether the largest change of one curve would press another one flat on a linear axis.
bool are_far_apart(const std::vector<Series>& curves) {
  constexpr double far_ratio = 10.0;
  Largest most;
  Smallest least(std::numeric_limits<double>::infinity());
  for (const Series& curve : curves) {
    Largest extent;
    for (const double y : curve.y) extent.see(std::abs(y));
    most.see(extent.value());
    if (extent.value() > 0) least.see(extent.value());
  }
  return most.value() > far_ratio * least.value();
}

/// The mean logits again, each against its own at distance 0: every encoding on the same axes.
Figure change_figure(const LinePlot& scores, const std::string& assumption,
                     const std::string& caption) {
  LinePlot plot{.x = scores.x,
                .y = {.label = "change of the logit",
                      .symbol = "$\\operatorname{logit}(r) − \\operatorname{logit}(0)$"}};
  for (const Series& logits : scores.series) {
    Series change{.name = logits.name, .x = logits.x, .y = logits.y, .color = logits.color};
    for (double& y : change.y) y -= logits.y.front();
    plot.series.push_back(std::move(change));
  }
  if (are_far_apart(plot.series)) plot.y.scale = AxisScale::symlog;
  return {"decay_changes", "Change with distance: " + assumption, caption, std::move(plot)};
}

/// The pairs that are not muted, head to tail.
Figure chain_figure(const ParamSet& params, const Rope<double>& rope) {
  const std::int64_t r = params.integer("distance");
  VectorPlot plot{.x = {.label = "real part", .symbol = "$\\Re S_j$"},
                  .y = {.label = "imaginary part", .symbol = "$\\Im S_j$"},
                  .quantity = "pair index $t$",
                  .value_role = AxisRole::pair};
  lay_head_to_tail(plot, phasor_chain(rope.unmuted(rope.theta()), r),
                   rope.unmuted(count_from_0(rope.theta().size())));
  return {
      "phasor_chain",
      fmt::format("Phasors end to end at distance $r$ = {}: their sums are $S_1$ … $S_{{d/2}}$", r),
      caption_of(params), std::move(plot)};
}

/// The largest share of the bound (37) that random q, k reach, and the largest gap between the
/// score by eq. (35) and by rotating q and k, both over a few draws and all distances up to 4096.
void check_bound(const ParamSet& params, const Rope<double>& rope, const DecayCurve& curve,
                 Progress& progress, Result& result) {
  constexpr std::size_t draws = 4;
  const std::vector<double> theta = rope.unmuted(rope.theta());
  const Index d = rope.convention().d_head;
  const Index count = std::min<Index>(4096, static_cast<Index>(curve.mean_abs_S.size()));
  const Positions m = consecutive_positions(count);
  const double gain = rope.attention_factor() * rope.attention_factor();
  Random random(params.integer("seed"), "checks of long_term_decay");
  Largest share, gap;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    checkpoint(progress, draw, draws, "checks");
    const Matrix<double> q = normal_matrix<double>(random, 1, d);
    const Matrix<double> k = normal_matrix<double>(random, 1, d);
    auto h = rope.unmuted(pair_products({q.data(), static_cast<std::size_t>(d)},
                                        {k.data(), static_cast<std::size_t>(d)}));
    for (std::complex<double>& product : h) product *= gain;
    Matrix<double> turned = q.replicate(count, 1), turned_k = k;
    rope.transform_queries(m, turned);
    rope.transform_keys(Positions{0}, turned_k);
    const double step = largest_step(h) * static_cast<double>(theta.size());
    for (Index r = 0; r < count; ++r) {
      const double score = complex_score(h, theta, r);
      share.see(std::abs(score) / (step * curve.mean_abs_S[static_cast<std::size_t>(r)]));
      gap.see(std::abs(score - turned.row(r).dot(turned_k.row(0))) / (gain * q.norm() * k.norm()));
    }
  }
  const FindingsOn of(result, "rope");
  of.at_most("bound_holds",
             "scores of random $q$, $k$ stay within the bound (largest |score| / bound)",
             "eq. (37)", share.value(), 1);
  of.at_most("complex_form_equals_rotation",
             "$\\Re Σ h_t e^{i(m−n)θ_t}$ equals the product of the rotated $q$ and $k$",
             "eq. (16) = eq. (35)", gap.value(), static_cast<double>(d + 10) * 0x1p-53);
}

void add_scalars(const DecayCurve& curve, Result& result) {
  const FindingsOn rope(result, "rope");
  for (std::size_t r = 0; r < curve.mean_abs_S.size(); r = r == 0 ? 1 : r * 10)
    rope.scalar(fmt::format("mean_abs_S_at_{}", r), curve.mean_abs_S[r],
                fmt::format("mean $|S_j|$ at distance {}", r), "", "mean $|S_j|$");
  const auto searched = static_cast<Position>(curve.B.size()) - 1;
  const auto place = [](const std::optional<std::size_t>& index) {
    return index ? static_cast<double>(*index) : std::numeric_limits<double>::quiet_NaN();
  };
  const auto rise = first_rise(curve.mean_abs_S), negative = first_negative(curve.B);
  rope.scalar("first_rise", place(rise),
              rise ? "first distance at which mean $|S_j|$ rises"
                   : fmt::format("mean $|S_j|$ rises at no distance to {}", searched),
              "tokens");
  rope.scalar("first_negative_B", place(negative), first_negative_text(negative, searched),
              "tokens", "$B_m < 0$");
}

void check_work(const ParamSet& params) {
  const auto distances = static_cast<double>(params.integer("max_distance") + 1);
  const double d =
      params.is_used("dim") ? static_cast<double>(params.integer("dim")) : 0;  // or a file's
  const double draws = params.is_used("draws") ? static_cast<double>(params.integer("draws")) : 1.0;
  const auto encodings = static_cast<double>(params.list("encoding").size());
  check_operations(
      fmt::format("max_distance={} with dim={} and {} pairs of q and k", distances - 1, d, draws),
      distances * d * operations_per_rotated_channel * (2 + draws * encodings / 2),
      "lower max_distance, dim or draws");
}

/// The frequencies with a base so many times as large, where a base plays a part and may be that.
std::optional<std::vector<double>> theta_at(const ParamSet& params, Index d, double factor) {
  if (!params.is_used("base")) return std::nullopt;
  const double base = params.real("base") * factor;
  const ParamSpec& spec = params.spec("base");
  if (base < spec.min || base > spec.max) return std::nullopt;
  ParamSet other = params;
  other.set_value("base", base);
  const Rope<double> rope = bounded_rope(other, d);
  return rope.unmuted(rope.theta());
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  SubProgress of_scores(progress, 0.1, 0.8), of_checks(progress, 0.8, 0.88),
      of_claims(progress, 0.88, 1.0);
  checkpoint(progress, 0.0, "decay bound");
  const DecayAssumption assumption = decay_assumption(params, inputs);
  const Rope<double> rope = bounded_rope(params, assumption.d);
  const Index count = params.integer("max_distance") + 1;
  const std::vector<double> theta = rope.unmuted(rope.theta());
  std::optional<DecayCurve> curve;  // the bound follows from RoPE's rotation and is of it alone
  if (names(params, "encoding", "rope")) curve = decay_curve(theta, 0, count);

  Result result;
  Table table{
      .name = "decay",
      .caption = curve ? "mean $|S_j|$ and $B_m$ by distance; logits by encoding with a key at "
                         "position 0"
                       : "logits by encoding with a key at position 0, by distance",
      .columns = {{"distance", "tokens", count_from_0(static_cast<std::size_t>(count))}}};
  if (curve) {
    add_scalars(*curve, result);
    result.figures.push_back(bound_figure(params, *curve, table));
    table.columns.push_back({"B", "", curve->B});
  }
  DecayLogits logits{
      .plot = {.x = distance_axis(), .y = {.label = "logit", .symbol = "$q_m·k_n$"}}};
  LinePlot& scores = logits.plot;
  const std::vector<std::string>& names = params.list("encoding");
  for (std::size_t e = 0; e < names.size(); ++e) {
    SubProgress part = equal_part(of_scores, e, names.size());
    Spread spread = scores_of(names[e], params, assumption, part);
    logits.standard_errors.push_back(spread.deviation.front() /
                                     std::sqrt(static_cast<double>(assumption.pairs.size())));
    Column mean{"logit_" + names[e], "", std::move(spread.mean)};
    if (assumption.has_spread())
      add_curve(table, scores, std::move(mean), spread.deviation, encoding_series(names[e]));
    else
      add_curve(table, scores, std::move(mean), encoding_series(names[e]));
  }
  result.tables.push_back(std::move(table));
  if (curve) {
    check_bound(params, rope, *curve, of_checks, result);
    result.figures.push_back(chain_figure(params, rope));
  }
  const std::string caption =
      fmt::format("key at position 0 · head 0 of {} · {}", heads, caption_of(params));
  result.figures.push_back(change_figure(scores, assumption.text, caption));
  std::optional<DecayFindings> found;
  if (curve) found.emplace(DecayFindings{params, assumption, rope, theta, *curve});
  if (found) add_bound_claims(*found, of_claims, result);
  add_meanings(params, assumption.text, scores.series, result);
  logits.rope = found ? &*found : nullptr;
  add_logits_figure(
      std::move(logits), assumption.text + " · " + caption,
      [&](double factor) { return theta_at(params, assumption.d, factor); }, result);
  return result;
}

/// Bytes as measured: of any run with what its allocator keeps, and per distance.
MemoryEstimate memory(const ParamSet& params) {
  constexpr double program = 60e6, shared = 1000, each = 200;
  const auto encodings = static_cast<double>(params.list("encoding").size());
  return {
      program + static_cast<double>(params.integer("max_distance")) * (shared + each * encodings),
      "lower max_distance, or compare fewer encodings at once"};
}

}  // namespace in_long_term_decay
}  // namespace

Experiment long_term_decay_experiment() {
  using namespace in_long_term_decay;
  Experiment experiment = with_provenance(make_info(), compute, check_work);
  experiment.memory = memory;
  return experiment;
}

}  // namespace orrery
