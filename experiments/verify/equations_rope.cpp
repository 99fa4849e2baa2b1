// Eq. (12)–(16), (34)–(37): rotation, its realisations, and the sum behind long-term decay.
#include <algorithm>
#include <complex>

#include "core/analysis/decay.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/rope_realisations.h"
#include "experiments/verify/cases.h"
#include "experiments/verify/literal.h"

namespace orrery::verify {
namespace {

using literal::Rows;
using Complex = std::complex<long double>;

/// Σ_t Re[q_t k_t* e^{i(m−n)θ_t}], pair by pair in long double.
double complex_score_of(const Rows& q, const Rows& k, Position r) {
  const Index d = q.cols();
  long double sum = 0;
  for (Index t = 0; t < d / 2; ++t) {
    const long double theta =
        std::pow(static_cast<long double>(paper_base),
                 -2.0L * static_cast<long double>(t) / static_cast<long double>(d));
    const Complex a(q(0, 2 * t), q(0, 2 * t + 1)), b(k(0, 2 * t), k(0, 2 * t + 1));
    sum += (a * std::conj(b) * std::polar(1.0L, static_cast<long double>(r) * theta)).real();
  }
  return static_cast<double>(sum);
}

template <class T>
Matrix<T> turned(const Case<T>& c, const Matrix<T>& x) {
  Matrix<T> y = x;
  Rope<T>({.d_head = c.d}).transform_queries(c.at, y);
  return y;
}

template <class T>
void claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Worst complex_form, plane, block, elementwise, inner, realisations;
  for (const Case<T>& c : cases_of<T>(options)) {
    const Matrix<T> q = c.x * c.w.W_q, k = c.x * c.w.W_k;
    const Rows Q = c.wide(q), K = c.wide(k);
    const Rows rotated_q = c.wide(turned(c, q)), rotated_k = c.wide(turned(c, k));
    const Rows scores = literal::scores(rotated_q, rotated_k, 1.0);
    Rows by_complex(scores.rows(), scores.cols()), by_relative(scores.rows(), scores.cols());
    for (Index i = 0; i < Q.rows(); ++i) {
      const Position m = c.at[static_cast<std::size_t>(i)];
      const Rows dense =
          literal::weighted_sum(literal::rotation(c.d, paper_base, m), Q.row(i).transpose());
      block.see(disagreement(rotated_q.row(i), dense.transpose()));
      if (c.d == 2) plane.see(disagreement(rotated_q.row(i), dense.transpose()));
      elementwise.see(
          disagreement(rotated_q.row(i), literal::elementwise_rotation(Q.row(i), paper_base, m)));
      for (Index j = 0; j < K.rows(); ++j) {
        const Position n = c.at[static_cast<std::size_t>(j)];
        by_complex(i, j) = complex_score_of(Q.row(i), K.row(j), m - n);
        const Rows moved =
            literal::weighted_sum(literal::rotation(c.d, paper_base, n - m), K.row(j).transpose());
        by_relative(i, j) = literal::scores(Q.row(i), moved.transpose(), 1.0)(0, 0);
      }
    }
    const Rope<T> rope({.d_head = c.d});
    realisations.see(disagreement(c.wide(rope_by_complex<T>(rope, c.at, q)), rotated_q));
    realisations.see(disagreement(c.wide(rope_by_matrix<T>(rope, c.at, q)), rotated_q));
    complex_form.see(disagreement(scores, by_complex));
    inner.see(disagreement(scores, by_relative));
  }
  const auto add = [&](const char* name, const char* statement, const char* formula,
                       const Worst& w) {
    claims.push_back(equation<T>(name, statement, formula, w.value(), options));
  };
  add("complex_solution", "scores are Re[q k* e^{i(m−n)θ}], summed over pairs", "(12), (35)",
      complex_form);
  add("plane_rotation", "in two channels q is turned by the angle mθ", "(13)", plane);
  add("block_rotation", "in d channels each pair turns by its own angle: R_m W x", "(14), (15)",
      block);
  add("relative_rotation", "q_mᵀk_n = x_mᵀ W_qᵀ R_{n−m} W_k x_n", "(16)", inner);
  add("realisations", "as complex numbers, by the matrix R_m and elementwise q turns alike",
      "(12)–(15)", realisations);
  add("elementwise", "the cheap realisation x ⊗ cos + swapped x ⊗ sin is the same", "(34)",
      elementwise);
}

/// Both sides of Abel's transformation, and the share of the bound that scores reach.
void abel_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  Worst abel, bound;
  for (const Case<double>& c : cases_of<double>(options)) {
    const std::vector<double> theta = inverse_frequencies(c.d, paper_base);
    const auto d = static_cast<std::size_t>(c.d);
    const auto h = pair_products({c.x.row(0).data(), d}, {c.x.row(1).data(), d});
    for (const Position r : {0, 1, 2, 17, 256, 4096}) {
      std::complex<double> left = 0, right = 0, before = 0;
      const auto S = phasor_chain(theta, r);
      for (std::size_t i = 0; i < h.size(); ++i) {
        left += h[i] * (S[i] - before);
        before = S[i];
        right -= S[i] * ((i + 1 < h.size() ? h[i + 1] : 0.0) - h[i]);
      }
      abel.see(std::abs(left - right) / std::max(1.0, std::abs(left)));
      const double limit =
          largest_step(h) * decay_curve(theta, r, 1).mean_abs_S[0] * static_cast<double>(h.size());
      bound.see(std::abs(complex_score(h, theta, r)) / limit);
    }
  }
  claims.push_back(equation<double>(
      "abel", "summation by parts: Σ h_i (S_{i+1} − S_i) = −Σ S_{i+1} (h_{i+1} − h_i)", "(36)",
      abel.value(), options));
  Claim claim = equation<double>(
      "bound", "|score| is at most max |h_{i+1} − h_i| · Σ |S_{i+1}|: share reached", "(37)",
      bound.value(), options);
  claim.check.bound = 1.0 + rounding_bound<double>();  // with a single pair both sides are equal
  claims.push_back(std::move(claim));
}

}  // namespace

double rotation_error(const QkTransform<double>& rope, Index d, std::int64_t seed) {
  Random random(seed, "rotation_error");
  Worst worst;
  for (const Position m : {0, 1, 7, 1000}) {
    const Rows x = normal_matrix<double>(random, 1, d);
    Rows y = x;
    rope.transform_queries(Positions{m}, y);
    const Rows expected = literal::weighted_sum(literal::rotation(d, paper_base, m), x.transpose());
    worst.see(disagreement(y, expected.transpose()));
  }
  return worst.value();
}

void rope_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
  abel_claims(options, claims);
}

}  // namespace orrery::verify
