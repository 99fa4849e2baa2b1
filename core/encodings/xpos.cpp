#include "core/encodings/xpos.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/encodings/common_formulas.h"
#include "core/encodings/frequencies.h"
#include "core/errors.h"
#include "core/param_specs.h"

namespace orrery {
namespace {

/// log2 of the largest factor of the fastest pair, so that what it multiplies stays a number too.
double largest_exponent(Precision format) {
  switch (format) {
    case Precision::fp64:
      return 500.0;
    case Precision::fp16:
      return 12.0;
    default:
      return 60.0;
  }
}

/// In the narrowest of the formats that hold factors, or q and k with them.
template <class T>
double largest_exponent(const StageRounding& rounding) {
  double least = largest_exponent(sizeof(T) == 8 ? Precision::fp64 : Precision::fp32);
  for (const Stage stage : {Stage::cos_sin, Stage::rotated_qk})
    if (rounding.rounds(stage))
      least = std::min<double>(least, largest_exponent(rounding.format(stage)));
  return least;
}

void check_positive(const char* name, double value, const char* remedy) {
  if (value > 0 && std::isfinite(value)) return;
  throw UsageError(fmt::format("xpos.{}={}", name, value), "must be positive and finite", remedy);
}

void check_near(Position m, Position centre, Position reach) {
  if (centre - reach <= m && m <= centre + reach) return;
  throw UsageError(fmt::format("position {} with xpos.centre={}", m, centre),
                   fmt::format("must lie within {} of the centre, where xPos's factors of queries "
                               "and keys still are numbers",
                               reach),
                   "move xpos.centre to the middle of the text");
}

std::vector<double> decays(Index d, double gamma) {
  std::vector<double> zeta(static_cast<std::size_t>(d / 2));
  for (std::size_t t = 0; t < zeta.size(); ++t)
    zeta[t] = (2.0 * static_cast<double>(t) / static_cast<double>(d) + gamma) / (1.0 + gamma);
  return zeta;
}

}  // namespace

template <class T>
Xpos<T>::Xpos(const XposConfig& config)
    : config_(config),
      theta_(
          inverse_frequencies(config.d_head, config.base, config.rounding.format(Stage::inv_freq))),
      zeta_(decays(config.d_head, config.gamma)) {
  check_positive("scale_base", config_.scale_base, "the released code has 512");
  check_positive("gamma", config_.gamma, "the paper has 0.4");
  check_positions(PositionsIn(&config_.centre, 1));
}

template <class T>
EncodingInfo Xpos<T>::info() {
  ParamSpec scale_base =
      log_real_param({"xpos.scale_base", "$B$", "tokens"},
                     "Distance over which pair $t$ decays by the factor $ζ_t$.", 512.0, 1.0, 1e9);
  ParamSpec gamma = log_real_param(
      {"xpos.gamma", "$γ$"}, "Decay of the fastest pair: $ζ_0 = γ/(1 + γ)$.", 0.4, 0.001, 1000.0);
  ParamSpec centre =
      count_param({"xpos.centre", "$c$"},
                  "Position at which nothing is scaled; it cancels in the scores.", 0, -1e15, 1e15);
  return {
      .name = "xpos",
      .label = "xPos",
      .title = "xPos, RoPE with exponential decay",
      .statement =
          "Rotates $q$ and $k$ as RoPE does and lets them shrink with distance, fast pairs most.",
      .source = "Sun et al. 2022 §3.2; microsoft/torchscale",
      .formulas =
          {{R"(\mathbf{q}_m = \zeta^{(m - c)/B} \mathbf{R}_{\Theta,m} \mathbf{W}_q \mathbf{x}_m, \quad \mathbf{k}_n = \zeta^{-(n - c)/B} \mathbf{R}_{\Theta,n} \mathbf{W}_k \mathbf{x}_n)",
            "Sun et al. 2022"},
           {R"(\zeta_t = \frac{2t/d + \gamma}{1 + \gamma})", "Sun et al. 2022"},
           frequency_formula},
      .score_formulas =
          {{R"(\mathbf{q}_m^\top \mathbf{k}_n = \mathrm{Re} \sum_{t=0}^{d/2-1} \zeta_t^{(m-n)/B} h_t e^{\mathrm{i}(m-n)\theta_t})",
            "Sun et al. 2022"}},
      .symbols = {frequency_meaning,
                  {"ζ_t", "decay of pair $t$ over $B$ tokens"},
                  {"c", "position at which nothing is scaled"},
                  {"h_t", "product of the query's and the key's pair $t$, as complex numbers"}},
      .params = {base_param(), std::move(scale_base), std::move(gamma), std::move(centre)},
      .decay = {.param = "xpos.scale_base"},
      .stages = {Stage::position, Stage::inv_freq, Stage::angle, Stage::cos_sin, Stage::rotated_qk},
      .cost = {.mean_logit = 400},
      .same_heads = true};
}

template <class T>
std::unique_ptr<Xpos<T>> Xpos<T>::make(const EncodingSettings& s) {
  auto xpos = std::make_unique<Xpos>(XposConfig{.d_head = s.d_head,
                                                .base = s.params.real("base"),
                                                .scale_base = s.params.real("xpos.scale_base"),
                                                .gamma = s.params.real("xpos.gamma"),
                                                .centre = s.params.integer("xpos.centre"),
                                                .rounding = s.rounding});
  const Position last = xpos->last_position();
  if (last < 0)
    throw UsageError(fmt::format("xpos.centre={}", xpos->config_.centre),
                     fmt::format("lets lengths overflow beyond position {}, before the first token "
                                 "at 0",
                                 last),
                     "choose a centre nearer to 0, or a larger xpos.scale_base");
  return xpos;
}

template <class T>
Position Xpos<T>::last_position() const {
  const double reach = largest_exponent<T>(config_.rounding) * std::numbers::ln2 *
                       config_.scale_base / -std::log(zeta_.front());
  const double last = static_cast<double>(config_.centre) + std::floor(reach);
  return last < static_cast<double>(max_position) ? static_cast<Position>(last) : max_position;
}

template <class T>
void Xpos<T>::rotate(PositionsIn positions, const Turn& turn, MatrixOut<T> x) const {
  check_positions(positions, x.rows());
  if (x.cols() != config_.d_head)
    throw UsageError(fmt::format("q or k with {} channels", x.cols()),
                     fmt::format("this xPos was made for d_head={}", config_.d_head),
                     "give q and k with as many channels");
  const Position reach = last_position() - config_.centre;
  for (Index i = 0; i < x.rows(); ++i) {
    const Position m = positions[static_cast<std::size_t>(i)];
    check_near(m, config_.centre, reach);
    const double lengths =
        turn.growth * static_cast<double>(m - config_.centre) / config_.scale_base;
    T* row = x.row(i).data();
    for (std::size_t t = 0; t < theta_.size(); ++t) {
      const auto [c, sine] =
          rounded_rotation(m, theta_[t], turn.rounding, std::pow(zeta_[t], lengths));
      const double s = turn.direction * sine;
      const double a = static_cast<double>(row[2 * t]), b = static_cast<double>(row[2 * t + 1]);
      row[2 * t] = static_cast<T>(a * c - b * s);
      row[2 * t + 1] = static_cast<T>(a * s + b * c);
    }
  }
}

template <class T>
void Xpos<T>::turn(PositionsIn positions, double growth, MatrixOut<T> x) const {
  rotate(positions, {.growth = growth, .rounding = config_.rounding}, x);
  config_.rounding.template apply<T>(Stage::rotated_qk, x);
}

template <class T>
void Xpos<T>::turn_back(PositionsIn positions, double growth, MatrixOut<T> d_x) const {
  rotate(positions, {.growth = growth, .direction = -1.0}, d_x);
}

template class Xpos<float>;
template class Xpos<double>;

}  // namespace orrery
