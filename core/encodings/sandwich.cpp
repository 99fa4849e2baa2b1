#include "core/encodings/sandwich.h"

#include <fmt/format.h>

#include <cmath>

#include <utility>

#include "core/encodings/frequencies.h"
#include "core/errors.h"

namespace orrery {

template <class T>
Sandwich<T>::Sandwich(const SandwichConfig& config, const StageRounding& rounding)
    : config_(config),
      rounding_(rounding),
      theta_(inverse_frequencies(config.channels, config.base, rounding.format(Stage::inv_freq))) {
  if (config_.heads < 1)
    throw UsageError(fmt::format("heads={}", config_.heads), "must be at least 1", "use heads=8");
}

template <class T>
EncodingInfo Sandwich<T>::info() {
  ParamSpec channels{.key = "sandwich.channels",
                     .symbol = "$D$",
                     .unit = "channels",
                     .description = "Channels of the sinusoids, whatever the head has.",
                     .kind = ParamKind::integer,
                     .default_value = std::int64_t{128},
                     .min = 2,
                     .max = 65536,
                     .multiple_of = 2,
                     .logarithmic = true};
  return {
      .name = "sandwich",
      .label = "Sandwich",
      .title = "Sandwich, products of sinusoids as a bias",
      .statement = "Adds the product of two sinusoidal position vectors, compressed by head.",
      .source = "Chi et al. 2023 (Receptive Field Analysis) §5",
      .formulas =
          {{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d} + \frac{1}{c_h} \sum_{t=0}^{D/2-1} \cos((m - n)\theta_t), \quad c_h = 8(h+1)/H)",
            "Chi et al. 2023"},
           {R"(\theta_t = \mathrm{base}^{-2t/D})", "Chi et al. 2023", in_descriptions}},
      .symbols = {{"θ_t", "frequency of a sinusoid, in rad per token"},
                  {"c_h", "compression of the head: the larger, the flatter"},
                  {"D", "channels of the sinusoids, sandwich.channels"}},
      .params = {base_param(), std::move(channels)},
      .decay = {.param = "base"},
      .stages = {Stage::position, Stage::distance, Stage::inv_freq, Stage::angle, Stage::cos_sin},
      .term_symbols = {{"sinusoid_bias", R"(\mathbf{p}_m^\top \mathbf{p}_n / c_h)"}}};
}

template <class T>
std::unique_ptr<Sandwich<T>> Sandwich<T>::make(const EncodingSettings& s) {
  return std::make_unique<Sandwich>(
      SandwichConfig{.channels = s.params.integer("sandwich.channels"),
                     .base = s.params.real("base"),
                     .heads = s.heads},
      s.rounding);
}

template <class T>
double Sandwich<T>::product(double r) const {
  // The distance is rounded already, and not a second time as a position.
  const StageRounding of_distance = rounding_.with(Stage::position, Stage::distance);
  if (!(std::abs(r) <= 2.0 * static_cast<double>(max_position))) return r - r;  // NaN of ±inf
  double sum = 0;
  for (const double theta : theta_)
    sum += rounded_rotation(static_cast<Position>(r), theta, of_distance).cos;
  return sum;
}

template <class T>
ScoreTerm<T> Sandwich<T>::bias(const ScoreInputs<T>& in) const {
  check_head(in.head, config_.heads);
  const double compression = 8.0 * (in.head + 1) / config_.heads;
  return {"sinusoid_bias", matrix_of_rounded_distances<T>(in.m, in.n, rounding_, [&](double r) {
            return product(r) / compression;
          })};
}

template class Sandwich<float>;
template class Sandwich<double>;

}  // namespace orrery
