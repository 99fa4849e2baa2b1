#include "app/views/mixer_click.h"

#include <fmt/format.h>
#include <imgui.h>

namespace orrery {
namespace {

void set_muted(Session& session, const std::vector<MixerBand>& bands,
               const std::vector<std::string>& muted) {
  if (leaves_a_pair(bands, muted))
    session.set_value(mixer_key, muted);
  else
    session.note("One band must stay in the score.");
}

}  // namespace

std::string band_words(const MixerBand& band) {
  std::string words = fmt::format("{}: wavelengths from {:.4g} to {:.4g} tokens", band.name,
                                  band.shortest, band.longest);
  if (band.pairs) words += fmt::format(", {} pair{}", *band.pairs, *band.pairs == 1 ? "" : "s");
  if (band.pairs == std::size_t{0}) return words + " at this $d$";
  words += band.muted ? "\nMuted: excluded from the score." : "\nIncluded in the score.";
  return words + "\nClick to mute, Ctrl+click to solo, double-click to unmute all.";
}

void click_band(Session& session, const std::vector<MixerBand>& bands, std::size_t band) {
  if (bands[band].pairs == std::size_t{0}) return;
  if (ImGui::GetIO().KeyCtrl) return set_muted(session, bands, with_band_alone(bands, band));
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return session.reset(mixer_key);
  set_muted(session, bands, with_band_switched(bands, band));
}

}  // namespace orrery
