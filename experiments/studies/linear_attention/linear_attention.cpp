#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/analysis/largest.h"
#include "core/encodings/settings.h"
#include "core/parallel.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/trained_head.h"
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
                                        "Tokens that attend to each other; 0: 128, or as many as "
                                        "the model learned from with contents=trained.",
                                        0, 0, most_tokens)),
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
          {.keys = {"head"},
           .when =
               [](const ParamSet& params) {
                 return params.text("q").empty() && !has_trained_contents(params);
               }},
          {.figures = {"cost"},
           .keys = {"base", "deviation", "draws", "most_features", "seed", "shift", "tokens"}},
          {.figures = {"favor_error"}, .keys = {"favor_features", "longest", "shift"}},
          {.figures = {"map", "row_sums", "negative_weights", "weight_by_distance"},
           .keys = {"draws", "longest", "most_features", "shift"}}}};
}

void examine(const ParamSet& params, Progress& progress, LinearFindings& found) {
  const std::vector<std::string>& names = params.list("features");
  const Position shift = params.integer("shift");
  std::size_t done = 0;
  for (const std::string& name : names) {
    const FeatureName& feature = feature_named(name);
    const auto phi = make_features(feature.kind, params.integer("seed"),
                                   params.integer("favor_features"), found.in.q.cols());
    VariantFamily family{feature, phi->features(found.in.q.cols()), {}};
    for (const VariantName& variant : linear_variants()) {
      checkpoint(progress, done++, names.size() * linear_variants().size(),
                 feature.label + ", " + variant.label);
      family.maps.push_back(examine_map(found.in, *phi, variant.rotation, shift, found.softmax));
    }
    family.expected_sum_error = expected_sum_error(found.in, *phi);
    family.expected_shift_change = expected_shift_change(found.in, *phi, shift);
    found.families.push_back(std::move(family));
  }
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

void sweep_favor(const ParamSet& params, Progress& progress, LinearFindings& found) {
  const LinearInputs in = first_tokens(found.in, favor_sweep_tokens);
  const Matrix<double> softmax = softmax_rope_weights(in);
  const Index most = params.integer("most_features");
  const std::int64_t draws = params.integer("draws");
  found.sweep.resize(linear_variants().size());
  found.features_to_resolve = features_to_resolve(in);
  found.draws = draws;
  for (Index m = fewest_features; m <= most; m *= 2) {
    checkpoint(progress, static_cast<double>(m) / static_cast<double>(2 * most),
               "FAVOR+ with more features");
    std::vector<std::vector<double>> gaps(linear_variants().size());
    for (std::vector<double>& of_draws : gaps) of_draws.resize(static_cast<std::size_t>(draws));
    in_parallel(draws, threads_or_all(0), [&] {
      return [&](std::ptrdiff_t draw) {
        // Seeds of their own, so that a draw is not the projection of the maps above.
        const auto phi = make_features(FeatureKind::favor,
                                       params.integer("seed") * draws + draw + 1, m, in.q.cols());
        for (std::size_t i = 0; i < gaps.size(); ++i)
          gaps[i][static_cast<std::size_t>(draw)] = mean_half_difference(
              linear_weights(in, *phi, linear_variants()[i].rotation), softmax);
      };
    });
    found.swept_features.push_back(static_cast<double>(m));
    for (std::size_t i = 0; i < gaps.size(); ++i) add_point(found.sweep[i], gaps[i]);
  }
}

// When more features must come nearer to softmax.
constexpr double most_of_resolving = 4;  // the median kernel value is known to within twice itself
constexpr double least_growth = 8;       // of the number of features over the sweep
constexpr Index least_averaged = 64;     // queries times draws

/// Whether a family has weights that rounding leaves determined, and an effect that it cannot hide:
/// twice what it may cost. A NaN cannot be hidden.
/// @param expected  of claims that there is an effect: how large it should be
bool is_claimed(const VariantFamily& family, FeatureRotation rotation,
                double VariantFamily::*expected) {
  const LinearMap& map = map_of(family, rotation);
  return map.has_weights && !std::isinf(map.rounding) &&
         (!expected || !(family.*expected < 2 * map.rounding));
}

/// What holds of the weights of every variant but one, and the contrary, which holds of that one.
struct Claimed {
  const char *name{}, *statement{};
  const char *contrary{}, *contrary_statement{};
  const char* measure{};  ///< ends both statements
  const char* equation{};
  FeatureRotation exception{};
  double LinearMap::*number{};        ///< counted in what rounding may cost
  double VariantFamily::*expected{};  ///< of the exception
};

constexpr Claimed claims[] = {
    {"is_relative", "weights are a function of $m − n$", "is_not_relative",
     "weights are no function of $m − n$", " (change under a common shift, in roundings)",
     "eq. (11)", FeatureRotation::rotated_before_features, &LinearMap::shift_residual,
     &VariantFamily::expected_shift_change},
    {"sums_to_one", "the weights of a query sum to 1", "does_not_sum_to_one",
     "the weights of a query do not sum to 1", " (largest $|1 − Σ|$, in roundings)",
     "eq. (17), (19)", FeatureRotation::paper, &LinearMap::sum_error,
     &VariantFamily::expected_sum_error}};

/// "Is relative": at most one rounding in every family, and no check where none has weights. "Is not
/// relative": at least one rounding in every family whose effect shows, which the statement names
/// unless it is all of them; where rounding hides the effect in every family, it is a number without
/// a check.
void add_claim(const std::vector<VariantFamily>& families, const Claimed& claim,
               const VariantName& variant, Result& result) {
  const bool contrary = variant.rotation == claim.exception;
  Largest worst, expected;
  Smallest least(std::numeric_limits<double>::infinity());
  std::vector<std::string> claimed;
  for (const VariantFamily& family : families) {
    expected.see(family.*claim.expected);
    if (!is_claimed(family, variant.rotation, contrary ? claim.expected : nullptr)) continue;
    claimed.push_back(family.feature.label);
    const LinearMap& map = map_of(family, variant.rotation);
    worst.see(map.*claim.number / map.rounding);
    least.see(map.*claim.number / map.rounding);
  }
  const std::string name = variant.name + "_" + (contrary ? claim.contrary : claim.name);
  std::string statement = variant.label + ": " +
                          (contrary ? claim.contrary_statement : claim.statement) + claim.measure;
  const FindingsOn all(result);
  if (claimed.empty()) {
    if (contrary)
      all.scalar(name + "_expected", expected.value(),
                 statement +
                     ": not checked, because rounding may cost as much; by its formula, without a "
                     "unit");
    return;
  }
  if (!contrary) return all.at_most(name, statement, claim.equation, worst.value(), 1);
  if (claimed.size() < families.size())
    statement += fmt::format(
        "; of {}: with the others it is no larger than rounding, or there are no weights",
        fmt::join(claimed, ", "));
  all.at_least(name, statement, claim.equation, least.value(), 1);
}

/// Σ_n |v_n| is what an output makes of one rounding of every weight.
double worst_output(const LinearInputs& in, const std::vector<VariantFamily>& families) {
  const Matrix<double> columns = in.v.cwiseAbs().colwise().sum();
  const double values = largest_entry<double>(columns);
  Largest worst;
  for (const VariantFamily& family : families)
    for (const LinearMap& map : family.maps)
      worst.see(map.output_gap == 0 ? 0.0 : map.output_gap / (map.rounding * values));
  return worst.value();
}

/// FAVOR+ comes nearer to softmax with more features once these resolve the kernel, and when chance
/// is averaged out; before that every number of features misses alike, and there is no check.
void add_favor_check(const LinearFindings& found, Result& result) {
  const auto& before = found.sweep[index_of(FeatureRotation::rotated_before_features)].mean;
  const double fewest = found.swept_features.front(), most = found.swept_features.back();
  const bool resolved = !(found.features_to_resolve > most_of_resolving * most);
  const bool many = most >= least_growth * fewest;
  const bool averaged =
      found.draws * std::min<Index>(found.in.q.rows(), favor_sweep_tokens) >= least_averaged;
  if (resolved && many && averaged)
    FindingsOn(result).at_most(
        "favor_approaches_softmax",
        "rotated before $φ$, more features come nearer to softmax with RoPE (last "
        "distance over first)",
        "Choromanski et al. 2021, Lemma 1", before.back() / before.front(), 1);
}

/// Checks what is claimed of the maps, of the outputs and of the sweep over FAVOR+ features. A
/// claim that there is an effect is made where rounding and chance cannot hide it; elsewhere the
/// effect is a number without a check.
void add_linear_claims(const LinearFindings& found, Result& result) {
  const std::vector<VariantFamily>& families = found.families;
  for (const Claimed& claim : claims)
    for (const VariantName& variant : linear_variants())
      add_claim(families, claim, variant, result);
  for (const FeatureRotation rotation :
       {FeatureRotation::rotated_before_features, FeatureRotation::none}) {
    const VariantName& variant = linear_variants()[index_of(rotation)];
    Smallest least(0.0);
    for (const VariantFamily& family : families)
      least.see(map_of(family, rotation).signs.most_negative);
    FindingsOn(result, variant.name, variant.label)
        .at_least("is_positive", "no weight is negative (least weight)", "eq. (18), $φ ≥ 0$",
                  least.value(), 0);
  }
  FindingsOn(result).at_most("no_map_is_needed",
                             "sums of size $F·d_v$ give the output of the map of weights (largest "
                             "difference, in roundings)",
                             "eq. (19)", worst_output(found.in, families), 1);
  add_favor_check(found, result);
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
  const std::int64_t tokens =
      params.is_used("tokens") ? tokens_of(params) : params.integer("max_tokens");
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
  LinearFindings found{.in = linear_inputs(params, inputs)};
  found.softmax = softmax_rope_weights(found.in);
  examine(params, of_families, found);
  sweep_favor(params, of_sweep, found);

  Result result;
  if (params.is_used("max_tokens")) result.scalars.push_back(token_count(found.in.read));
  for (const VariantFamily& family : found.families) add_scalars(found.in, family, result);
  FindingsOn(result).scalar(
      "features_to_resolve", found.features_to_resolve,
      "features of FAVOR+ that know half of $e^{q·k/\\sqrt{d}}$ to within itself; "
      "with a quarter of them or fewer, no check says that it approaches softmax",
      "", "$M$");
  add_linear_claims(found, result);
  add_linear_figures(params, found, result);
  title_cut(found.in.read, result.figures);
  if (params.is_used("tokens") && params.integer("tokens") == 0)
    result.in_use.push_back({.key = "tokens", .value = static_cast<double>(tokens_of(params))});
  return result;
}

}  // namespace in_linear_attention
}  // namespace

Experiment linear_attention_experiment() {
  using namespace in_linear_attention;
  return with_provenance(make_info(), compute, check_work);
}

}  // namespace orrery
