#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/params.h"
#include "experiments/model/result.h"

namespace orrery {

/// The parameter that a frequency mixer moves: bands of RoPE's pairs that are taken out of a score.
inline constexpr const char* mixer_key = "rope.muted";
inline constexpr const char* mixer_encoding = "rope";

/// One band of a mixer: pairs t of P with floor(8 t / P) the same. Its wavelengths lie in
/// [shortest, longest) tokens, 2π base^(b/8) to 2π base^((b+1)/8), whatever P is; with rope.scaling
/// they are those of its first and last pair, where d is known.
struct MixerBand {
  std::string name{};  ///< as rope.muted has it: "band0"
  double shortest{};   ///< tokens
  double longest{};
  std::optional<std::size_t> pairs{};  ///< empty when d comes from a file
  bool muted{};
};

/// The bands of these parameters, the fastest first; none where there is no rope.muted to be read.
std::vector<MixerBand> mixer_bands_of(const ParamSet& params);

/// The band that pair t lies in; empty where the number of pairs is not known.
std::optional<std::size_t> band_of_pair(const std::vector<MixerBand>& bands, std::size_t t);

/// rope.muted with one band switched.
std::vector<std::string> with_band_switched(const std::vector<MixerBand>& bands, std::size_t band);
/// With all others muted; with none when that is so already.
std::vector<std::string> with_band_alone(const std::vector<MixerBand>& bands, std::size_t band);
/// Whether any pair would be left in the score.
bool leaves_a_pair(const std::vector<MixerBand>& bands, const std::vector<std::string>& muted);

/// The wavelength of each pair of an encoding, in tokens per turn, as a table of a result. NaN for
/// pairs that are muted, infinite for channels that do not turn.
Table wavelength_table(const std::string& encoding, std::vector<double> wavelengths);

/// Those that a result has; null without.
const std::vector<double>* pair_wavelengths(const Result& result, const std::string& encoding);

}  // namespace orrery
