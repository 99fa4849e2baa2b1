// Claims about long-term decay, §3.4.3, and RoPE's frequencies stretched to longer contexts.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "core/analysis/decay.h"
#include "core/analysis/largest.h"
#include "core/encodings/rope.h"
#include "core/encodings/sinusoidal.h"
#include "experiments/verify/cases.h"

namespace orrery {
namespace {
namespace in_decay {

const Paper decay{ClaimKind::property, "§3.4.3", "Long-term decay"};
const Paper absolute{ClaimKind::property, "(3), (4)", "Sinusoids"};
constexpr Index paper_width = 128;
constexpr Position last_distance = 2000;

/// The curve of the library, with the frequencies that its RoPE has.
DecayCurve library_curve(Index d) {
  return decay_curve(Rope<double>({.d_head = d}).theta(), 0, last_distance);
}

/// Fig. 2 and Σ_t cos(r θ_t), distance by distance.
struct LiteralCurve {
  Rows mean_abs_S, B;
};
LiteralCurve literal_curve(Index d) {
  LiteralCurve curve{Rows(1, last_distance), Rows(1, last_distance)};
  std::vector<literal::Real> theta;
  for (Index t = 0; t < d / 2; ++t) theta.push_back(literal::theta(t, d, paper_base));
  for (Position r = 0; r < last_distance; ++r) {
    std::complex<literal::Real> S = 0;
    literal::Real sum = 0;
    for (const literal::Real frequency : theta) {
      S += std::polar(1.0L, static_cast<literal::Real>(r) * frequency);
      sum += std::abs(S);
    }
    curve.mean_abs_S(0, r) = static_cast<double>(sum / static_cast<literal::Real>(theta.size()));
    curve.B(0, r) = static_cast<double>(S.real());
  }
  return curve;
}

Matrix<double> row_of(const std::vector<double>& values) {
  return Eigen::Map<const Matrix<double>>(values.data(), 1, static_cast<Index>(values.size()));
}

double number_or_nan(const std::optional<std::size_t>& index) {
  return index ? static_cast<double>(*index) : std::nan("");
}

void curve_claims(std::vector<Claim>& claims) {
  const DecayCurve curve = library_curve(paper_width);
  const LiteralCurve expected = literal_curve(paper_width);
  const double bound = rounding_bound<double>(paper_width) + angle_bound(last_distance);
  Ledger<double> ledger("d = 128, base 10000, distances 0 … 1999", claims);
  ledger.compare(decay, "figure_2", "Fig. 2: (1/(d/2)) Σ_{j=1}^{d/2} |S_j|, at every distance",
                 row_of(curve.mean_abs_S), expected.mean_abs_S, bound);
  ledger.compare(decay, "sum_of_cosines", "Σ_t cos(r θ_t), the score of q = k = 1 over 2",
                 row_of(curve.B), expected.B, bound);
  Facts facts("d = 128, base 10000", claims);
  const std::pair<std::size_t, double> points[] = {
      {0, 32.5}, {1, 31.538166142658085}, {10, 17.95413713708483}, {100, 10.227329948505133}};
  for (const auto& [r, value] : points)
    facts.equals(decay, "figure_2_at_" + std::to_string(r),
                 "Fig. 2 at distance " + std::to_string(r), curve.mean_abs_S[r], value, 1e-12);
  facts.equals(decay, "only_a_bound", "the bound falls from distance 0 to 1000 by the factor",
               curve.mean_abs_S[0] / curve.mean_abs_S[1000], 7.27, 0.005);
  facts.equals(decay, "not_monotone", "but not monotonically: it first rises at distance",
               number_or_nan(first_rise(curve.mean_abs_S)), 19);
  facts.equals(decay, "context_of_a_base", "Σ_t cos(r θ_t) first falls below 0 at distance",
               number_or_nan(first_negative(curve.B)), 1707);
}

/// How far scores of random q and k are from mean 0 and variance d, in standard errors.
double gaussian_deviation(std::int64_t seed, Index d) {
  constexpr int draws = 2000;
  const Positions distances{0, 1, 10, 50, 100, 250};
  const std::vector<double> theta = Rope<double>({.d_head = d}).theta();
  Random random(seed, "gaussian q and k, d=" + std::to_string(d));
  std::vector<double> sum(distances.size()), square(distances.size());
  const auto width = static_cast<std::size_t>(d);
  for (int draw = 0; draw < draws; ++draw) {
    const Matrix<double> q = normal_matrix<double>(random, 1, d),
                         k = normal_matrix<double>(random, 1, d);
    const auto h = pair_products({q.data(), width}, {k.data(), width});
    for (std::size_t i = 0; i < distances.size(); ++i) {
      const double score = complex_score(h, theta, distances[i]);
      sum[i] += score;
      square[i] += score * score;
    }
  }
  // A product of two normal vectors has variance d and fourth moment 3d² + 6d.
  const double n = draws, channels = static_cast<double>(d);
  Largest deviation;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    deviation.see(std::abs(sum[i]) / std::sqrt(n * channels));
    deviation.see(std::abs(square[i] / n - channels) /
                  std::sqrt((2 * channels * channels + 6 * channels) / n));
  }
  return deviation.value();
}

/// The distance at which attention logits are highest when every key is R_37 q.
Position distance_of_peak(std::int64_t seed, Index d) {
  constexpr Position query_at = 1000, distance = 37;
  Random random(seed, "peak, d=" + std::to_string(d));
  const Rows q = normal_matrix<double>(random, 1, d);
  const Rows key = literal::turned(q, {distance}, literal::whole(d));
  Positions n;
  for (Position p = 0; p <= query_at; ++p) n.push_back(p);
  const Matrix<double> k = key.replicate(static_cast<Index>(n.size()), 1);
  const Positions m{query_at};
  const auto out = attention_from_qkv<double>(Rope<double>({.d_head = d}), {q, k, k, m, n});
  Position peak = -1;
  Largest highest(-1e300);
  for (std::size_t j = 0; j < n.size(); ++j) {
    const double logit = out.logits(0, static_cast<Index>(j));
    if (!(logit > highest.value())) continue;
    highest.see(logit);
    peak = query_at - n[j];
  }
  return peak;
}

void width_claims(std::int64_t seed, std::vector<Claim>& claims) {
  Largest gaussian, off_peak, rises;
  for (const Index d : {16, 32, 64, 128, 256}) {
    gaussian.see(gaussian_deviation(seed, d));
    off_peak.see(std::abs(static_cast<double>(distance_of_peak(seed, d) - 37)));
    const Rows literal = literal_curve(d).mean_abs_S;
    Index rise = 1;
    while (!(literal(0, rise) > literal(0, rise - 1))) ++rise;
    rises.see(std::abs(number_or_nan(first_rise(library_curve(d).mean_abs_S)) -
                       static_cast<double>(rise)));
  }
  Facts facts("d = 16, 32, 64, 128, 256, base 10000", claims);
  facts.equals(decay, "first_rises", "where it first rises at d = 16 … 256: off by", rises.value(),
               0);
  // 60 measurements: one seed in 30 000 exceeds 5.
  facts.see(decay, "gaussian_has_no_decay",
            "random q, k do not decay, mean 0, variance d: standard errors off", gaussian.value(),
            5);
  facts.equals(decay, "any_peak", "with k = R_37 q, distance 37 of 0 … 1000 scores highest: off by",
               off_peak.value(), 0);
}

/// Added sinusoids change the scores when all positions move: by as much as the literal ones do.
template <class T>
void absolute_claim(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_tokens(options), claims);
  for (const TokenCase<T>& c : token_cases<T>(options)) {
    Positions there = c.at;
    for (Position& p : there) p += 1000;
    const auto logits = [&](const Positions& at) {
      return attention_head<T>(Sinusoidal<T>(c.d), c.w, {c.x, c.x, at, at}).logits;
    };
    const auto expected = [&](const Positions& at) {
      const Rows added = wide(c.x) + literal::sinusoids(at, c.d, paper_base);
      return literal::scores(literal::product(added, wide(c.w.W_q)),
                             literal::product(added, wide(c.w.W_k)),
                             std::sqrt(static_cast<double>(c.d)));
    };
    const Matrix<T> change = logits(there) - logits(c.at);
    ledger.compare(absolute, "sinusoids_are_absolute",
                   "added sinusoids are not relative: change under a shift of 1000", change,
                   expected(there) - expected(c.at),
                   8 * rounding_bound<T>(roundings_of(c.d)) + 8 * angle_bound(2000));
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

}  // namespace in_decay
}  // namespace

void decay_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_decay;
  curve_claims(claims);
  width_claims(options.seed, claims);
  absolute_claim<double>(options, claims);
  absolute_claim<float>(options, claims);
}

void rope_scaling_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_decay;
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
}

}  // namespace orrery
