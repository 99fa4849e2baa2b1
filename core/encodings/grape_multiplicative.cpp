#include "core/encodings/grape_multiplicative.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/encodings/frequencies.h"
#include "core/errors.h"
#include "core/param_specs.h"
#include "core/product.h"

namespace orrery {
namespace {

constexpr Index most_channels = 1024;

/// Below this share of its length a row lies in the span of those before it.
constexpr double smallest_rest = 1e-9;

/// The rows made orthonormal one after the other, twice, so that they are so to rounding; and the
/// length of each row across those before it.
std::vector<double> orthonormalise(Matrix<double>& rows) {
  std::vector<double> across;
  for (Index r = 0; r < rows.rows(); ++r) {
    const double length = rows.row(r).norm();
    double rest = length;
    for (int pass = 0; pass < 2; ++pass) {
      for (Index before = 0; before < r; ++before)
        rows.row(r) -= rows.row(r).dot(rows.row(before)) * rows.row(before).eval();
      const double left = rows.row(r).norm();
      if (left <= smallest_rest * length)  // no NaN: those must pass
        throw UsageError(fmt::format("row {} of grape_multiplicative.vectors", r),
                         "must not lie in the span of the rows before it",
                         "give rows that are linearly independent");
      rows.row(r) /= left;
      if (pass == 0) rest = left;
    }
    across.push_back(rest);
  }
  return across;
}

/// The derivative: ∂loss by the rows that were given, of which `across` are the lengths, given
/// those by the orthonormal rows and by the lengths.
Matrix<double> pull_orthonormal_back(const Matrix<double>& given, const Matrix<double>& basis,
                                     const std::vector<double>& across, Matrix<double> d_basis,
                                     const std::vector<double>& d_across) {
  Matrix<double> d_given(given.rows(), given.cols());
  for (Index r = given.rows(); r-- > 0;) {
    const auto place = static_cast<std::size_t>(r);
    const Eigen::RowVectorXd e = basis.row(r), d_e = d_basis.row(r);
    const Eigen::RowVectorXd d_rest = (d_e - d_e.dot(e) * e) / across[place] + d_across[place] * e;
    // The rest is v − Σ (v·e_j) e_j.
    Eigen::RowVectorXd d_row = d_rest;
    for (Index before = 0; before < r; ++before) {
      const Eigen::RowVectorXd e_j = basis.row(before);
      d_basis.row(before) -= given.row(r).dot(e_j) * d_rest + d_rest.dot(e_j) * given.row(r);
      d_row -= d_rest.dot(e_j) * e_j;
    }
    d_given.row(r) = d_row;
  }
  return d_given;
}

}  // namespace

template <class T>
GrapeMultiplicative<T>::GrapeMultiplicative(Matrix<double> rows,
                                            const GrapeMultiplicativeConfig& config)
    : basis_(std::move(rows)), rounding_(config.rounding), all_planes_(config.all_planes) {
  const Index d = basis_.cols(), needed = config.all_planes ? d : 2;
  if (d < 2 || d % 2 != 0 || basis_.rows() != needed)
    throw UsageError(fmt::format("vectors of shape [{}, {}]", basis_.rows(), d),
                     fmt::format("must be [{}, d_head], d_head even", needed),
                     "give two rows per plane");
  rounding_.apply<double>(Stage::table, basis_);
  given_ = basis_;
  across_ = orthonormalise(basis_);
  const Precision format = rounding_.format(Stage::inv_freq);
  if (config.all_planes)
    theta_ = inverse_frequencies(d, config.base, format);
  else  // the area of a and b: |a| times the part of b across it
    theta_ = {rounding_(Stage::inv_freq, config.speed * across_[0] * across_[1])};
}

template <class T>
EncodingInfo GrapeMultiplicative<T>::info() {
  ParamSpec planes = choice_param("grape_multiplicative.planes", "How many planes turn.", "all",
                                  {{"all", "$d/2$ orthogonal planes with RoPE's frequencies"},
                                   {"one", "one plane of rank 2; the rest carries no position"}});
  ParamSpec speed = read_while(
      "grape_multiplicative.planes", {"one"},
      log_real_param({"grape_multiplicative.speed", "$ω$"},
                     "Speed of the single plane: it turns by $ω s$ per token.", 1.0, 1e-9, 1e3));
  return {
      .name = "grape_multiplicative",
      .label = "GRAPE-M",
      .title = "Multiplicative GRAPE, rotations in learned planes",
      .statement = "Rotates $q$ and $k$ in planes that training chooses; contains RoPE.",
      .source = "Zhang et al. 2025 (GRAPE) §3",
      .formulas =
          {{R"(\mathbf{q}_m = \mathbf{G}(m)^\top \mathbf{W}_q \mathbf{x}_m, \quad \mathbf{G}(m) = \exp(m \omega \mathbf{L}), \quad \mathbf{L} = \mathbf{a} \mathbf{b}^\top - \mathbf{b} \mathbf{a}^\top)",
            "Zhang et al. 2025"},
           {R"(\exp(\omega \mathbf{L}) = \mathbf{I} + \frac{\sin(\omega s)}{s} \mathbf{L} + \frac{1 - \cos(\omega s)}{s^2} \mathbf{L}^2, \quad s^2 = |\mathbf{a}|^2 |\mathbf{b}|^2 - (\mathbf{a}^\top \mathbf{b})^2)",
            "Zhang et al. 2025", in_descriptions}},
      .score_formulas =
          {{R"(\mathbf{q}_m^\top \mathbf{k}_n = \mathbf{x}_m^\top \mathbf{W}_q^\top \mathbf{G}(m - n) \mathbf{W}_k \mathbf{x}_n)",
            "Zhang et al. 2025"}},
      .symbols = {{"L", "generator of rank 2: turns the plane of $a$ and $b$"},
                  {"a", "first vector of a plane"},
                  {"b", "second vector of a plane"}},
      .params = {base_param(), std::move(planes), std::move(speed)},
      .tables = {{"grape_multiplicative.vectors", "[d_head, d_head], or [2, d_head] for one plane",
                  "Rows $2t$ and $2t + 1$ span plane $t$.",
                  "normal, deviation $d_\\mathrm{head}^{−1/2}$"}},
      .stages = {Stage::position, Stage::inv_freq, Stage::angle, Stage::cos_sin, Stage::table,
                 Stage::rotated_qk},
      .cost = {.mean_logit = 7, .joins_channels = true},
      .same_heads = true};
}

template <class T>
void GrapeMultiplicative<T>::check(const EncodingSettings& s) {
  if (s.d_head < 2 || s.d_head % 2 != 0)
    throw UsageError(fmt::format("d_head={}", s.d_head),
                     "must be even, because GRAPE turns planes of two directions",
                     fmt::format("use d_head={}", s.d_head < 2 ? 2 : s.d_head + 1));
  if (s.params.text("grape_multiplicative.planes") == "all" && s.d_head > most_channels)
    throw UsageError(fmt::format("d_head={}", s.d_head),
                     fmt::format("must be at most {} for GRAPE's planes, which are made orthogonal "
                                 "in O(d_head³)",
                                 most_channels),
                     "use fewer channels, or grape_multiplicative.planes=one");
  check_table_size("grape_multiplicative.vectors", s.d_head, s.d_head, "the channels of a head");
}

template <class T>
std::unique_ptr<GrapeMultiplicative<T>> GrapeMultiplicative<T>::make(const EncodingSettings& s) {
  check(s);
  const bool all = s.params.text("grape_multiplicative.planes") == "all";
  return std::make_unique<GrapeMultiplicative>(
      table_of<double>(s, "grape_multiplicative.vectors", all ? s.d_head : 2, s.d_head,
                       1.0 / std::sqrt(static_cast<double>(s.d_head))),
      GrapeMultiplicativeConfig{.base = s.params.real("base"),
                                .all_planes = all,
                                .speed = s.params.real("grape_multiplicative.speed"),
                                .rounding = s.rounding});
}

template <class T>
void GrapeMultiplicative<T>::check_shape(PositionsIn positions, const MatrixIn<T>& x) const {
  check_positions(positions, x.rows());
  if (x.cols() == basis_.cols()) return;
  throw UsageError(fmt::format("q or k with {} channels", x.cols()),
                   fmt::format("this GRAPE was made for d_head={}", basis_.cols()),
                   "give q and k with as many channels");
}

template <class T>
void GrapeMultiplicative<T>::turn(PositionsIn positions, MatrixOut<T> x) const {
  check_shape(positions, x);
  for (Index i = 0; i < x.rows(); ++i) {
    const Eigen::RowVectorXd row = x.row(i).template cast<double>();
    Eigen::RowVectorXd turned = row;
    for (std::size_t t = 0; t < theta_.size(); ++t) {
      const auto a = basis_.row(2 * static_cast<Index>(t));
      const auto b = basis_.row(2 * static_cast<Index>(t) + 1);
      const auto [c, s] =
          rounded_rotation(positions[static_cast<std::size_t>(i)], theta_[t], rounding_);
      const double along_a = row.dot(a), along_b = row.dot(b);
      turned += (along_a * c - along_b * s - along_a) * a;
      turned += (along_a * s + along_b * c - along_b) * b;
    }
    x.row(i) = turned.template cast<T>();
  }
  rounding_.apply<T>(Stage::rotated_qk, x);
}

template <class T>
Matrix<double> GrapeMultiplicative<T>::mean_directions(Index d) const {
  if (d != basis_.cols()) return Matrix<double>::Identity(d, d);
  Matrix<double> x = basis_.colwise().sum() / std::sqrt(static_cast<double>(d));
  if (basis_.rows() == d) return x;
  // The first unit vector that is not in the planes, without its part in them.
  for (Index c = 0; c < d; ++c) {
    const Matrix<double> beside =
        Matrix<double>::Identity(d, d).row(c) - basis_.col(c).transpose() * basis_;
    if (beside.squaredNorm() * static_cast<double>(2 * d) < 1) continue;
    const auto left = static_cast<double>(d - basis_.rows());
    return x + beside * (std::sqrt(left / static_cast<double>(d)) / beside.norm());
  }
  return Matrix<double>::Identity(d, d);
}

// With x_a = x·a and x_b = x·b, y = x + Σ (x_a (c − 1) − x_b s) a + (x_a s + x_b (c − 1)) b.
template <class T>
void GrapeMultiplicative<T>::turn_back(PositionsIn positions, const MatrixIn<T>& x,
                                       MatrixOut<T> d_x, Tables& d_tables) const {
  check_shape(positions, x);
  const Matrix<double> given_x = x.template cast<double>(), d_y = d_x.template cast<double>();
  const Matrix<double> along = product_with_transpose<double>(given_x, basis_),
                       d_added = product_with_transpose<double>(d_y, basis_);
  Matrix<double> added(along.rows(), along.cols()), d_along(along.rows(), along.cols());
  double d_theta = 0;
  for (Index i = 0; i < along.rows(); ++i)
    for (std::size_t t = 0; t < theta_.size(); ++t) {
      const Position position = positions[static_cast<std::size_t>(i)];
      const auto [c, s] = rotation_at(position, theta_[t]);
      const auto a = 2 * static_cast<Index>(t), b = a + 1;
      added(i, a) = along(i, a) * (c - 1) - along(i, b) * s;
      added(i, b) = along(i, a) * s + along(i, b) * (c - 1);
      d_along(i, a) = d_added(i, a) * (c - 1) + d_added(i, b) * s;
      d_along(i, b) = -d_added(i, a) * s + d_added(i, b) * (c - 1);
      d_theta +=
          static_cast<double>(position) * (d_added(i, a) * (-along(i, a) * s - along(i, b) * c) +
                                           d_added(i, b) * (along(i, a) * c - along(i, b) * s));
    }
  d_x = (d_y + product<double>(d_along, basis_)).template cast<T>();
  const Matrix<double> d_basis =
      transposed_product<double>(d_along, given_x) + transposed_product<double>(added, d_y);
  // All planes have frequencies of their own; that of one plane is speed·|a|·|b across a|.
  std::vector<double> d_across(across_.size(), 0.0);
  if (!all_planes_) d_across = {d_theta * theta_[0] / across_[0], d_theta * theta_[0] / across_[1]};
  gradient_of(d_tables, "grape_multiplicative.vectors", given_.rows(), given_.cols()) +=
      pull_orthonormal_back(given_, basis_, across_, d_basis, d_across);
}

template class GrapeMultiplicative<float>;
template class GrapeMultiplicative<double>;

}  // namespace orrery
