#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/largest.h"
#include "core/encodings/settings.h"
#include "experiments/model/experiment.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/user_qkv.h"
#include "experiments/studies/linear_attention/figures.h"
#include "experiments/studies/linear_attention/variants.h"

namespace orrery::studies {
namespace {

constexpr Index fewest_features = 16;  // of the sweep over FAVOR+ features

ParamSpec features_param() {
  return {.key = "features",
          .symbol = "φ",
          .description = "Feature maps to compare; the first one's weights are drawn as maps.",
          .kind = ParamKind::choice_list,
          .default_value = std::vector<std::string>{"relu", "elu_plus_one", "favor"},
          .choices = feature_map_choices(),
          .retired_values = {{"elu", "write elu_plus_one"}}};
}

std::vector<ParamSpec> declared_params() {
  return {
      features_param(),
      {.key = "favor_features",
       .symbol = "M",
       .description = "Random features of FAVOR+; even, because features are rotated in pairs.",
       .kind = ParamKind::integer,
       .default_value = std::int64_t{256},
       .min = 2,
       .max = 4096,
       .multiple_of = 2,
       .logarithmic = true},
      log_count_param({"most_features", "M_max"},
                      "FAVOR+ is tried with 16, 32, … features, up to this.", 2048, 32, 8192),
      log_count_param("draws", "Random projections of FAVOR+ at each number of features.", 4, 1,
                      256),
      log_count_param({"tokens", "N", "tokens"},
                      "Tokens that attend to each other; the most that are read from files.", 128,
                      2, 1024),
      user_param("q", "Your own queries, before any rotation"),
      user_param("k", "Your own keys, before any rotation"),
      user_param("v", "Your own values"),
      head_of_files_param(),
      unless_q_is_given(dim_param(64)),
      unless_q_is_given({.key = "deviation",
                         .symbol = "σ",
                         .description = "Deviation of the entries of q and k; v has 1.",
                         .kind = ParamKind::real,
                         .default_value = 0.7,
                         .min = 0.01,
                         .max = 4.0,
                         .logarithmic = true}),
      causal_param(false),
      base_param(),
      log_count_param({"shift", "s", "tokens"},
                      "Common shift of all positions, on which relative weights do not depend.",
                      1000, 1, 0x1p40),
      log_count_param({"longest", "N_max", "tokens"},
                      "The longest sequence for which operations are counted.", 65536, 16, 0x1p30),
      seed_param()};
}

ExperimentInfo make_info() {
  return {
      .name = "linear_attention",
      .version = 1,
      .title = "Linear attention",
      .question = "How do the weights of linear attention with RoPE differ from those of softmax?",
      .formulas =
          {{R"(\mathbf{o}_m = \frac{\sum_{n=1}^{N} (\mathbf{R}_m \varphi(\mathbf{q}_m))^\top (\mathbf{R}_n \phi(\mathbf{k}_n)) \mathbf{v}_n}{\sum_{n=1}^{N} \varphi(\mathbf{q}_m)^\top \phi(\mathbf{k}_n)})",
            "eq. (19)"},
           {R"(\text{both rotated: } \mathbf{R} \varphi \text{ below the bar too; rotated before } \varphi: \; \varphi(\mathbf{R}_m \mathbf{q}_m)^\top \varphi(\mathbf{R}_n \mathbf{k}_n))",
            "", in_descriptions},
           {R"(\text{softmax: } 2 N^2 (d + d_v) \text{ operations and more; linear: } 4 N F \, d_v \text{ and more})",
            "", in_descriptions}},
      .symbols = {{"R_m", "rotation by m times each pair's frequency"},
                  {"R_n", "rotation by n times each pair's frequency"},
                  {"φ", "feature map of the queries, positive"},
                  {"ϕ", "feature map of the keys, positive"}},
      .params = declared_params()};
}

std::vector<Family> examine(const ParamSet& params, const LinearInputs& in,
                            const Matrix<double>& softmax, Progress& progress) {
  std::vector<Family> families;
  const auto& names = params.list("features");
  std::size_t done = 0;
  for (const std::string& name : names) {
    const FeatureName& feature = feature_named(name);
    const auto phi = make_features(feature.kind, params.integer("seed"),
                                   params.integer("favor_features"), in.q.cols());
    families.push_back({feature, phi->features(in.q.cols()), {}});
    for (const VariantName& variant : linear_variants()) {
      checkpoint(progress, done++, names.size() * linear_variants().size(),
                 feature.label + ", " + variant.label);
      families.back().maps.push_back(
          examine_map(in, *phi, variant.rotation, params.integer("shift"), softmax));
    }
  }
  return families;
}

LinearInputs first_tokens(const LinearInputs& in, Index most) {
  const Index n = std::min<Index>(most, in.q.rows());
  LinearInputs part{in.q.topRows(n), in.k.topRows(n), in.v.topRows(n), consecutive_positions(n), {},
                    in.causal,       in.base};
  if (part.causal) part.mask = Mask::causal(part.positions, part.positions);
  return part;
}

void add_point(FavorSweep::Curve& curve, const std::vector<double>& gaps) {
  double sum = 0;
  Smallest low(gaps.front());
  Largest high(gaps.front());
  for (const double gap : gaps) {
    sum += gap;
    low.see(gap);
    high.see(gap);
  }
  curve.mean.push_back(sum / static_cast<double>(gaps.size()));
  curve.low.push_back(low.value());
  curve.high.push_back(high.value());
}

FavorSweep sweep_favor(const ParamSet& params, const LinearInputs& whole, Progress& progress) {
  const LinearInputs in = first_tokens(whole, favor_sweep_tokens);
  const Matrix<double> softmax = softmax_rope_weights(in);
  const Index most = params.integer("most_features");
  const std::int64_t draws = params.integer("draws");
  FavorSweep sweep{{}, std::vector<FavorSweep::Curve>(linear_variants().size())};
  for (Index m = fewest_features; m <= most; m *= 2) {
    std::vector<std::vector<double>> gaps(linear_variants().size());
    for (std::int64_t draw = 0; draw < draws; ++draw) {
      const double done = static_cast<double>(m) / static_cast<double>(2 * most) +
                          static_cast<double>(m * draw) / static_cast<double>(2 * most * draws);
      checkpoint(progress, done, "FAVOR+ with more features");
      // Seeds of their own, so that a draw is not the projection of the maps above.
      const auto phi = make_features(FeatureKind::favor, params.integer("seed") * draws + draw + 1,
                                     m, in.q.cols());
      for (std::size_t i = 0; i < gaps.size(); ++i)
        gaps[i].push_back(
            mean_half_difference(linear_weights(in, *phi, linear_variants()[i].rotation), softmax));
    }
    sweep.features.push_back(static_cast<double>(m));
    for (std::size_t i = 0; i < gaps.size(); ++i) add_point(sweep.curves[i], gaps[i]);
  }
  return sweep;
}

void add_scalars(const LinearInputs& in, const Family& family, Result& result) {
  const LinearMap& map = map_of(family, FeatureRotation::paper);
  const std::string& key = family.feature.name;
  const std::string with = "eq. (19) with " + family.feature.label + ": ";
  result.scalars.push_back({.name = key + "_negative_share",
                            .value = map.signs.negative_share,
                            .description = with + "share of the weights that are negative"});
  result.scalars.push_back({.name = key + "_most_negative",
                            .value = map.signs.most_negative,
                            .description = with + "the most negative weight"});
  result.scalars.push_back({.name = key + "_row_sum_min",
                            .value = map.signs.row_sum_min,
                            .description = with + "least sum of a query's weights"});
  result.scalars.push_back({.name = key + "_row_sum_max",
                            .value = map.signs.row_sum_max,
                            .description = with + "largest sum of a query's weights"});
  result.scalars.push_back(
      {.name = key + "_crossover",
       .symbol = "N",
       .unit = "tokens",
       .value = static_cast<double>(crossover_of(in, family)),
       .description = with + "from this length on it takes no more operations than softmax"});
}

/// The largest, over feature maps, of a number in units of what rounding may cost.
double worst_in_roundings(const std::vector<Family>& families, FeatureRotation rotation,
                          double (*number)(const LinearMap&)) {
  Largest worst;
  for (const Family& family : families) {
    const LinearMap& map = map_of(family, rotation);
    worst.see(number(map) / map.rounding);
  }
  return worst.value();
}

double least_in_roundings(const std::vector<Family>& families, FeatureRotation rotation,
                          double (*number)(const LinearMap&)) {
  Smallest least(std::numeric_limits<double>::infinity());
  for (const Family& family : families) {
    const LinearMap& map = map_of(family, rotation);
    least.see(number(map) / map.rounding);
  }
  return least.value();
}

double residual_of(const LinearMap& map) { return map.shift_residual; }
double sum_error_of(const LinearMap& map) { return map.sum_error; }

void add_relative_checks(const std::vector<Family>& families, std::vector<Check>& checks) {
  for (const VariantName& variant : linear_variants()) {
    const bool relative = variant.rotation != FeatureRotation::rotated_before_features;
    checks.push_back({.name = variant.name + (relative ? "_is_relative" : "_is_not_relative"),
                      .statement = variant.label +
                                   (relative ? ": weights are a function of m − n"
                                             : ": weights are no function of m − n") +
                                   " (change under a common shift, in roundings)",
                      .equation = "eq. (11)",
                      .measured = relative
                                      ? worst_in_roundings(families, variant.rotation, residual_of)
                                      : least_in_roundings(families, variant.rotation, residual_of),
                      .relation = relative ? Relation::at_most : Relation::at_least,
                      .bound = 1.0});
  }
}

void add_sum_checks(const std::vector<Family>& families, std::vector<Check>& checks) {
  for (const VariantName& variant : linear_variants()) {
    const bool sums = variant.rotation != FeatureRotation::paper;
    checks.push_back(
        {.name = variant.name + (sums ? "_sums_to_one" : "_does_not_sum_to_one"),
         .statement = variant.label +
                      (sums ? ": the weights of a query sum to 1"
                            : ": the weights of a query do not sum to 1") +
                      " (largest |1 − Σ|, in roundings)",
         .equation = "eq. (17), (19)",
         .measured = sums ? worst_in_roundings(families, variant.rotation, sum_error_of)
                          : least_in_roundings(families, variant.rotation, sum_error_of),
         .relation = sums ? Relation::at_most : Relation::at_least,
         .bound = 1.0});
  }
}

double least_weight(const std::vector<Family>& families, FeatureRotation rotation) {
  Smallest least(0.0);
  for (const Family& family : families) least.see(map_of(family, rotation).signs.most_negative);
  return least.value();
}

/// Σ_n |v_n| is what an output makes of one rounding of every weight.
double worst_output(const LinearInputs& in, const std::vector<Family>& families) {
  const Matrix<double> columns = in.v.cwiseAbs().colwise().sum();
  const double values = largest_entry<double>(columns);
  Largest worst;
  for (const Family& family : families)
    for (const LinearMap& map : family.maps)
      worst.see(map.output_gap == 0 ? 0.0 : map.output_gap / (map.rounding * values));
  return worst.value();
}

std::vector<Check> checks_of(const LinearInputs& in, const std::vector<Family>& families,
                             const FavorSweep& sweep) {
  std::vector<Check> checks;
  add_relative_checks(families, checks);
  add_sum_checks(families, checks);
  for (const FeatureRotation rotation :
       {FeatureRotation::rotated_before_features, FeatureRotation::none}) {
    const auto& variant = *std::find_if(linear_variants().begin(), linear_variants().end(),
                                        [&](const auto& v) { return v.rotation == rotation; });
    checks.push_back({.name = variant.name + "_is_positive",
                      .statement = variant.label + ": no weight is negative (least weight)",
                      .equation = "eq. (18), φ ≥ 0",
                      .measured = least_weight(families, rotation),
                      .relation = Relation::at_least,
                      .bound = 0.0});
  }
  checks.push_back({.name = "no_map_is_needed",
                    .statement = "sums of size F·d_v give the output of the map of weights "
                                 "(largest difference, in roundings)",
                    .equation = "eq. (19)",
                    .measured = worst_output(in, families),
                    .bound = 1.0});
  const auto& before = sweep.curves[index_of(FeatureRotation::rotated_before_features)].mean;
  checks.push_back({.name = "favor_approaches_softmax",
                    .statement = "rotated before φ, more features come nearer to softmax with "
                                 "RoPE (last distance over first)",
                    .equation = "Choromanski et al. 2021, Lemma 1",
                    .measured = before.back() / before.front(),
                    .bound = 1.0});
  return checks;
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  SubProgress of_families(progress, 0.0, 0.5), of_sweep(progress, 0.5, 1.0);
  checkpoint(progress, 0.0, "softmax attention");
  const LinearInputs in = linear_inputs(params, inputs);
  const Matrix<double> softmax = softmax_rope_weights(in);
  const std::vector<Family> families = examine(params, in, softmax, of_families);
  const FavorSweep sweep = sweep_favor(params, in, of_sweep);

  Result result;
  for (const Family& family : families) add_scalars(in, family, result);
  result.checks = checks_of(in, families, sweep);
  add_linear_figures(params, {in, softmax, families, sweep}, result);
  add_linear_tables(params, {in, softmax, families, sweep}, result);
  return result;
}

}  // namespace

Experiment linear_attention_experiment() { return with_provenance(make_info(), compute); }

}  // namespace orrery::studies
