#include "app/views/figure_gestures.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/gui/imgui_shim.h"
#include "app/views/marks.h"
#include "app/views/readout.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/plot/curves.h"
#include "experiments/text/model_names.h"

namespace orrery {
namespace {

std::string number(double value) { return fmt::format("{:.17g}", value); }

/// The visible cells, as [first, last].
struct Shown {
  std::size_t row0{}, row1{}, column0{}, column1{};
  std::size_t count() const { return (row1 - row0 + 1) * (column1 - column0 + 1); }
};

std::optional<Shown> shown_cells(const Heatmap& map, const FigureLayout& frame) {
  if (!map.values || map.values->size() == 0) return std::nullopt;
  const Rect& p = frame.plot;
  constexpr double inside_offset = 0.5;  // the last pixel, not the one after it
  const auto corner = [&](double x, double y) {
    const std::vector<std::size_t>& shape = map.values->shape;
    const Rect all0 = cell_rect(map, frame, {0, 0});
    const Rect all1 = cell_rect(map, frame, {shape.at(0) - 1, shape.at(1) - 1});
    const Point inside{std::clamp(x, all0.x + inside_offset, all1.right() - inside_offset),
                       std::clamp(y, all0.y + inside_offset, all1.bottom() - inside_offset)};
    return cell_at(map, frame, inside);
  };
  const auto first = corner(p.x + inside_offset, p.y + inside_offset);
  const auto last = corner(p.right() - inside_offset, p.bottom() - inside_offset);
  if (!first || !last) return std::nullopt;
  return Shown{first->row, last->row, first->column, last->column};
}

std::vector<const Series*> visible(const LinePlot& plot, const FigureView& view) {
  std::vector<const Series*> curves;
  for (const Series& series : plot.series)
    if (!view.hides(series)) curves.push_back(&series);
  return curves;
}

std::size_t samples(const Series& series) { return std::min(series.x.size(), series.y.size()); }

bool share_x(const std::vector<const Series*>& curves) {
  return std::all_of(curves.begin(), curves.end(),
                     [&](const Series* s) { return s->x == curves.front()->x; });
}

std::string text_of(const LinePlot& plot, const FigureView& view, const FigureLayout& frame) {
  const std::vector<const Series*> curves = visible(plot, view);
  if (curves.empty()) return {};
  const bool shared = share_x(curves);
  std::string text;
  std::size_t lines = 0;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    if (c == 0 || !shared) text += plain_text(axis_name(plot.x)) + "\t";
    text += curves[c]->name + (c + 1 < curves.size() ? "\t" : "\n");
    lines = std::max(lines, samples(*curves[c]));
  }
  const auto shows = [&](std::size_t i) {
    return std::any_of(curves.begin(), curves.end(), [&](const Series* s) {
      return i < samples(*s) && s->x[i] >= frame.x.data.min && s->x[i] <= frame.x.data.max;
    });
  };
  for (std::size_t i = 0; i < lines; ++i) {
    if (!shows(i)) continue;
    for (std::size_t c = 0; c < curves.size(); ++c) {
      const bool has = i < samples(*curves[c]);
      if (c == 0 || !shared) text += (has ? number(curves[c]->x[i]) : "") + "\t";
      text += (has ? number(curves[c]->y[i]) : "") + (c + 1 < curves.size() ? "\t" : "\n");
    }
  }
  return text;
}

std::string text_of(const Heatmap& map, const FigureView&, const FigureLayout& frame) {
  const auto shown = shown_cells(map, frame);
  if (!shown) return {};
  const std::size_t stride = map.values->shape.at(1);
  std::string text;
  for (std::size_t row = shown->row0; row <= shown->row1; ++row)
    for (std::size_t column = shown->column0; column <= shown->column1; ++column) {
      const std::size_t cell = row * stride + column;
      const bool masked = map.masked && (*map.masked)[cell] != 0.0;
      if (!masked) text += number((*map.values)[cell]);
      text += column < shown->column1 ? '\t' : '\n';
    }
  return text;
}

std::string text_of(const TableFigure& table, const FigureView&, const FigureLayout&) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += row[i] + (i + 1 < row.size() ? "\t" : "\n");
  };
  std::vector<std::string> header;
  for (const std::string& name : table.header) header.push_back(plain_text(name));
  add(header);
  for (const std::vector<std::string>& row : table.rows) add(row);
  return text;
}

std::string text_of(const VectorPlot& plot, const FigureView&, const FigureLayout&) {
  std::string text = fmt::format("x0\ty0\tx1\ty1\t{}\n", plain_text(plot.quantity));
  for (const Arrow& a : plot.arrows)
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", number(a.x0), number(a.y0), number(a.x1),
                        number(a.y1), number(a.value));
  return text;
}

/// The profiles, which say it shorter than the maps.
std::string text_of(const MapEquation& equation, const FigureView& view,
                    const FigureLayout& frame) {
  if (frame.parts.empty()) return {};
  return text_of(equation.profiles, view, frame.parts.back());
}

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

template <class Other>
void rows_of(const Other&, FigureView&, const FigureReach&, const FigureLayout&, Point, const Ui&) {
}

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

std::size_t value_count(const Figure& figure, const FigureView& view, const FigureLayout& frame) {
  if (const auto* map = std::get_if<Heatmap>(&figure.content)) {
    const auto shown = shown_cells(*map, frame);
    return shown ? shown->count() : 0;
  }
  if (const auto* plot = std::get_if<LinePlot>(&figure.content)) {
    std::size_t count = 0;
    for (const Series* series : visible(*plot, view)) count += samples(*series);
    return count;
  }
  if (const auto* plot = std::get_if<VectorPlot>(&figure.content)) return 5 * plot->arrows.size();
  if (const auto* equation = std::get_if<MapEquation>(&figure.content)) {
    std::size_t count = 0;
    for (const Series& series : equation->profiles.series) count += samples(series);
    return count;
  }
  const auto& table = std::get<TableFigure>(figure.content);
  return table.rows.size() * table.header.size();
}

std::string values_text(const Figure& figure, const FigureView& view, const FigureLayout& frame) {
  return std::visit([&](const auto& content) { return text_of(content, view, frame); },
                    figure.content);
}

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
