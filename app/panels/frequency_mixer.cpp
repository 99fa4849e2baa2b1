#include "app/panels/frequency_mixer.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "app/gui/imgui_shim.h"
#include "app/views/mixer_click.h"
#include "experiments/figure/color/oklab.h"
#include "experiments/setup/frequency_bands.h"
#include "experiments/text/number_text.h"

namespace orrery::panels {
namespace {

constexpr double column_height = 46;
constexpr double gap_width = 3;
constexpr double wave_height = 0.30;                ///< of the column, to either side
constexpr double max_cycles = 4, min_cycles = 0.5;  ///< drawn across the first and last column

/// A wave of so many cycles, or the line that is left of it.
void draw_wave(const Rect& column, double cycles, double height, ImU32 ink, const Ui& ui) {
  constexpr int wave_points = 48;
  std::array<ImVec2, wave_points + 1> wave;
  const double inset = 4 * ui.scale;
  for (int i = 0; i <= wave_points; ++i) {
    const double part = static_cast<double>(i) / wave_points;
    wave[static_cast<std::size_t>(i)] = shim::vec(
        {column.x + inset + part * (column.width - 2 * inset),
         column.y + column.height / 2 - height * std::sin(2 * std::numbers::pi * cycles * part)});
  }
  shim::add_polyline(*ImGui::GetWindowDrawList(), wave, ink, std::max(1.0f, ui.px(1.5)));
}

void draw_column(const MixerBand& band, double place, const Rect& column, const Ui& ui) {
  const bool empty = band.pairs == std::size_t{0}, sounds = !band.muted && !empty;
  const double cycles = max_cycles * std::pow(min_cycles / max_cycles, place);
  const Color ink = sounds ? ui.style.accent : ui.style.muted;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (sounds)
    list.AddRectFilled(shim::vec({column.x, column.y}),
                       shim::vec({column.right(), column.bottom()}),
                       shim::packed(with_alpha(ui.style.accent, 0.16)), ui.px(3));
  shim::add_frame(list, shim::vec({column.x, column.y}),
                  shim::vec({column.right(), column.bottom()}),
                  shim::packed(with_alpha(ink, empty ? 0.3 : 0.8)), ui.px(3), 1.0f);
  draw_wave(column, cycles, sounds ? wave_height * column.height : 0.0,
            shim::packed(with_alpha(ink, empty ? 0.3 : 1.0)), ui);
}

void draw_wavelength(const MixerBand& band, const Rect& column, const Ui& ui) {
  const std::string number = compact_number(band.shortest);
  const ImVec2 size = ImGui::CalcTextSize(number.c_str());
  const double left = column.x + (column.width - static_cast<double>(size.x)) / 2;
  ImGui::GetWindowDrawList()->AddText(shim::vec({std::round(left), column.bottom() + 2 * ui.scale}),
                                      shim::packed(ui.style.muted), number.c_str());
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
  ImGui::BeginGroup();
  push_bare_button(ui);
  for (std::size_t b = 0; b < bands.size(); ++b) {
    const auto place = static_cast<double>(b);
    const Rect column{at.x + place * (width + gap), at.y, width, height};
    ImGui::SetCursorScreenPos(shim::vec({column.x, column.y}));
    ImGui::PushID(bands[b].name.c_str());
    ImGui::Button("##band", shim::vec({width, height}));
    // At once when the mouse goes down, where a double click is known as such.
    if (ImGui::IsItemActivated()) views::click_band(session, bands, b);
    ImGui::PopID();
    tooltip(ui, views::band_words(bands[b]));
    draw_column(bands[b], place / std::max(1.0, count - 1), column, ui);
    draw_wavelength(bands[b], column, ui);
  }
  ImGui::PopStyleColor(3);
  ImGui::SetCursorScreenPos(shim::vec({at.x, at.y + height}));
  ImGui::Dummy(ImVec2(static_cast<float>(room), ImGui::GetTextLineHeight() + ui.px(4)));
  ImGui::EndGroup();
}

}  // namespace orrery::panels
