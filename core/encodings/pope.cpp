#include "core/encodings/pope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/attention/content.h"
#include "core/encodings/fox.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/relative_index.h"
#include "core/errors.h"
#include "core/logit_rule.h"

namespace orrery {
namespace {

/// base^(-c/d), c = 0 … d − 1: those of RoPE with twice as many channels.
std::vector<double> frequencies_of(Index d, double base, const StageRounding& rounding) {
  return inverse_frequencies(2 * d, base, rounding.format(Stage::inv_freq));
}

double clamped(double phase) {
  constexpr double turn = 2.0 * std::numbers::pi;
  return std::isnan(phase) ? phase : std::clamp(phase, -turn, 0.0);
}

/// softplus(x) − ln 2, 0 for x = 0.
template <class T>
Matrix<T> lengths_of(const MatrixIn<T>& x) {
  return x.unaryExpr([](T value) {
    return static_cast<T>(softplus(static_cast<double>(value)) - std::numbers::ln2);
  });
}

}  // namespace

template <class T>
Pope<T>::Pope(double base, Matrix<double> phases, const StageRounding& rounding)
    : theta_(frequencies_of(phases.cols(), base, rounding)),
      phases_(std::move(phases)),
      rounding_(rounding) {
  if (phases_.rows() < 1)
    throw UsageError("a table of phases without heads", "must be [heads, d_head]", "use heads=8");
  const Matrix<double> given = phases_;
  phases_ = phases_.unaryExpr([](double phase) { return clamped(phase); });
  free_ =
      (given - phases_).unaryExpr([](double cut) { return cut != 0 && cut == cut ? 0.0 : 1.0; });
}

template <class T>
EncodingInfo Pope<T>::info() {
  return {
      .name = "pope",
      .label = "PoPE",
      .title = "PoPE, polar position embedding",
      .statement =
          "Makes every channel a complex number: content sets its length, position alone its "
          "angle.",
      .source = "Gopalakrishnan et al. 2025 (PoPE) §3",
      .formulas =
          {{R"(\ell_{m,n} = \frac{1}{\sqrt{d}} \sum_{c=0}^{d-1} \mu_{q,c} \mu_{k,c} \cos((m - n)\theta_c - \delta_c), \quad \mu_{x,c} = \ln(1 + e^{x_c}))",
            "Gopalakrishnan et al. 2025"},
           {R"(\theta_c = \mathrm{base}^{-c/d})", "Gopalakrishnan et al. 2025", in_descriptions}},
      .symbols = {{"μ_{q,c}", "length of the query's channel $c$, always positive"},
                  {"θ_c", "frequency of channel $c$, in rad per token"},
                  {"δ_c", "trained phase of channel $c$, by head"}},
      .params = {base_param()},
      .tables = {{"pope.phases", "[heads, d_head]",
                  "Phase of each head and channel, clamped to $[−2π, 0]$.", "0", false}},
      .decay = {.param = "base"},
      .stages = {Stage::position, Stage::inv_freq, Stage::angle, Stage::cos_sin},
      .term_symbols = {{"content", R"(\mathbf{s}_m^\top \mathbf{s}_n)"},
                       {"content_to_position", R"(\mathbf{s}_m^\top \mathbf{c}_n)"},
                       {"position_to_content", R"(\mathbf{c}_m^\top \mathbf{s}_n)"},
                       {"position_to_position", R"(\mathbf{c}_m^\top \mathbf{c}_n)"}},
      .cost = {.mean_logit = 1900, .content = 10000}};
}

template <class T>
std::unique_ptr<Pope<T>> Pope<T>::make(const EncodingSettings& s) {
  return std::make_unique<Pope>(s.params.real("base"),
                                table_or<double>(s, "pope.phases", s.heads, s.d_head, 0.0),
                                s.rounding);
}

template <class T>
Matrix<T> Pope<T>::polar(const Matrix<T>& lengths, PositionsIn positions,
                         const double* phase) const {
  const Index d = lengths.cols();
  Matrix<T> out(lengths.rows(), 2 * d);
  for (Index i = 0; i < lengths.rows(); ++i)
    for (Index c = 0; c < d; ++c) {
      const auto channel = static_cast<std::size_t>(c);
      CosSin turn =
          rounded_rotation(positions[static_cast<std::size_t>(i)], theta_[channel], rounding_);
      if (phase && phase[c] != 0) {
        const double pc = std::cos(phase[c]), ps = std::sin(phase[c]);
        turn = {turn.cos * pc - turn.sin * ps, turn.sin * pc + turn.cos * ps};
      }
      out(i, c) = static_cast<T>(static_cast<double>(lengths(i, c)) * turn.cos);
      out(i, d + c) = static_cast<T>(static_cast<double>(lengths(i, c)) * turn.sin);
    }
  return out;
}

template <class T>
double Pope<T>::of_distance(Position distance, const double* phase) const {
  double sum = 0;
  for (std::size_t c = 0; c < theta_.size(); ++c) {
    const CosSin turn = rotation_at(distance, theta_[c]);
    sum += turn.cos * std::cos(phase[c]) + turn.sin * std::sin(phase[c]);
  }
  return std::numbers::ln2 * std::numbers::ln2 * sum;
}

template <class T>
Matrix<T> Pope<T>::of_distances(const ScoreInputs<T>& in, const double* phase, double scale) const {
  Matrix<T> out(in.q.rows(), in.k.rows());
  const std::optional<Distances> distances = consecutive_distances(in.m, in.n);
  std::vector<double> found(distances ? static_cast<std::size_t>(distances->count) : 0);
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i] = of_distance(-(distances->first + static_cast<Position>(i)), phase);
  for (Index i = 0; i < out.rows(); ++i)
    for (Index j = 0; j < out.cols(); ++j) {
      const Position r =
          relative_position(in.m[static_cast<std::size_t>(i)], in.n[static_cast<std::size_t>(j)]);
      const double sum = distances ? found[static_cast<std::size_t>(-r - distances->first)]
                                   : of_distance(r, phase);
      out(i, j) = static_cast<T>(scale * sum);
    }
  return out;
}

template <class T>
Matrix<T> Pope<T>::product_sizes(const MatrixIn<T>& x) const {
  const Matrix<T> of_terms = lengths_of<T>(x).array().abs() + static_cast<T>(std::numbers::ln2);
  return of_terms.replicate(1, 2);
}

template <class T>
void Pope<T>::check_inputs(const ScoreInputs<T>& in) const {
  check_head(in.head, phases_.rows());
  check_positions(in.m, in.q.rows());
  check_positions(in.n, in.k.rows());
  if (in.q.cols() != phases_.cols() || in.k.cols() != phases_.cols())
    throw UsageError(fmt::format("q with {} and k with {} channels", in.q.cols(), in.k.cols()),
                     fmt::format("this PoPE was made for d_head={}", phases_.cols()),
                     "give q and k with as many channels");
}

template <class T>
std::vector<ScoreTerm<T>> Pope<T>::score_terms(const ScoreInputs<T>& in) const {
  check_inputs(in);
  // The scale is that of d channels, though products are of 2 d numbers.
  const Scoring scoring{in.scoring.rounding, score_scale(1, in.q.cols(), in.scoring)};
  const double* phase = phases_.row(in.head).data();
  const auto ln2 = static_cast<T>(std::numbers::ln2);
  const Matrix<T> q = polar(lengths_of<T>(in.q), in.m, nullptr),
                  k = polar(lengths_of<T>(in.k), in.n, phase);
  const Matrix<T> at_m = polar(Matrix<T>::Constant(in.q.rows(), in.q.cols(), ln2), in.m, nullptr);
  const Matrix<T> at_n = polar(Matrix<T>::Constant(in.k.rows(), in.k.cols(), ln2), in.n, phase);
  std::vector<ScoreTerm<T>> terms;
  terms.push_back({"content", scaled_product<T>(q, k, 1, scoring)});
  terms.push_back({"content_to_position", scaled_product<T>(q, at_n, 1, scoring)});
  terms.push_back({"position_to_content", scaled_product<T>(at_m, k, 1, scoring)});
  if (rounds_rotation(rounding_) || scoring.rounding.rounds(Stage::term))
    terms.push_back({"position_to_position", scaled_product<T>(at_m, at_n, 1, scoring)});
  else
    terms.push_back({"position_to_position", of_distances(in, phase, *scoring.scale)});
  return terms;
}

template <class T>
std::optional<LogitFactors<T>> Pope<T>::logit_factors(const ScoreInputs<T>& in,
                                                      const Distances&) const {
  check_head(in.head, phases_.rows());
  if (in.q.cols() != phases_.cols()) return std::nullopt;  // left to score_terms, which refuses it
  const auto ln2 = static_cast<T>(std::numbers::ln2);
  Matrix<T> q = lengths_of<T>(in.q), k = lengths_of<T>(in.k);
  q.array() += ln2;
  k.array() += ln2;
  return LogitFactors<T>{
      .q = scaled_queries<T>(polar(q, in.m, nullptr), score_scale(1, in.q.cols(), in.scoring)),
      .k = polar(k, in.n, phases_.row(in.head).data())};
}

template <class T>
Matrix<double> Pope<T>::mean_directions(Index d) const {
  return Matrix<double>::Constant(1, d, 1 / std::sqrt(static_cast<double>(d)));
}

template <class T>
void Pope<T>::add_polar_gradients(const MatrixIn<T>& x, PositionsIn positions, const double* phase,
                                  const Matrix<T>& d_polar, MatrixOut<T> d_x,
                                  double* d_phase) const {
  const Index d = x.cols();
  const Matrix<T> turns = polar(Matrix<T>::Ones(x.rows(), d), positions, phase);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index c = 0; c < d; ++c) {
      const auto value = static_cast<double>(x(i, c));
      const auto cosine = static_cast<double>(turns(i, c)),
                 sine = static_cast<double>(turns(i, d + c)),
                 d_real = static_cast<double>(d_polar(i, c)),
                 d_imaginary = static_cast<double>(d_polar(i, d + c));
      d_x(i, c) += static_cast<T>(sigmoid(value) * (d_real * cosine + d_imaginary * sine));
      if (d_phase) d_phase[c] += softplus(value) * (d_imaginary * cosine - d_real * sine);
    }
}

template <class T>
void Pope<T>::add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                  const ScoreGradients<T>& d) const {
  check_inputs(in);
  const auto ln2 = static_cast<T>(std::numbers::ln2);
  Matrix<T> q = lengths_of<T>(in.q), k = lengths_of<T>(in.k);
  q.array() += ln2;
  k.array() += ln2;
  const double* phase = phases_.row(in.head).data();
  q = polar(q, in.m, nullptr);
  k = polar(k, in.n, phase);
  Matrix<T> d_q = Matrix<T>::Zero(q.rows(), q.cols()), d_k = Matrix<T>::Zero(k.rows(), k.cols());
  add_product_gradients<T>(q, k, d_logits, score_scale(1, in.q.cols(), in.scoring), d_q, d_k);
  Matrix<double> d_phase = Matrix<double>::Zero(1, in.k.cols());
  add_polar_gradients(in.q, in.m, nullptr, d_q, d.q, nullptr);
  add_polar_gradients(in.k, in.n, phase, d_k, d.k, d_phase.data());
  gradient_of(d.tables, "pope.phases", phases_.rows(), phases_.cols()).row(in.head) +=
      d_phase.cwiseProduct(free_.row(in.head));
}

template class Pope<float>;
template class Pope<double>;

}  // namespace orrery
