#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/params.h"

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

}  // namespace orrery
