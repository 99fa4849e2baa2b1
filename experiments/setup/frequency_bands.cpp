#include "experiments/setup/frequency_bands.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <variant>

#include "core/analysis/largest.h"
#include "core/encodings/rope.h"
#include "core/encodings/rope_scaling.h"
#include "core/encodings/rope_settings.h"
#include "core/errors.h"
#include "experiments/setup/encoding_summary.h"

namespace orrery {
namespace {

/// P, as Rope has it: half of the rotated channels, or of all channels when the frequencies count
/// all.
std::optional<std::size_t> pairs_of(const ParamSet& params) {
  if (!params.has("dim") || !params.is_used("dim")) return std::nullopt;
  const auto d = static_cast<double>(params.integer("dim"));
  const bool truncated = params.text("rope.partial") == "truncated";
  const double turning = truncated ? std::floor(params.real("rope.fraction") * d) : d;
  return static_cast<std::size_t>(turning / 2);
}

/// θ after a scaling; empty where there is none, where P is not known, or where the settings
/// contradict each other, which the run says.
std::vector<double> scaled_theta(const ParamSet& params, std::optional<std::size_t> pairs) {
  if (!pairs || *pairs == 0 || params.text("rope.scaling") == "none") return {};
  const Index d = params.integer("dim");
  try {
    const RopeConvention rope = rope_convention_of({.d_model = d, .d_head = d, .params = params});
    return scaled_frequencies(pairs_of(rope), rope.base, rope.scaling, Precision::fp64);
  } catch (const UsageError&) {
    return {};
  }
}

/// Sets the ends of a band whose frequencies are scaled to the extremes of its own pairs.
void take_scaled_ends(MixerBand& band, std::size_t index, const std::vector<double>& theta) {
  Smallest shortest(std::numeric_limits<double>::infinity());
  Largest longest;
  for (std::size_t t = 0; t < theta.size(); ++t) {
    if (mixer_band_of(t, theta.size()) != index) continue;
    shortest.see(2 * std::numbers::pi / theta[t]);
    longest.see(2 * std::numbers::pi / theta[t]);
  }
  if (longest.value() == 0) return;  // no pair lies in it
  band.shortest = shortest.value();
  band.longest = longest.value();
}

std::optional<std::size_t> pairs_in(std::size_t band, std::optional<std::size_t> pairs) {
  if (!pairs) return std::nullopt;
  std::size_t count = 0;
  for (std::size_t t = 0; t < *pairs; ++t) count += mixer_band_of(t, *pairs) == band;
  return count;
}

}  // namespace

std::vector<MixerBand> mixer_bands_of(const ParamSet& params) {
  if (!params.has(mixer_key) || !params.is_used(mixer_key)) return {};
  const double base = params.real("base");
  const auto pairs = pairs_of(params);
  const std::vector<double> theta = scaled_theta(params, pairs);
  const auto wavelength = [&](std::size_t band) {
    const double part = static_cast<double>(band) / static_cast<double>(mixer_bands);
    return 2 * std::numbers::pi * std::pow(base, part);
  };
  std::vector<MixerBand> bands;
  for (const Choice& choice : params.spec(mixer_key).choices) {
    const std::size_t band = bands.size();
    bands.push_back({.name = choice.name,
                     .shortest = wavelength(band),
                     .longest = wavelength(band + 1),
                     .pairs = pairs_in(band, pairs),
                     .muted = std::ranges::count(params.list(mixer_key), choice.name) > 0});
    take_scaled_ends(bands.back(), band, theta);
  }
  return bands;
}

std::optional<std::size_t> band_of_pair(const std::vector<MixerBand>& bands, std::size_t t) {
  std::size_t end = 0;
  for (std::size_t b = 0; b < bands.size(); ++b) {
    if (!bands[b].pairs) return std::nullopt;
    end += *bands[b].pairs;
    if (t < end) return b;
  }
  return std::nullopt;
}

std::vector<std::string> with_band_switched(const std::vector<MixerBand>& bands, std::size_t band) {
  std::vector<std::string> muted;
  for (std::size_t b = 0; b < bands.size(); ++b)
    if (bands[b].muted != (b == band)) muted.push_back(bands[b].name);
  return muted;
}

std::vector<std::string> with_band_alone(const std::vector<MixerBand>& bands, std::size_t band) {
  std::vector<std::string> others, muted;
  for (std::size_t b = 0; b < bands.size(); ++b) {
    if (b != band) others.push_back(bands[b].name);
    if (bands[b].muted) muted.push_back(bands[b].name);
  }
  return muted == others ? std::vector<std::string>{} : others;
}

bool leaves_a_pair(const std::vector<MixerBand>& bands, const std::vector<std::string>& muted) {
  return std::ranges::any_of(bands, [&](const MixerBand& band) {
    return band.pairs != std::size_t{0} && std::ranges::count(muted, band.name) == 0;
  });
}

namespace {

std::string table_name(const std::string& encoding) { return "pairs_" + encoding; }

}  // namespace

Table wavelength_table(const std::string& encoding, std::vector<double> wavelengths) {
  std::vector<double> pairs;
  for (std::size_t t = 0; t < wavelengths.size(); ++t) pairs.push_back(static_cast<double>(t));
  return {
      .name = table_name(encoding),
      .caption = encoding_label(encoding) + ": wavelength of each pair, $2π/θ_t$",
      .columns = {{"t", "", std::move(pairs)}, {"wavelength", "tokens", std::move(wavelengths)}}};
}

const std::vector<double>* pair_wavelengths(const Result& result, const std::string& encoding) {
  for (const Table& table : result.tables)
    if (table.name == table_name(encoding) && table.columns.size() == 2)
      return std::get_if<std::vector<double>>(&table.columns[1].values);
  return nullptr;
}

}  // namespace orrery
