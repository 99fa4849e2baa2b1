#include "app/panels/frequency_mixer.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/gui/imgui_shim.h"
#include "app/views/mixer_click.h"
#include "experiments/figure/color/oklab.h"
#include "experiments/setup/frequency_bands.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

constexpr double column_height = 46;
constexpr double gap_width = 3;
constexpr double number_gap = 5;

/// The part of the column that a wavelength fills, on a logarithmic scale up to the longest.
double part_of(double wavelength, double longest) {
  return std::clamp(std::log(wavelength) / std::log(std::max(2.0, longest)), 0.0, 1.0);
}

/// A bar from the bottom to the band's shortest wavelength, and paler on to its longest.
void draw_column(const MixerBand& band, double longest, const Rect& column, const Ui& ui) {
  const bool empty = band.pairs == std::size_t{0}, sounds = !band.muted && !empty;
  const Color ink = sounds ? ui.style.accent : ui.style.muted;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const auto bar = [&](double part, double strength) {
    list.AddRectFilled(shim::vec({column.x, column.bottom() - part * column.height}),
                       shim::vec({column.right(), column.bottom()}),
                       shim::packed(with_alpha(ink, strength)), ui.px(2));
  };
  if (!empty) {
    bar(part_of(band.longest, longest), sounds ? 0.35 : 0.12);
    bar(part_of(band.shortest, longest), sounds ? 0.55 : 0.15);
  }
  shim::add_frame(list, shim::vec({column.x, column.y}),
                  shim::vec({column.right(), column.bottom()}),
                  shim::packed(with_alpha(ink, empty ? 0.3 : 0.8)), ui.px(3), 1.0f);
}

/// The shortest wavelength of a band below its column, where it does not run into the one before.
void draw_wavelength(const MixerBand& band, const Rect& column, double& free, const Ui& ui) {
  const std::string number = compact_number(band.shortest);
  const double width = text_width(number);
  const double left = std::round(column.x + (column.width - width) / 2);
  if (left < free) return;
  ImGui::GetWindowDrawList()->AddText(shim::vec({left, column.bottom() + 2 * ui.scale}),
                                      shim::packed(ui.style.muted), number.c_str());
  free = left + width + number_gap * ui.scale;
}

/// Colours of a button that shows only where the mouse or the keyboard is.
void push_bare_button(const Ui& ui) {
  ImGui::PushStyleColor(ImGuiCol_Button, ImVec4(0, 0, 0, 0));
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, shim::floats(with_alpha(ui.style.accent, 0.12)));
  ImGui::PushStyleColor(ImGuiCol_ButtonActive, shim::floats(with_alpha(ui.style.accent, 0.24)));
}

}  // namespace

void mixer_control(Session& session, const Ui& ui) {
  const std::vector<MixerBand> bands = mixer_bands_of(session.current().params);
  const auto count = static_cast<double>(bands.size());
  const Point at = shim::point(ImGui::GetCursorScreenPos());
  const double gap = gap_width * ui.scale, height = column_height * ui.scale;
  const double room = static_cast<double>(ImGui::GetContentRegionAvail().x);
  const double width = std::max(4.0, (room - gap * (count - 1)) / count);
  const double longest = bands.empty() ? 2.0 : bands.back().longest;
  double free = at.x;
  ImGui::BeginGroup();
  push_bare_button(ui);
  for (std::size_t b = 0; b < bands.size(); ++b) {
    const auto place = static_cast<double>(b);
    const Rect column{at.x + place * (width + gap), at.y, width, height};
    ImGui::SetCursorScreenPos(shim::vec({column.x, column.y}));
    ImGui::PushID(bands[b].name.c_str());
    ImGui::Button("##band", shim::vec({width, height}));
    // At once when the mouse goes down, where a double click is known as such.
    if (ImGui::IsItemActivated()) click_band(session, bands, b);
    ImGui::PopID();
    tooltip(ui, band_words(bands[b]));
    draw_column(bands[b], longest, column, ui);
    draw_wavelength(bands[b], column, free, ui);
  }
  ImGui::PopStyleColor(3);
  ImGui::SetCursorScreenPos(shim::vec({at.x, at.y + height}));
  ImGui::Dummy(ImVec2(static_cast<float>(room), ImGui::GetTextLineHeight() + ui.px(4)));
  ImGui::EndGroup();
}

}  // namespace orrery
