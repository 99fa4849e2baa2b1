#include "experiments/model_files/rotation.h"

#include <fmt/format.h>
#include <numbers>

#include "core/encodings/rope.h"
#include "core/encodings/rope_scaling.h"
#include "core/encodings/rope_settings.h"
#include "core/errors.h"

namespace orrery {

void complete_rope(LayerPlan& layer) {
  RopeConvention& rope = layer.rope;
  if (rope.rotary_dims < 2 || rope.rotary_dims > rope.d_head)
    throw UsageError(fmt::format("{} channels that turn", rope.rotary_dims),
                     fmt::format("must be from 2 to the {} of a head", rope.d_head),
                     "check head_dim and the keys of the rotated part");
  rope = completed(rope);
  check_settings(rope);
  layer.inv_freq = frequencies_of(rope, Precision::fp64);
  if (layer.attention_factor != 0) layer.attention_factor = attention_factor(rope.scaling);
}

void require_rotation(const LayerPlan& layer) {
  if (layer.attention_factor == 0)
    throw UsageError(fmt::format("layer {}, whose attention_factor is 0", layer.layer),
                     "multiplies cos and sin by 0, which no encoding that runs does",
                     "choose another layer, or correct the file");
}

std::vector<std::pair<int, int>> channel_pairs(const LayerPlan& layer) {
  if (layer.encoding != "rope") return {};
  std::vector<std::pair<int, int>> pairs;
  for (Index t = 0; t < pairs_of(layer.rope); ++t) {
    const auto [a, b] = channels_of(layer.rope, t);
    pairs.emplace_back(static_cast<int>(a), static_cast<int>(b));
  }
  return pairs;
}

void rotate(const LayerPlan& layer, std::int64_t position, std::vector<double>& x) {
  if (layer.encoding != "rope") return;
  if (x.size() != static_cast<std::size_t>(layer.rope.d_head))
    throw UsageError(fmt::format("{} channels", x.size()),
                     fmt::format("a head of this layer has {}", layer.rope.d_head),
                     "give as many channels as the head has");
  Eigen::Map<Matrix<double>> row(x.data(), 1, layer.rope.d_head);
  if (layer.attention_factor == 0)
    row.middleCols(first_channel(layer.rope), 2 * pairs_of(layer.rope)).setZero();
  else
    Rope<double>(layer.rope).transform_queries(Positions{position}, row);
}

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
