// RoPE as others pair, shorten and extend it, and its frequencies stretched to longer contexts.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/encodings/rope.h"
#include "experiments/verify/cases.h"

namespace orrery {
namespace {
namespace in_equations_rotary {

/// Queries turned by a RoPE, and their logits with themselves as keys.
/// @param roundings  of θ, in which each angle may be off
template <class T>
void rotary_claims(Ledger<T>& ledger, const TokenCase<T>& c, const Paper& paper,
                   const std::string& name, const std::string& statement,
                   const RopeConvention& convention, const literal::Rotary& rotary,
                   double roundings = 1) {
  Matrix<T> q = c.x;
  const Rope<T> rope(convention);
  rope.transform_queries(c.at, q);
  ledger.compare(paper, name, statement, q, literal::turned(wide(c.x), c.at, rotary),
                 rounding_bound<T>(8) + roundings * angle_bound(1000));
  const Rows scores = literal::relative_scores(wide(c.x), wide(c.x), c.at, c.at, rotary);
  ledger.compare(
      paper, name + "_logits", statement + ": logits",
      attention_from_qkv<T>(rope, {c.x, c.x, c.x, c.at, c.at}).logits,
      scores / std::sqrt(static_cast<double>(c.d)),
      rounding_bound<T>(roundings_of(c.d)) + roundings * averaged_angle_bound(1000, c.d));
}

const Paper half_split{ClaimKind::cited, "(34)",
                       "RoPE with half-split pairs: GPT-NeoX, Llama in Transformers",
                       "RoFormer's (15), (34) pair neighbouring channels"};
const Paper partial{ClaimKind::cited, "(15)",
                    "Partial RoPE: GPT-NeoX, GPT-J (truncated); p-RoPE, Barbero et al. 2024",
                    "RoFormer's (15) rotates every pair, denominators d"};
const Paper of_values{ClaimKind::cited, "(14)",
                      "RoPE on values: rotary_value in Transformers' RoFormer; RoPER",
                      "RoFormer's (14) rotates q and k only"};

template <class T>
void pairing_claims(Ledger<T>& ledger, const TokenCase<T>& c) {
  const Index d = c.d, part = d / 4;
  constexpr auto halves = RopePairing::half_split;
  constexpr auto proportional = RopePartial::proportional;
  rotary_claims(ledger, c, half_split, "half_split", "pairs (t, t + d/2)",
                {.d_head = d, .pairing = halves}, {d, d, d / 2});
  rotary_claims(ledger, c, half_split, "base_500000", "the same with base 500000",
                {.d_head = d, .pairing = halves, .base = 500000}, {d, d, d / 2, 500000});
  if (d < 8) return;
  rotary_claims(ledger, c, partial, "truncated", "r = d/4: θ_t = base^{−2t/r}",
                {.d_head = d, .rotary_dims = part}, {part, part, 0});
  rotary_claims(ledger, c, partial, "truncated_half_split", "r = d/4: pairs (t, t + r/2)",
                {.d_head = d, .rotary_dims = part, .pairing = halves}, {part, part, part / 2});
  rotary_claims(ledger, c, partial, "proportional", "p = 1/4: θ_t = base^{−2t/d}, t < d/8",
                {.d_head = d, .rotary_dims = part, .partial = proportional}, {part, d, 0});
  rotary_claims(ledger, c, partial, "proportional_half_split", "p = 1/4: pairs (t, t + d/2)",
                {.d_head = d, .rotary_dims = part, .partial = proportional, .pairing = halves},
                {part, d, d / 2});
}

template <class T>
void value_claims(Ledger<T>& ledger, const TokenCase<T>& c) {
  const Rows x = wide(c.x);
  const literal::Rotary rotary = literal::whole(c.d);
  const Rows logits =
      literal::relative_scores(x, x, c.at, c.at, rotary) / std::sqrt(static_cast<double>(c.d));
  const Rows weights = literal::softmax(logits);
  const double bound =
      softmax_bound(logits, rounding_bound<T>(roundings_of(c.d)) + angle_bound(1000));
  const Rows rotated = literal::product(weights, literal::turned(x, c.at, rotary));
  Positions back = c.at;
  for (Position& p : back) p = -p;
  const auto output = [&](RotaryValue kind) {
    const Rope<T> rope({.d_head = c.d}, {.rotary_value = kind});
    return attention_from_qkv<T>(rope, {c.x, c.x, c.x, c.at, c.at}).output;
  };
  ledger.compare(of_values, "values_rotated", "o_m = Σ a_mn R_n v_n", output(RotaryValue::rotated),
                 rotated, bound);
  ledger.compare(of_values, "values_counter_rotated", "RoPER: o_m = R_mᵀ Σ a_mn R_n v_n",
                 output(RotaryValue::counter_rotated), literal::turned(rotated, back, rotary),
                 bound);
}

template <class T>
void variants_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_tokens(options), claims);
  for (const TokenCase<T>& c : token_cases<T>(options)) {
    pairing_claims(ledger, c);
    value_claims(ledger, c);
  }
}

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
  literal::Rotary rotary = literal::whole(c.d);
  rotary.scaled = stretching.theta;
  rotary.factor = stretching.factor;
  rotary_claims(
      ledger, c,
      {ClaimKind::cited, "(15)", stretching.source, "RoFormer's (15) has θ_t = 10000^{−2t/d}"},
      "scaled_" + stretching.name, stretching.statement,
      {.d_head = c.d, .scaling = stretching.config}, rotary, roundings_of_theta);
}

template <class T>
void scalings_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_tokens(options), claims);
  for (const TokenCase<T>& c : token_cases<T>(options))
    for (const Stretching& stretching : stretchings(c.d)) stretching_claims(ledger, c, stretching);
}

}  // namespace in_equations_rotary
}  // namespace

void rope_variant_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_rotary;
  variants_in<double>(options, claims);
  variants_in<float>(options, claims);
}

void rope_scaling_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_rotary;
  scalings_in<double>(options, claims);
  scalings_in<float>(options, claims);
}

}  // namespace orrery
