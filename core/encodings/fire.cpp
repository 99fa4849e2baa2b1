#include "core/encodings/fire.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/errors.h"
#include "core/param_specs.h"

namespace orrery {
namespace {

constexpr Index fire_width = 32;
constexpr double released_epsilon = 1e-6;  // of the released code

void check_network(const FireNetwork& f) {
  const Index width = f.w1.cols(), heads = f.w2.cols();
  if (f.w1.rows() == 1 && f.b1.rows() == 1 && f.b1.cols() == width && f.w2.rows() == width &&
      f.b2.rows() == 1 && f.b2.cols() == heads && width > 0 && heads > 0)
    return;
  throw UsageError(
      fmt::format("a FIRE network w1 [{}, {}], b1 [{}, {}], w2 [{}, {}], b2 [{}, {}]", f.w1.rows(),
                  width, f.b1.rows(), f.b1.cols(), f.w2.rows(), heads, f.b2.rows(), f.b2.cols()),
      "must be [1, width], [1, width], [width, heads], [1, heads]", "save it in these shapes");
}

void check_config(const FireConfig& config) {
  if (!(config.c > 0) || !std::isfinite(config.c))
    throw UsageError(fmt::format("fire.c={}", config.c), "must be positive and finite",
                     "the released code starts it at 0.1");
  if (!(config.threshold >= 1) || !std::isfinite(config.threshold))
    throw UsageError(fmt::format("fire.threshold={}", config.threshold),
                     "must be a position of 1 or more", "the released code starts it at 512");
}

double psi(double c, double x) { return std::log1p(std::abs(c * x)); }

/// Uniform in ±1/√inputs has this deviation.
double linear_deviation(Index inputs) { return 1.0 / std::sqrt(3.0 * static_cast<double>(inputs)); }

}  // namespace

template <class T>
Fire<T>::Fire(const FireConfig& config, FireNetwork network, const StageRounding& rounding)
    : config_(config), network_(std::move(network)), rounding_(rounding) {
  check_config(config_);
  check_network(network_);
  for (Matrix<double>* weights : {&network_.w1, &network_.b1, &network_.w2, &network_.b2})
    rounding_.apply<double>(Stage::table, *weights);
}

template <class T>
// NOLINTNEXTLINE(readability-function-size): a table, without control flow.
EncodingInfo Fire<T>::info() {
  ParamSpec c =
      log_real_param({"fire.c", "$c$"}, "Scale of distances before the logarithm.", 0.1, 1e-6, 1e6);
  ParamSpec threshold =
      log_real_param({"fire.threshold", "$L$", "tokens"},
                     "Queries before it divide by $ψ(L)$, later ones by $ψ(m)$.", 512.0, 1.0, 1e9);
  const std::string drawn = "normal, of the deviation of PyTorch's linear layer";
  return {
      .name = "fire",
      .label = "FIRE",
      .title = "FIRE, functional interpolation of distances",
      .statement =
          "Adds a trained function of the distance as a share of the query's position, by head.",
      .source = "Li et al. 2023 (FIRE) §3; mcleish7/arithmetic",
      .formulas =
          {{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d} + f_h\left(\frac{\psi(m - n)}{\psi(\max(m, L)) + \epsilon}\right))",
            "Li et al. 2023"},
           {R"(\psi(x) = \ln(|c x| + 1))", "Li et al. 2023", in_descriptions},
           {R"(f_h(x) = \sum_w \max(0, x a_w + b_w) v_{w,h} + u_h)", "", in_descriptions}},
      .symbols = {{"f_h", "trained network of one input, one output a head"},
                  {"ε", "10⁻⁶, which the released code adds and the paper does not print"},
                  {"L", "position up to which the bias is a function of $m − n$"},
                  {"c", "trained scale of distances"}},
      .params = {std::move(c), std::move(threshold)},
      .tables = {{"fire.w1", "[1, 32]", "Weights of the hidden layer.", drawn},
                 {"fire.b1", "[1, 32]", "Its biases.", drawn},
                 {"fire.w2", "[32, heads]", "Weights of the output.", drawn},
                 {"fire.b2", "[1, heads]", "Its biases.", drawn}},
      .stages = {Stage::position, Stage::distance, Stage::table},
      .term_symbols = {{"network_bias", R"(f_h(m, n))"}}};
}

template <class T>
std::unique_ptr<Fire<T>> Fire<T>::make(const EncodingSettings& s) {
  const double first = linear_deviation(1), second = linear_deviation(fire_width);
  FireNetwork network{table_of<double>(s, "fire.w1", 1, fire_width, first),
                      table_of<double>(s, "fire.b1", 1, fire_width, first),
                      table_of<double>(s, "fire.w2", fire_width, s.heads, second),
                      table_of<double>(s, "fire.b2", 1, s.heads, second)};
  return std::make_unique<Fire>(
      FireConfig{.c = s.params.real("fire.c"), .threshold = s.params.real("fire.threshold")},
      std::move(network), s.rounding);
}

template <class T>
double Fire<T>::share(Position m, Position n) const {
  const double query = rounding_(Stage::position, static_cast<double>(m));
  // A position that overflowed its format is NaN's business, not the threshold's.
  const double of = query <= config_.threshold ? config_.threshold : query;
  return psi(config_.c, rounded_distance(m, n, rounding_)) /
         (psi(config_.c, of) + released_epsilon);
}

template <class T>
double Fire<T>::network(double x, Index head) const {
  double sum = network_.b2(0, head);
  for (Index w = 0; w < network_.w1.cols(); ++w) {
    const double hidden = x * network_.w1(0, w) + network_.b1(0, w);
    if (!(hidden <= 0)) sum += hidden * network_.w2(w, head);  // NaN passes
  }
  return sum;
}

template <class T>
ScoreTerm<T> Fire<T>::bias(const ScoreInputs<T>& in) const {
  check_head(in.head, network_.w2.cols());
  check_positions(in.m);
  check_positions(in.n);
  return {"network_bias", matrix_of_pairs<T>(in.m, in.n, [&](Position m, Position n) {
            return network(share(m, n), in.head);
          })};
}

template <class T>
void Fire<T>::add_network_gradients(double x, Index head, double d_bias, FireNetwork& d) const {
  d.b2(0, head) += d_bias;
  for (Index w = 0; w < network_.w1.cols(); ++w) {
    const double hidden = x * network_.w1(0, w) + network_.b1(0, w);
    if (hidden <= 0) continue;  // NaN passes
    d.w2(w, head) += d_bias * hidden;
    const double d_hidden = d_bias * network_.w2(w, head);
    d.w1(0, w) += d_hidden * x;
    d.b1(0, w) += d_hidden;
  }
}

template <class T>
void Fire<T>::add_bias_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                 Tables& d_tables) const {
  check_head(in.head, network_.w2.cols());
  const Index width = network_.w1.cols(), heads = network_.w2.cols();
  FireNetwork sums{Matrix<double>::Zero(1, width), Matrix<double>::Zero(1, width),
                   Matrix<double>::Zero(width, heads), Matrix<double>::Zero(1, heads)};
  for (Index i = 0; i < d_logits.rows(); ++i)
    for (Index j = 0; j < d_logits.cols(); ++j)
      add_network_gradients(
          share(in.m[static_cast<std::size_t>(i)], in.n[static_cast<std::size_t>(j)]), in.head,
          static_cast<double>(d_logits(i, j)), sums);
  gradient_of(d_tables, "fire.w1", 1, width) += sums.w1;
  gradient_of(d_tables, "fire.b1", 1, width) += sums.b1;
  gradient_of(d_tables, "fire.w2", width, heads) += sums.w2;
  gradient_of(d_tables, "fire.b2", 1, heads) += sums.b2;
}

template class Fire<float>;
template class Fire<double>;

}  // namespace orrery
