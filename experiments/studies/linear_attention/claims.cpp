#include "experiments/studies/linear_attention/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/analysis/largest.h"

namespace orrery {
namespace {
namespace in_claims {

// When more features must come nearer to softmax.
constexpr double most_of_resolving = 4;  // the median kernel value is known to within twice itself
constexpr double least_growth = 8;       // of the number of features over the sweep
constexpr Index least_averaged = 64;     // queries times draws

/// A number that is claimed of the maps of a variant, in units of what rounding may cost.
struct MapClaim {
  FeatureRotation rotation{};
  double LinearMap::*number{};
  double VariantFamily::*expected{};  ///< of claims that there is an effect: how large it should be
};

/// Whether a family has weights that rounding leaves determined, and an effect that it cannot hide:
/// twice what it may cost. A NaN cannot be hidden.
bool is_claimed(const MapClaim& claim, const VariantFamily& family) {
  const LinearMap& map = map_of(family, claim.rotation);
  return map.has_weights && !std::isinf(map.rounding) &&
         (!claim.expected || !(family.*claim.expected < 2 * map.rounding));
}

/// "is relative": at most one rounding in every family. Nothing where no family has weights.
std::optional<Check> at_most_rounding(const std::vector<VariantFamily>& families,
                                      const MapClaim& claim, Check check) {
  Largest worst;
  bool any = false;
  for (const VariantFamily& family : families) {
    if (!is_claimed(claim, family)) continue;
    any = true;
    const LinearMap& map = map_of(family, claim.rotation);
    worst.see(map.*claim.number / map.rounding);
  }
  if (!any) return std::nullopt;
  check.measured = worst.value();
  check.bound = 1.0;
  return check;
}

/// "is not relative": at least one rounding in every family whose effect shows, which the statement
/// names unless it is all of them.
std::optional<Check> at_least_rounding(const std::vector<VariantFamily>& families,
                                       const MapClaim& claim, Check check) {
  Smallest least(std::numeric_limits<double>::infinity());
  std::vector<std::string> claimed;
  for (const VariantFamily& family : families) {
    if (!is_claimed(claim, family)) continue;
    claimed.push_back(family.feature.label);
    const LinearMap& map = map_of(family, claim.rotation);
    least.see(map.*claim.number / map.rounding);
  }
  if (claimed.empty()) return std::nullopt;
  if (claimed.size() < families.size())
    check.statement =
        check.statement +
        fmt::format(
            "; of {}: with the others it is no larger than rounding, or there are no weights",
            fmt::join(claimed, ", "));
  check.measured = least.value();
  check.relation = Relation::at_least;
  check.bound = 1.0;
  return check;
}

void add(std::optional<Check> check, std::vector<Check>& checks) {
  if (check) checks.push_back(std::move(*check));
}

/// A claim that there is an effect, or, where rounding hides it in every family, the effect as a
/// number without a check.
void add_effect(const std::vector<VariantFamily>& families, const MapClaim& claim,
                const Check& check, Result& result) {
  if (std::optional<Check> made = at_least_rounding(families, claim, check)) {
    result.checks.push_back(std::move(*made));
    return;
  }
  Largest expected;
  for (const VariantFamily& family : families) expected.see(family.*claim.expected);
  FindingsOn(result, check.name)
      .scalar("expected", expected.value(),
              check.statement +
                  ": not checked, because rounding may cost as much; by its formula, without a "
                  "unit");
}

/// What holds of the weights of every variant but one, and the contrary, which holds of that one.
struct Claimed {
  const char *name{}, *statement{};
  const char *contrary{}, *contrary_statement{};
  const char* measure{};  ///< ends both statements
  const char* equation{};
  FeatureRotation exception{};
  double LinearMap::*number{};
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

void add_claim(const std::vector<VariantFamily>& families, const Claimed& claim, Result& result) {
  for (const VariantName& variant : linear_variants()) {
    const bool contrary = variant.rotation == claim.exception;
    const Check check{.name = variant.name + "_" + (contrary ? claim.contrary : claim.name),
                      .statement = variant.label + ": " +
                                   (contrary ? claim.contrary_statement : claim.statement) +
                                   claim.measure,
                      .equation = claim.equation};
    if (contrary)
      add_effect(families, {variant.rotation, claim.number, claim.expected}, check, result);
    else
      add(at_most_rounding(families, {variant.rotation, claim.number}, check), result.checks);
  }
}

double least_weight(const std::vector<VariantFamily>& families, FeatureRotation rotation) {
  Smallest least(0.0);
  for (const VariantFamily& family : families)
    least.see(map_of(family, rotation).signs.most_negative);
  return least.value();
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
std::optional<Check> favor_check(const LinearInputs& in, const FavorSweep& sweep) {
  const auto& before = sweep.curves[index_of(FeatureRotation::rotated_before_features)].mean;
  const bool resolved = !(sweep.features_to_resolve > most_of_resolving * sweep.features.back());
  const bool many = sweep.features.back() >= least_growth * sweep.features.front();
  const bool averaged =
      sweep.draws * std::min<Index>(in.q.rows(), favor_sweep_tokens) >= least_averaged;
  if (!resolved || !many || !averaged) return std::nullopt;
  return Check{.name = "favor_approaches_softmax",
               .statement =
                   "rotated before $φ$, more features come nearer to softmax with RoPE (last "
                   "distance over first)",
               .equation = "Choromanski et al. 2021, Lemma 1",
               .measured = before.back() / before.front(),
               .bound = 1.0};
}

}  // namespace in_claims
}  // namespace

void add_linear_claims(const LinearInputs& in, const std::vector<VariantFamily>& families,
                       const FavorSweep& sweep, Result& result) {
  using namespace in_claims;
  for (const Claimed& claim : claims) add_claim(families, claim, result);
  for (const FeatureRotation rotation :
       {FeatureRotation::rotated_before_features, FeatureRotation::none}) {
    const auto& variant = *std::find_if(linear_variants().begin(), linear_variants().end(),
                                        [&](const auto& v) { return v.rotation == rotation; });
    FindingsOn(result, variant.name, variant.label)
        .at_least("is_positive", "no weight is negative (least weight)", "eq. (18), $φ ≥ 0$",
                  least_weight(families, rotation), 0);
  }
  FindingsOn(result).at_most("no_map_is_needed",
                             "sums of size $F·d_v$ give the output of the map of weights (largest "
                             "difference, in roundings)",
                             "eq. (19)", worst_output(in, families), 1);
  add(favor_check(in, sweep), result.checks);
}

}  // namespace orrery
