#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/analysis/largest.h"
#include "core/encodings/settings.h"
#include "experiments/model/experiment.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/check_settings.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/trained_head.h"
#include "experiments/setup/user_qkv.h"
#include "experiments/studies/linear_attention/claims.h"
#include "experiments/studies/linear_attention/expectations.h"
#include "experiments/studies/linear_attention/figures.h"
#include "experiments/studies/linear_attention/variants.h"

namespace orrery {
namespace {
namespace in_linear_attention {

constexpr Index fewest_features = 16;  // of the sweep over FAVOR+ features
constexpr double most_tokens = 1024;   // a run holds a map for each feature map and variant

std::vector<ParamSpec> declared_params() {
  ParamSpec features = choices_param(
      {"features", "$φ$"}, "Feature maps to compare; the first one's weights are drawn as maps.",
      {"relu", "elu_plus_one", "favor"}, feature_map_choices());
  features.retired_values = {{"elu", "write elu_plus_one"}};
  ParamSpec favor = log_count_param(
      {"favor_features", "$M$"},
      "Random features of FAVOR+; even, because features are rotated in pairs.", 256, 2, 4096);
  favor.multiple_of = 2;
  return {
      std::move(features),
      std::move(favor),
      log_count_param({"most_features", "$M_\\mathrm{max}$"},
                      "FAVOR+ is tried with 16, 32, … features, up to this.", 2048, 32, 8192),
      log_count_param("draws", "Random projections of FAVOR+ at each number of features.", 4, 1,
                      256),
      unless_q_is_given(log_count_param({"tokens", "$N$", "tokens"},
                                        "Tokens that attend to each other.", 128, 2, most_tokens)),
      stated_if_set(read_while(
          "q", {"*"},
          log_count_param({"max_tokens", "$N$", "tokens"},
                          "The most tokens that are read from your files, from the first.",
                          static_cast<std::int64_t>(most_tokens), 2, most_tokens))),
      user_param("q", "Your own queries, before any rotation"),
      user_param("k", "Your own keys, before any rotation"),
      user_param("v", "Your own values"),
      head_of_files_param(),
      unless_q_is_given(contents_param("random")),
      trained_layer_param("contents"),
      of_random_contents(dim_param(64)),
      of_random_contents(log_real_param({"deviation", "$σ$"},
                                        "Deviation of the entries of $q$ and $k$; $v$ has 1.", 0.7,
                                        0.01, 4)),
      causal_param(false),
      base_param(),
      log_count_param({"shift", "$s$", "tokens"},
                      "Common shift of all positions, on which relative weights do not depend.",
                      1000, 1, 0x1p40),
      log_count_param({"longest", "$N_\\mathrm{max}$", "tokens"},
                      "The longest sequence for which operations are counted.", 65536, 16, 0x1p30),
      seed_param()};
}

bool has_no_heads(const ParamSet& params) {
  return params.text("q").empty() && !has_trained_contents(params);
}

ExperimentInfo make_info() {
  return {
      .name = "linear_attention",
      .version = 3,
      .title = "Linear attention",
      .question = "How do the weights of linear attention with RoPE differ from those of softmax?",
      .formulas =
          {{R"(\mathbf{o}_m = \frac{\sum_{n=1}^{N} (\mathbf{R}_m \varphi(\mathbf{q}_m))^\top (\mathbf{R}_n \phi(\mathbf{k}_n)) \mathbf{v}_n}{\sum_{n=1}^{N} \varphi(\mathbf{q}_m)^\top \phi(\mathbf{k}_n)})",
            "eq. (19)"},
           {R"(\text{both rotated: } \mathbf{R} \varphi \text{ below the bar too; rotated before } \varphi: \; \varphi(\mathbf{R}_m \mathbf{q}_m)^\top \varphi(\mathbf{R}_n \mathbf{k}_n))",
            "", in_descriptions},
           {R"(\text{softmax: } 2 N^2 (d + d_v) \text{ operations and more; linear: } 4 N F \, d_v \text{ and more})",
            "", in_descriptions}},
      .symbols = {{"R_m", "rotation by $m$ times each pair's frequency"},
                  {"R_n", "rotation by $n$ times each pair's frequency"},
                  {"φ", "feature map of the queries, positive"},
                  {"ϕ", "feature map of the keys, positive"}},
      .params = declared_params(),
      .view = {.controls = {"features", "tokens", "deviation", "base"},
               .tabs = {{"map_softmax", "Map: softmax"}, {"favor_error", "Error of FAVOR+"}}},
      .paired_files = paired_qk(),
      .ignored = {
          {.keys = {"head"}, .when = has_no_heads},
          {.figures = {"cost"},
           .keys = {"base", "deviation", "draws", "most_features", "seed", "shift", "tokens"}},
          {.figures = {"favor_error"}, .keys = {"favor_features", "longest", "shift"}},
          {.figures = {"map", "row_sums", "negative_weights", "weight_by_distance"},
           .keys = {"draws", "longest", "most_features", "shift"}}}};
}

std::vector<VariantFamily> examine(const ParamSet& params, const LinearInputs& in,
                                   const Matrix<double>& softmax, Progress& progress) {
  std::vector<VariantFamily> families;
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
    families.back().expected_sum_error = expected_sum_error(in, *phi);
    families.back().expected_shift_change =
        expected_shift_change(in, *phi, params.integer("shift"));
  }
  return families;
}

LinearInputs first_tokens(const LinearInputs& in, Index most) {
  const Index n = std::min<Index>(most, in.q.rows());
  LinearInputs part{in.q.topRows(n), in.k.topRows(n), in.v.topRows(n), consecutive_positions(n), {},
                    in.causal,       in.base,         in.read};
  if (part.causal) part.mask = Mask::causal(part.positions, part.positions);
  return part;
}

void add_point(Band& curve, const std::vector<double>& gaps) {
  double sum = 0;
  Smallest low(gaps.front());
  Largest high(gaps.front());
  for (const double gap : gaps) {
    sum += gap;
    low.see(gap);
    high.see(gap);
  }
  curve.mean.push_back(sum / static_cast<double>(gaps.size()));
  curve.least.push_back(low.value());
  curve.greatest.push_back(high.value());
}

FavorSweep sweep_favor(const ParamSet& params, const LinearInputs& whole, Progress& progress) {
  const LinearInputs in = first_tokens(whole, favor_sweep_tokens);
  const Matrix<double> softmax = softmax_rope_weights(in);
  const Index most = params.integer("most_features");
  const std::int64_t draws = params.integer("draws");
  FavorSweep sweep{.features = {},
                   .curves = std::vector<Band>(linear_variants().size()),
                   .features_to_resolve = features_to_resolve(in),
                   .draws = draws};
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

void add_scalars(const LinearInputs& in, const VariantFamily& family, Result& result) {
  const FindingsOn of(result, family.feature.name, "eq. (19) with " + family.feature.label);
  of.scalars(map_of(family, FeatureRotation::paper), map_measures());
  of.scalar("crossover", static_cast<double>(crossover_of(in, family)),
            "from this length on it takes no more operations than softmax", "tokens", "$N$");
}

/// An orthogonal projection of M features is made of blocks of d × d, each one QR decomposition.
double operations_of_projection(double features, double d) {
  return 4 * d * d * d * std::ceil(features / d);
}

double operations_of_maps(double n, double features) {
  return n * features * (12 * n * operations_per_product + 10 * operations_per_rotated_channel);
}

void check_work(const ParamSet& params) {
  const std::int64_t tokens = params.integer(params.is_used("tokens") ? "tokens" : "max_tokens");
  const auto n = static_cast<double>(tokens);
  const double d =
      params.is_used("dim") ? static_cast<double>(params.integer("dim")) : 0;  // or another's
  const auto draws = static_cast<double>(params.integer("draws"));
  const auto of_favor = static_cast<double>(params.integer("favor_features"));
  const auto most = static_cast<double>(params.integer("most_features"));
  double operations = 0;
  for (const std::string& name : params.list("features")) {
    const bool favor = feature_named(name).kind == FeatureKind::favor;
    operations += operations_of_maps(n, favor ? of_favor : d);
    if (favor && d > 0) operations += operations_of_projection(of_favor, d);
  }
  const auto swept = static_cast<double>(std::min<std::int64_t>(tokens, favor_sweep_tokens));
  for (double m = fewest_features; m <= most; m *= 2)
    operations +=
        draws * (operations_of_maps(swept, m) / 2 + (d > 0 ? operations_of_projection(m, d) : 0));
  check_operations(
      fmt::format("draws={} of most_features={} with tokens={}, dim={} and favor_features={}",
                  draws, most, n, d, of_favor),
      operations, "lower draws, most_features, dim or the number of tokens");
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  SubProgress of_families(progress, 0.0, 0.5), of_sweep(progress, 0.5, 1.0);
  checkpoint(progress, 0.0, "softmax attention");
  const LinearInputs in = linear_inputs(params, inputs);
  const Matrix<double> softmax = softmax_rope_weights(in);
  const std::vector<VariantFamily> families = examine(params, in, softmax, of_families);
  const FavorSweep sweep = sweep_favor(params, in, of_sweep);

  Result result;
  if (params.is_used("max_tokens")) result.scalars.push_back(token_count(in.read));
  for (const VariantFamily& family : families) add_scalars(in, family, result);
  FindingsOn(result).scalar(
      "features_to_resolve", sweep.features_to_resolve,
      "features of FAVOR+ that know half of $e^{q·k/\\sqrt{d}}$ to within itself; "
      "with a quarter of them or fewer, no check says that it approaches softmax",
      "", "$M$");
  add_linear_claims(in, families, sweep, result);
  add_linear_figures(params, {in, softmax, families, sweep}, result);
  title_cut(in.read, result.figures);
  return result;
}

}  // namespace in_linear_attention
}  // namespace

Experiment linear_attention_experiment() {
  using namespace in_linear_attention;
  return with_provenance(make_info(), compute, check_work);
}

}  // namespace orrery
