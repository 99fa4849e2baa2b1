#include "app/views/figure_menu.h"

#include <fmt/format.h>
#include <imgui.h>

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "app/gui/imgui_shim.h"
#include "app/views/copy_values.h"
#include "app/views/marks.h"
#include "app/views/readout.h"
#include "app/views/value_box.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/plot/curves.h"
#include "experiments/text/model_names.h"

namespace orrery {
namespace {

constexpr double min_threshold = 1e-12, max_threshold = 1e12;
constexpr float threshold_speed = 0.02f;
// With more curves than this, only the legend hides single ones.
constexpr std::size_t max_curves = 24;

bool choice(const char* name, bool chosen) {
  const ImVec4 shade = ImGui::GetStyleColorVec4(chosen ? ImGuiCol_Header : ImGuiCol_PopupBg);
  ImGui::PushStyleColor(ImGuiCol_Button, shade);
  const bool pressed = ImGui::SmallButton(name);
  ImGui::PopStyleColor();
  return pressed;
}

/// Draws the scales of an axis, and a threshold where the scale needs one.
void axis_row(const char* name, const Axis& axis, std::optional<AxisScale>& scale,
              std::optional<double>& threshold, std::optional<Range>& range, const Ui& ui) {
  const AxisScale present = scale.value_or(axis.scale);
  ImGui::PushID(name);
  text_muted(name);
  for (const auto& [value, word] : axis_scale_names()) {
    ImGui::SameLine();
    if (!choice(word.data(), present == value) || present == value) continue;
    scale = value == axis.scale ? std::nullopt : std::optional(value);
    range.reset();  // the old range may not exist on the new scale
  }
  if (present == AxisScale::symlog) {
    double within = threshold.value_or(axis.symlog_threshold);
    ImGui::SetNextItemWidth(ui.px(120));
    const bool changed =
        ImGui::DragScalar("linear within ±", ImGuiDataType_Double, &within, threshold_speed,
                          &min_threshold, &max_threshold, "%.3g", ImGuiSliderFlags_Logarithmic);
    if (changed && within > 0.0) threshold = within;
  }
  ImGui::PopID();
}

/// Ghosts follow the curves that they are of.
std::vector<const Series*> own_curves(const LinePlot& plot) {
  std::vector<const Series*> curves;
  for (const Series& series : plot.series)
    if (!series.is_ghost() && !series.is_part()) curves.push_back(&series);
  return curves;
}

void curve_rows(const LinePlot& plot, FigureView& view, const Ui& ui) {
  const std::vector<const Series*> curves = own_curves(plot);
  if (ImGui::MenuItem("Show all curves", nullptr, false, !view.hidden.empty())) view.hidden.clear();
  if (ImGui::MenuItem("Hide all curves", nullptr, false, view.hidden.size() < curves.size()))
    for (const Series* series : curves) view.hidden.insert(series->name);
  if (curves.size() < 2 || curves.size() > max_curves) return;
  for (const Series* series : curves) {
    bool shown = !view.hidden.contains(series->name);
    ImGui::PushStyleColor(ImGuiCol_CheckMark, shim::floats(series_color(ui.style, *series)));
    if (ImGui::Checkbox(series->name.c_str(), &shown)) {
      if (shown)
        view.hidden.erase(series->name);
      else
        view.hidden.insert(series->name);
    }
    ImGui::PopStyleColor();
  }
}

void mark_rows(const LinePlot& plot, const FigureView& view, const FigureReach& reach,
               const FigureLayout& frame, Point at) {
  FigureMarks& marks = reach.marks;
  const auto here = read_lines(plot, frame, view, at);
  const std::string pin = here ? fmt::format("Pin at {}", readout_number(here->x)) : "Pin";
  if (ImGui::MenuItem(pin.c_str(), "click", false, here.has_value())) {
    add_pin(marks, here->x);
  }
  if (ImGui::MenuItem("Remove pins", "Delete", false, !marks.pins.empty())) {
    marks.pins.clear();
    reach.links.hold({});
  }
  if (ImGui::MenuItem("Two cursors and their difference", "C", marks.cursors.has_value()))
    toggle_cursors(marks, plot, frame, view);
}

void rows_of(const LinePlot& plot, FigureView& view, const FigureReach& reach,
             const FigureLayout& frame, Point at, const Ui& ui) {
  axis_row("x axis", plot.x, view.x_scale, view.x_threshold, view.x, ui);
  axis_row("y axis", plot.y, view.y_scale, view.y_threshold, view.y, ui);
  ImGui::Separator();
  mark_rows(plot, view, reach, frame, at);
  ImGui::Separator();
  curve_rows(plot, view, ui);
}

void rows_of(const Heatmap& map, FigureView& view, const FigureReach& reach, const FigureLayout&,
             Point, const Ui&) {
  text_muted("Cells that share a pixel");
  for (const auto& [value, word] :
       {std::pair{Minification::mean, "Mean"}, std::pair{Minification::max, "Maximum"}}) {
    ImGui::SameLine();
    if (choice(word, view.minification == value)) view.minification = value;
  }
  if (map.meaning != Meaning::cyclic &&
      ImGui::MenuItem("Reset colour range", nullptr, false, view.color.has_value()))
    view.color.reset();
  if (ImGui::MenuItem("Release the held distance", nullptr, false, reach.links.held().has_value()))
    reach.links.hold({});
}

void rows_of(const TableFigure&, FigureView&, const FigureReach&, const FigureLayout&, Point,
             const Ui&) {}
void rows_of(const VectorPlot&, FigureView&, const FigureReach&, const FigureLayout&, Point,
             const Ui&) {}
void rows_of(const MapEquation&, FigureView&, const FigureReach& reach, const FigureLayout&, Point,
             const Ui&) {
  if (ImGui::MenuItem("Release the held distance", nullptr, false, reach.links.held().has_value()))
    reach.links.hold({});
}

void fit_row(FigureView& view) {
  if (!ImGui::MenuItem("Reset zoom", "0", false, view.x || view.y)) return;
  view.x.reset();
  view.y.reset();
}

/// The readout under the cursor as text.
std::string readout_text(const LinePlot& plot, const LineReadout& readout) {
  std::string text = fmt::format("{}\t{:.17g}\n", plain_text(axis_name(plot.x)), readout.x);
  for (const LineReadout::Entry& entry : readout.entries)
    text += fmt::format("{}\t{:.17g}\n", plain_text(entry.name), entry.value);
  return text;
}

void copy_rows(const Figure& figure, const FigureView& view, const FigureLayout& frame, Point at) {
  if (const auto* plot = std::get_if<LinePlot>(&figure.content)) {
    const auto here = read_lines(*plot, frame, view, at);
    const std::string words = here ? fmt::format("Copy the values at {}", readout_number(here->x))
                                   : "Copy the values here";
    if (ImGui::MenuItem(words.c_str(), nullptr, false, here.has_value()))
      ImGui::SetClipboardText(readout_text(*plot, *here).c_str());
  }
  const std::size_t count = value_count(figure, view, frame);
  const bool fits = count > 0 && count <= max_copied;
  const std::string words = fmt::format("Copy all {} visible values", count);
  if (ImGui::MenuItem(words.c_str(), nullptr, false, fits))
    ImGui::SetClipboardText(values_text(figure, view, frame).c_str());
}

/// "ALiBi − RoPE", for each figure and curve that may be subtracted.
void minus_rows(const FigureReach& reach, const Ui& ui) {
  if (!reach.minus_choices || !reach.subtract) return;
  const std::vector<MinusChoice> choices = reach.minus_choices();
  if (choices.empty()) return;
  ImGui::Separator();
  text_muted("Difference");
  std::size_t rows = 0;
  for (const MinusChoice& choice : choices) {
    if (++rows > max_curves) break;
    const bool chosen = reach.minus == choice.what;
    if (ImGui::MenuItem(plain_text(choice.title).c_str(), nullptr, chosen))
      reach.subtract(chosen ? std::nullopt : std::optional(choice.what));
    mark_item(ui, "minus " + choice.what.figure + choice.what.curve);
  }
}

void export_rows(const FigureReach& reach) {
  if (!reach.export_as) return;
  ImGui::Separator();
  text_muted("Export as");
  for (const auto& [extension, word] : {std::pair{"png", "PNG"}, std::pair{"svg", "SVG"},
                                        std::pair{"pdf", "PDF"}, std::pair{"csv", "CSV"}}) {
    ImGui::SameLine();
    if (!choice(word, false)) continue;
    reach.export_as(extension);
    ImGui::CloseCurrentPopup();
  }
}

}  // namespace

bool draw_figure_menu(const Figure& figure, FigureView& view, const FigureReach& reach,
                      const FigureLayout& frame, Point at, const Ui& ui) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(ui.px(12), ui.px(10)));
  const bool open = ImGui::BeginPopup(figure_menu);
  ImGui::PopStyleVar();
  if (!open) return false;
  std::visit([&](const auto& content) { rows_of(content, view, reach, frame, at, ui); },
             figure.content);
  ImGui::Separator();
  if (frame.plot.width > 0 && frame.parts.empty()) fit_row(view);
  copy_rows(figure, view, frame, at);
  minus_rows(reach, ui);
  export_rows(reach);
  ImGui::EndPopup();
  return true;
}

}  // namespace orrery
