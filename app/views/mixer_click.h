#pragma once

#include <string>
#include <vector>

#include "app/session/session.h"
#include "experiments/setup/frequency_bands.h"

namespace orrery {

/// A band of RoPE's frequency mixer in words, and what a click on it does.
std::string band_words(const MixerBand& band);

/// Does what a press of the mouse on a band asks for: mutes or unmutes it, with Ctrl lets it sound
/// alone, with a double click unmutes all. The last band that sounds stays.
void click_band(Session& session, const std::vector<MixerBand>& bands, std::size_t band);

}  // namespace orrery
