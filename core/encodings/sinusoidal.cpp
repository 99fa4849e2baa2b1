#include "core/encodings/sinusoidal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/encodings/common_formulas.h"
#include "core/encodings/frequencies.h"
#include "core/errors.h"
#include "core/param_specs.h"

namespace orrery {
namespace {

/// base^(-t/(pairs−1)): from 1 to 1/base inclusive. A single pair turns with frequency 1.
std::vector<double> tensor2tensor_frequencies(Index d, double base) {
  if (d <= 0)
    throw UsageError(fmt::format("d_model={}", d), "must be at least 1", "use d_model=64");
  const Index pairs = d / 2;
  std::vector<double> theta(static_cast<std::size_t>(pairs));
  const double steps = std::max(1.0, static_cast<double>(pairs) - 1.0);
  for (std::size_t t = 0; t < theta.size(); ++t)
    theta[t] = std::pow(base, -static_cast<double>(t) / steps);
  return theta;
}

/// The same as its authors compute them, exp(t·(−ln base/(pairs−1))), each step in fp32.
std::vector<double> tensor2tensor_frequencies(Index d, double base, Precision format) {
  std::vector<double> theta = tensor2tensor_frequencies(d, base);
  if (format == Precision::fp64) return theta;
  const auto fp32 = [](double value) { return round_to(Precision::fp32, value); };
  const double steps = std::max(1.0, static_cast<double>(theta.size()) - 1.0);
  const double step = fp32(-std::log(base) / steps);
  for (std::size_t t = 0; t < theta.size(); ++t)
    theta[t] = round_to(format, fp32(std::exp(fp32(static_cast<double>(t) * step))));
  return theta;
}

std::vector<double> frequencies_of(SinusoidalLayout layout, Index d, double base,
                                   Precision format) {
  return layout == SinusoidalLayout::tensor2tensor ? tensor2tensor_frequencies(d, base, format)
                                                   : inverse_frequencies(d, base, format);
}

std::vector<double> negated(std::vector<double> theta) {
  for (double& t : theta) t = -t;
  return theta;
}

}  // namespace

SinusoidalLayout layout_named(const std::string& name) {
  if (name == "concatenated") return SinusoidalLayout::concatenated;
  if (name == "tensor2tensor") return SinusoidalLayout::tensor2tensor;
  return SinusoidalLayout::interleaved;
}

template <class T>
Sinusoidal<T>::Sinusoidal(Index d_model, double base, SinusoidalLayout layout,
                          StageRounding rounding)
    : d_model_(d_model),
      layout_(layout),
      rounding_(rounding),
      theta_(frequencies_of(layout, d_model, base, Precision::fp64)),
      rounded_theta_(frequencies_of(layout, d_model, base, rounding.format(Stage::inv_freq))),
      table_(negated(rounded_theta_)) {}

template <class T>
EncodingInfo Sinusoidal<T>::info() {
  ParamSpec layout = choice_param(
      "sinusoidal.layout",
      "Where sines and cosines stand, and with tensor2tensor which frequencies.", "interleaved",
      {{"interleaved", "channel $2t$ = sin, $2t+1$ = cos: the paper's formula"},
       {"concatenated", "all sines, then all cosines: the same channels, permuted"},
       {"tensor2tensor", "concatenated, frequencies from 1 to $1/\\mathrm{base}$ inclusive"}});
  return {
      .name = "sinusoidal",
      .label = "sinusoidal",
      .title = "Sinusoidal absolute positions",
      .statement = "Adds a fixed vector of sines and cosines of the position to the input.",
      .source = "Vaswani et al. 2017 §3.5; RoFormer eq. (3), (4)",
      .formulas =
          {{R"(\begin{cases} p_{m,2t} = \sin(m\theta_t) \\ p_{m,2t+1} = \cos(m\theta_t) \end{cases})",
            "eq. (4)"},
           frequency_formula},
      .score_formulas = {four_terms_formula},
      .symbols = {frequency_meaning, query_vector_meaning, key_vector_meaning},
      .params = {base_param(), std::move(layout)},
      .decay = {.param = "base"},
      .stages = {Stage::position, Stage::inv_freq, Stage::angle, Stage::cos_sin, Stage::input},
      .term_symbols = four_term_symbols(),
      .same_heads = true};
}

template <class T>
std::unique_ptr<Sinusoidal<T>> Sinusoidal<T>::make(const EncodingSettings& s) {
  return std::make_unique<Sinusoidal>(s.d_model, s.params.real("base"),
                                      layout_named(s.params.text("sinusoidal.layout")), s.rounding);
}

/// (0, 1) turned by −m·theta is (sin m·theta, cos m·theta).
template <class T>
void Sinusoidal<T>::fill(PositionsIn positions, MatrixOut<T> p) const {
  const auto pairs = static_cast<Index>(theta_.size());
  if (interleaved()) {
    for (Index t = 0; t < pairs; ++t) p.col(2 * t + 1).setOnes();
    table_.rotate_interleaved<T>(positions, p);
  } else {
    p.middleCols(pairs, pairs).setOnes();
    table_.rotate_half_split<T>(positions, p);
  }
}

template <class T>
void Sinusoidal<T>::fill_rounded(PositionsIn positions, MatrixOut<T> p) const {
  const auto pairs = static_cast<Index>(theta_.size());
  for (Index i = 0; i < p.rows(); ++i) {
    const Position m = positions[static_cast<std::size_t>(i)];
    if (i > 0 && m == positions[static_cast<std::size_t>(i) - 1]) {
      p.row(i) = p.row(i - 1);
      continue;
    }
    for (Index t = 0; t < pairs; ++t) {
      const CosSin turn =
          rounded_rotation(m, rounded_theta_[static_cast<std::size_t>(t)], rounding_);
      p(i, interleaved() ? 2 * t : t) = static_cast<T>(turn.sin);
      p(i, interleaved() ? 2 * t + 1 : pairs + t) = static_cast<T>(turn.cos);
    }
  }
}

template <class T>
Matrix<T> Sinusoidal<T>::table(PositionsIn positions) const {
  const auto rows = static_cast<Index>(positions.size());
  check_positions(positions, rows);
  Matrix<T> p = Matrix<T>::Zero(rows, d_model_);
  // fp64 shows the last bits, which a table of rotations does not have.
  if (sizeof(T) == sizeof(double) || rounds_rotation(rounding_))
    fill_rounded(positions, p);
  else
    fill(positions, p);
  return p;
}

template <class T>
void Sinusoidal<T>::add_to_input(PositionsIn positions, MatrixOut<T> x) const {
  check_positions(positions, x.rows());
  if (x.cols() != d_model_)
    throw UsageError(fmt::format("x with {} channels", x.cols()),
                     fmt::format("sinusoidal positions were made for d_model={}", d_model_),
                     "give x with as many channels");
  x += table(positions);
  rounding_.apply<T>(Stage::input, x);
}

template class Sinusoidal<float>;
template class Sinusoidal<double>;

}  // namespace orrery
