// Claims about long-term decay, §3.4.3.
#include <cmath>
#include <complex>
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
    const Positions there = moved(c.at, 1000);
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

}  // namespace in_decay
}  // namespace

void decay_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_decay;
  curve_claims(claims);
  width_claims(options.seed, claims);
  absolute_claim<double>(options, claims);
  absolute_claim<float>(options, claims);
}

}  // namespace orrery
