// Eq. (11)–(16), (34)–(37): rotation, its realisations, and the sum behind long-term decay.
#include <complex>

#include "core/analysis/decay.h"
#include "core/analysis/largest.h"
#include "core/encodings/rope.h"
#include "core/encodings/rope_realisations.h"
#include "experiments/verify/cases.h"

namespace orrery {
namespace {
namespace in_equations_rope {

using Complex = std::complex<literal::Real>;

Paper printed(const char* equation) { return {ClaimKind::roformer, equation, {}, {}}; }
const Paper rotations{ClaimKind::property, "(15)", "RoPE"};

template <class T>
Matrix<T> turned_queries(const Rope<T>& rope, const Positions& at, const Matrix<T>& x) {
  Matrix<T> y = x;
  rope.transform_queries(at, y);
  return y;
}

/// Row i: R_{m_i} x_i by the dense matrix of (15).
Rows by_dense_matrix(const Rows& x, const Positions& at) {
  Rows y(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i)
    y.row(i) =
        literal::product(literal::rotation(x.cols(), paper_base, at[static_cast<std::size_t>(i)]),
                         x.row(i).transpose())
            .transpose();
  return y;
}

/// x_mᵀ W_qᵀ R_{n−m} W_k x_n, the middle of (16).
Rows by_relative_matrix(const Rows& q, const Rows& k, const Positions& at) {
  return literal::pairs(q.rows(), k.rows(), [&](Index i, Index j) {
    const Position back = at[static_cast<std::size_t>(j)] - at[static_cast<std::size_t>(i)];
    const Rows moved =
        literal::product(literal::rotation(q.cols(), paper_base, back), k.row(j).transpose());
    return literal::dot(q, i, moved.transpose(), 0);
  });
}

/// Eq. (13): θ = 1.
template <class T>
void plane_claims(Ledger<T>& ledger, const TokenCase<T>& c) {
  const double bound = rounding_bound<T>(8) + angle_bound(1000);
  const Rope<T> rope({.d_head = 2});
  const Paper eq_13 = printed("(13)");
  for (const Position m : c.at)
    ledger.compare(eq_13, "plane_matrix", "in two channels R_m is (cos m, −sin m; sin m, cos m)",
                   rope_matrix<T>(rope, m), literal::rotation(2, paper_base, m), bound);
  ledger.compare(eq_13, "plane_rotation", "in two channels q rotates by the angle m",
                 turned_queries(rope, c.at, c.x), by_dense_matrix(wide(c.x), c.at), bound);
}

template <class T>
void rotation_claims(Ledger<T>& ledger, const TokenCase<T>& c) {
  const double turn_bound = rounding_bound<T>(8) + angle_bound(1000);
  const Rope<T> rope({.d_head = c.d});
  const Rows x = wide(c.x);
  ledger.compare(printed("(12)"), "as_complex", "f_q = (W_q x_m) e^{imθ}, pairs as complex numbers",
                 rope_by_complex<T>(rope, c.at, c.x),
                 literal::turned_as_complex(x, c.at, paper_base), turn_bound);
  ledger.compare(printed("(14)"), "rotated_queries", "f_q(x_m, m) = R_m W_q x_m",
                 turned_queries(rope, c.at, c.x), by_dense_matrix(x, c.at), turn_bound);
  Matrix<T> keys = c.x;
  rope.transform_keys(c.at, keys);
  ledger.compare(printed("(14)"), "rotated_keys", "f_k(x_n, n) = R_n W_k x_n", keys,
                 by_dense_matrix(x, c.at), turn_bound);
  ledger.compare(printed("(15)"), "by_matrix", "the same as a product with the matrix R_m",
                 rope_by_matrix<T>(rope, c.at, c.x), by_dense_matrix(x, c.at),
                 rounding_bound<T>(roundings_of(c.d)) + angle_bound(1000));
  ledger.compare(printed("(15)"), "block_matrix",
                 "R_m is block diagonal, θ_i = 10000^{−2(i−1)/d}, i = 1 … d/2",
                 rope_matrix<T>(rope, c.at.back()), literal::rotation(c.d, paper_base, c.at.back()),
                 turn_bound);
  ledger.compare(
      printed("(34)"), "elementwise", "x ⊗ cos + (−x_2, x_1, …, −x_d, x_{d−1}) ⊗ sin is R_m x",
      turned_queries(rope, c.at, c.x), literal::turned(x, c.at, literal::whole(c.d)), turn_bound);
}

template <class T>
void score_claims(Ledger<T>& ledger, const TokenCase<T>& c) {
  const double bound = rounding_bound<T>(roundings_of(c.d)) + averaged_angle_bound(1000, c.d);
  const Rope<T> rope({.d_head = c.d});
  const Rows x = wide(c.x);
  const Rows q = literal::product(x, wide(c.w.W_q)), k = literal::product(x, wide(c.w.W_k));
  const double root = std::sqrt(static_cast<double>(c.d));
  const Rows relative = by_relative_matrix(q, k, c.at);
  const auto out = attention_head<T>(rope, c.w, {c.x, c.x, c.at, c.at});
  ledger.compare(printed("(16)"), "relative_rotation",
                 "q_mᵀk_n = x_mᵀ W_qᵀ R_{n−m} W_k x_n, over √d", out.logits, relative / root,
                 bound);
  const Rows weights = literal::softmax(relative / root);
  ledger.compare(printed("(16)"), "rope_output", "o_m = Σ a_mn W_v x_n: values are not rotated",
                 out.output, literal::product(weights, literal::product(x, wide(c.w.W_v))),
                 softmax_bound(relative / root, bound));
  Matrix<T> by_pairs(c.x.rows(), c.x.rows());
  for (Index i = 0; i < by_pairs.rows(); ++i)
    for (Index j = 0; j < by_pairs.cols(); ++j)
      by_pairs(i, j) =
          rope_complex_score<T>(rope, c.x.row(i), c.x.row(j), c.at[static_cast<std::size_t>(i)],
                                c.at[static_cast<std::size_t>(j)]);
  ledger.compare(printed("(12)"), "complex_score", "g = Re[(W_q x_m)(W_k x_n)* e^{i(m−n)θ}]",
                 by_pairs, literal::relative_scores(x, x, c.at, c.at, literal::whole(c.d)), bound);
  for (const Position shift : {Position{1000}, far_shift}) {
    const Positions there = moved(c.at, shift);
    ledger.compare(
        relative_paper, "rope_is_relative", "RoPE: shifts by 1000 and 2^40 leave the logits",
        attention_head<T>(rope, c.w, {c.x, c.x, there, there}).logits, relative / root, bound);
  }
}

template <class T>
void rotation_properties(Ledger<T>& ledger, const TokenCase<T>& c) {
  const Rope<T> rope({.d_head = c.d});
  const Rows x = wide(c.x);
  const Matrix<T> once = turned_queries(rope, c.at, c.x);
  Matrix<T> lengths(c.x.rows(), 1);
  Rows expected(c.x.rows(), 1);
  for (Index i = 0; i < c.x.rows(); ++i) {
    lengths(i, 0) = once.row(i).norm();
    expected(i, 0) = std::sqrt(static_cast<double>(literal::dot(x, i, x, i)));
  }
  ledger.compare(rotations, "norm_kept", "rotation keeps the length of q and k", lengths, expected,
                 rounding_bound<T>(c.d));
  const Positions by(c.at.size(), 77);
  const Positions sum = moved(c.at, 77);
  ledger.compare(rotations, "rotations_compose", "R_m R_n x = R_{m+n} x",
                 turned_queries(rope, by, once), literal::turned(x, sum, literal::whole(c.d)),
                 rounding_bound<T>(12) + angle_bound(1100));
  for (const int power : {24, 40}) {
    const Positions late(c.at.size(), (Position{1} << power) + 1);
    const std::string name = "2^" + std::to_string(power);
    // No fp32 number is near enough to these angles; what is lost is half an ulp of a double θ.
    ledger.compare(rotations, "far_rotation_" + std::to_string(power),
                   "at " + name + " + 1 the angle is right to (" + name + " + 1)·2^-53",
                   turned_queries(rope, late, c.x), literal::turned(x, late, literal::whole(c.d)),
                   rounding_bound<T>(8) + angle_bound(late.front()));
  }
}

/// [1, n] matrices of the real and the imaginary parts, for what the library returns as complex.
template <class Number>
Matrix<double> parts(const std::vector<std::complex<Number>>& values) {
  Matrix<double> rows(2, static_cast<Index>(values.size()));
  for (Index i = 0; i < rows.cols(); ++i) {
    rows(0, i) = static_cast<double>(values[static_cast<std::size_t>(i)].real());
    rows(1, i) = static_cast<double>(values[static_cast<std::size_t>(i)].imag());
  }
  return rows;
}

Matrix<double> one(double value) { return Matrix<double>::Constant(1, 1, value); }

/// Both sides of (36), from the library's h and S.
struct BothSides {
  std::complex<double> left, right;
};
BothSides both_sides(const std::vector<std::complex<double>>& h,
                     const std::vector<std::complex<double>>& S) {
  BothSides sides;
  std::complex<double> before = 0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    sides.left += h[i] * (S[i] - before);
    before = S[i];
    sides.right -= S[i] * ((i + 1 < h.size() ? h[i + 1] : 0.0) - h[i]);
  }
  return sides;
}

double largest_literal_step(const std::vector<Complex>& h) {
  literal::Real largest = std::abs(h.back());
  for (std::size_t i = 0; i + 1 < h.size(); ++i)
    if (std::abs(h[i + 1] - h[i]) > largest) largest = std::abs(h[i + 1] - h[i]);
  return static_cast<double>(largest);
}

/// Eq. (35)–(37) of one q and k at one distance.
void abel_claims(Ledger<double>& ledger, const TokenCase<double>& c, Position r) {
  const std::vector<double> theta = Rope<double>({.d_head = c.d}).theta();
  const auto width = static_cast<std::size_t>(c.d);
  const auto h = pair_products({c.x.row(0).data(), width}, {c.x.row(1).data(), width});
  const auto S = phasor_chain(theta, r);
  const Rows q = c.x.row(0), k = c.x.row(1);
  const auto literal_h = literal::pair_products(q, k);
  const auto literal_S = literal::phasor_sums(c.d, paper_base, r);
  const double bound = rounding_bound<double>(roundings_of(c.d)) + averaged_angle_bound(r, c.d);
  Complex whole = 0;
  literal::Real abs_S = 0;
  for (std::size_t i = 0; i < literal_h.size(); ++i) {
    whole += literal_h[i] * (literal_S[i] - (i == 0 ? Complex(0) : literal_S[i - 1]));
    abs_S += std::abs(literal_S[i]);
  }
  ledger.compare(printed("(35)"), "pair_products", "h_i = q_[2i:2i+1] k*_[2i:2i+1]", parts(h),
                 parts(literal_h), rounding_bound<double>(4));
  ledger.compare(printed("(35)"), "phasor_sums", "S_j = Σ_{i<j} e^{i(m−n)θ_i}, j = 1 … d/2",
                 parts(S), parts(literal_S), bound);
  // A sum that cancels is measured against the size of its terms.
  const double size = static_cast<double>(c.d);
  const double score = complex_score(h, theta, r);
  ledger.see(printed("(35)"), "score_of_pairs", "q_mᵀk_n = Re[Σ_i h_i e^{i(m−n)θ_i}]: gap over d",
             std::abs(score - static_cast<double>(whole.real())) / size, bound);
  const BothSides sides = both_sides(h, S);
  const Matrix<double> sum = parts(std::vector{whole});
  ledger.see(printed("(36)"), "abel_left", "Σ h_i (S_{i+1} − S_i) is that sum: gap over d",
             largest_difference<double>(parts(std::vector{sides.left}), sum) / size, bound);
  ledger.see(printed("(36)"), "abel_right", "and so is −Σ S_{i+1} (h_{i+1} − h_i): gap over d",
             largest_difference<double>(parts(std::vector{sides.right}), sum) / size, 4 * bound);
  const double step = largest_literal_step(literal_h);
  const double limit = step * static_cast<double>(abs_S);
  const double curve = decay_curve(theta, r, 1).mean_abs_S[0] * static_cast<double>(h.size());
  ledger.compare(printed("(37)"), "largest_step", "max_i |h_{i+1} − h_i| with h_{d/2} = 0",
                 one(largest_step(h)), one(step), rounding_bound<double>(8));
  ledger.compare(printed("(37)"), "bound", "the bound is max_i |h_{i+1} − h_i| · Σ_i |S_{i+1}|",
                 one(largest_step(h) * curve), one(limit), bound);
  ledger.see(printed("(37)"), "share_of_bound", "no score exceeds it: the largest share reached",
             std::abs(score) / limit, 1 + bound);  // with a single pair both sides are equal
}

template <class T>
void rope_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> plane("d = 2, N = 3, " + std::to_string(options.draws) + " draws", claims);
  for (const TokenCase<T>& c : plane_cases<T>(options)) plane_claims(plane, c);
  Ledger<T> ledger(over_tokens(options), claims);
  for (const TokenCase<T>& c : token_cases<T>(options)) {
    rotation_claims(ledger, c);
    score_claims(ledger, c);
    rotation_properties(ledger, c);
  }
}

}  // namespace in_equations_rope
}  // namespace

void rope_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_rope;
  rope_in<double>(options, claims);
  rope_in<float>(options, claims);
  Ledger<double> ledger(
      "d = 2 … 128, distances 0, 1, 2, 17, 256, 4096, " + std::to_string(options.draws) + " draws",
      claims);
  for (const auto& cases : {plane_cases<double>(options), token_cases<double>(options)})
    for (const TokenCase<double>& c : cases)
      for (const Position r : {0, 1, 2, 17, 256, 4096}) abel_claims(ledger, c, r);
}

}  // namespace orrery
