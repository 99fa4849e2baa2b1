#include "experiments/model_files/pair_bands.h"

#include <numbers>

#include "core/encodings/rope_frequencies.h"

namespace orrery {
namespace {

constexpr double one_turn = 2.0 * std::numbers::pi;
constexpr double rounding = 1e-9;

PairBand band_of(double theta, double scaled, double trained, double context) {
  if (scaled == 0) return PairBand::still;
  const double shown = trained * theta, asked = context * scaled;
  if (shown < one_turn * (1 - rounding) && asked > shown * (1 + rounding)) return PairBand::unseen;
  return scaled < theta * (1 - rounding) ? PairBand::interpolated : PairBand::extrapolated;
}

/// The distances that a layer meets: of a query to keys in its window.
double within_window(const LayerPlan& layer, double length) {
  const bool windowed = layer.window && static_cast<double>(*layer.window) < length;
  return windowed ? static_cast<double>(*layer.window) : length;
}

}  // namespace

std::string_view name_of(PairBand band) {
  switch (band) {
    case PairBand::still:
      return "still";
    case PairBand::extrapolated:
      return "extrapolated";
    case PairBand::interpolated:
      return "interpolated";
    case PairBand::unseen:
      break;
  }
  return "unseen";
}

std::vector<double> unscaled_frequencies(const LayerPlan& layer) {
  if (layer.encoding != "rope") return {};
  RopeConvention plain = layer.rope;
  plain.scaling = {};
  return frequencies_of(plain, Precision::fp64);
}

double trained_length(const LayerPlan& layer, double trained) {
  const std::optional<ParamValue> own = find_param(layer, "rope.original_length");
  return own ? static_cast<double>(std::get<std::int64_t>(*own)) : trained;
}

std::vector<PairBand> bands_of(const LayerPlan& layer, double trained, double context) {
  const std::vector<double> theta = unscaled_frequencies(layer);
  const double shown = within_window(layer, trained_length(layer, trained));
  const double asked = within_window(layer, context);
  std::vector<PairBand> bands;
  for (std::size_t t = 0; t < theta.size(); ++t)
    bands.push_back(band_of(theta[t], layer.inv_freq[t], shown, asked));
  return bands;
}

}  // namespace orrery
