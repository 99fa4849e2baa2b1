// RoPE's frequencies stretched to longer contexts.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/encodings/rope.h"
#include "experiments/verify/cases.h"

namespace orrery {
namespace {
namespace in_equations_rope_scaling {

using literal::Real;

constexpr Real s = 4, original = 64, slow = 1, fast = 8;
/// A scaling rounds θ a few times more than its own formula does.
constexpr double roundings_of_theta = 4;
constexpr Real two_pi = 2 * std::numbers::pi_v<Real>;

/// One way of stretching, by name, as its authors write it.
struct Stretching {
  std::string name;
  std::string statement;
  std::string source;
  RopeScaling config;
  std::vector<Real> theta;
  Real factor{1};
};

Real clipped(Real along) { return std::clamp<Real>(along, 0, 1); }

template <class Formula>
std::vector<Real> each_pair(Index d, const Formula& formula) {
  std::vector<Real> theta;
  for (Index t = 0; t < d / 2; ++t)
    theta.push_back(formula(literal::theta(t, d, paper_base), static_cast<Real>(t)));
  return theta;
}

/// base·x^(d/(d−2)) for base multiplies theta_t by x^(−2t/(d−2)).
std::vector<Real> with_base_times(Index d, Real x) {
  return each_pair(d, [&](Real theta, Real t) {
    return theta * std::pow(x, -2 * t / static_cast<Real>(d - 2));
  });
}

/// The share of theta/s, linear in t between the pairs with `fast` and with `slow` rotations.
Real yarn_ramp(Index d, Real t) {
  const auto pair_with = [&](Real rotations) {
    return static_cast<Real>(d) * std::log(original / (rotations * two_pi)) /
           (2 * std::log(static_cast<Real>(paper_base)));
  };
  const Real low = std::max<Real>(0, std::floor(pair_with(fast)));
  const Real high = std::min<Real>(static_cast<Real>(d - 1), std::ceil(pair_with(slow)));
  return clipped((t - low) / (high - low));
}

/// The share of theta, linear in rotations within the original length.
Real by_rotations(Real theta, Real low, Real high) {
  return clipped((original * theta / two_pi - low) / (high - low));
}

RopeScaling config_of(RopeScalingKind kind) {
  return {.kind = kind,
          .factor = static_cast<double>(s),
          .original_length = static_cast<double>(original),
          .length = 1001,
          .beta_fast = static_cast<double>(fast),
          .beta_slow = static_cast<double>(slow)};
}

std::vector<Stretching> stretchings(Index d) {
  using Kind = RopeScalingKind;
  const auto blend = [](Real theta, Real kept) { return kept * theta + (1 - kept) * theta / s; };
  std::vector<Stretching> all;
  all.push_back({"linear", "position interpolation: θ_t/s", "Chen et al. 2023, arXiv 2306.15595",
                 config_of(Kind::linear),
                 each_pair(d, [](Real theta, Real) { return theta / s; })});
  all.push_back({"ntk", "NTK-aware: base·s^(d/(d−2))", "NTK-aware scaled RoPE, bloc97 2023",
                 config_of(Kind::ntk), with_base_times(d, s)});
  all.push_back({"dynamic_ntk", "dynamic NTK: s·L/L₀ − (s − 1) for s",
                 "Dynamically scaled RoPE, emozilla 2023", config_of(Kind::dynamic_ntk),
                 with_base_times(d, s * 1001 / original - (s - 1))});
  all.push_back({"ntk_by_parts", "NTK by parts: linear in rotations within L₀",
                 "Peng et al. 2023, arXiv 2309.00071", config_of(Kind::ntk_by_parts),
                 each_pair(d, [&](Real theta, Real) {
                   return blend(theta, by_rotations(theta, slow, fast));
                 })});
  all.push_back(
      {"yarn", "YaRN: linear in t, and q and k times 0.1 ln s + 1", "YaRN's code; Transformers",
       config_of(Kind::yarn),
       each_pair(d, [&](Real theta, Real t) { return blend(theta, 1 - yarn_ramp(d, t)); }),
       std::log(s) / 10 + 1});
  all.push_back(
      {"llama3", "Llama 3.1: linear in L₀/λ between two wavelengths",
       "Meta's Llama 3.1, apply_scaling", config_of(Kind::llama3),
       each_pair(d, [&](Real theta, Real) { return blend(theta, by_rotations(theta, 1, 4)); })});
  RopeScaling longrope = config_of(Kind::longrope);
  for (Index t = 0; t < d / 2; ++t) longrope.long_factors.push_back(1 + static_cast<double>(t) / 4);
  all.push_back({"longrope", "LongRoPE beyond L₀: θ_t/f_t, q and k times √(1 + ln s/ln L₀)",
                 "Ding et al. 2024, arXiv 2402.13753", longrope,
                 each_pair(d, [](Real theta, Real t) { return theta / (1 + t / 4); }),
                 std::sqrt(1 + std::log(s) / std::log(original))});
  return all;
}

template <class T>
void stretching_claims(Ledger<T>& ledger, const TokenCase<T>& c, const Stretching& stretching) {
  const Paper paper{ClaimKind::cited, "(15)", stretching.source,
                    "RoFormer's (15) has θ_t = 10000^{−2t/d}"};
  const Rope<T> rope({.d_head = c.d, .scaling = stretching.config});
  literal::Rotary rotary = literal::whole(c.d);
  rotary.scaled = stretching.theta;
  rotary.factor = stretching.factor;
  Matrix<T> q = c.x;
  rope.transform_queries(c.at, q);
  const std::string name = "scaled_" + stretching.name;
  ledger.compare(paper, name, stretching.statement, q, literal::turned(wide(c.x), c.at, rotary),
                 rounding_bound<T>(8) + roundings_of_theta * angle_bound(1000));
  const Rows scores = literal::relative_scores(wide(c.x), wide(c.x), c.at, c.at, rotary);
  ledger.compare(
      paper, name + "_logits", stretching.statement + ": logits",
      attention_from_qkv<T>(rope, {c.x, c.x, c.x, c.at, c.at}).logits,
      scores / std::sqrt(static_cast<double>(c.d)),
      rounding_bound<T>(roundings_of(c.d)) + roundings_of_theta * averaged_angle_bound(1000, c.d));
}

template <class T>
void claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_tokens(options), claims);
  for (const TokenCase<T>& c : token_cases<T>(options))
    for (const Stretching& stretching : stretchings(c.d)) stretching_claims(ledger, c, stretching);
}

}  // namespace in_equations_rope_scaling
}  // namespace

void rope_scaling_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_rope_scaling;
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
}

}  // namespace orrery
