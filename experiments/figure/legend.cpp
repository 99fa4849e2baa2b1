#include "experiments/figure/legend.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/figure/curves.h"

namespace orrery {
namespace {

double sample_length(const FigureStyle& style) { return 1.9 * style.text_size; }
double padding(const FigureStyle& style) { return 0.45 * style.text_size; }
double row_height(const Sheet& sheet) {
  return 1.12 * line_height(sheet.canvas, label_style(sheet.style));
}

}  // namespace

Color series_color(const FigureStyle& style, int slot) {
  if (style.palette.empty()) return style.text;
  const auto count = static_cast<int>(style.palette.size());
  return style.palette[static_cast<std::size_t>(((slot % count) + count) % count)];
}

Legend make_legend(const Sheet& sheet, const LinePlot& plot, double most_width,
                   double most_height) {
  const FigureStyle& style = sheet.style;
  const double beside = sample_length(style) + 3.0 * padding(style);
  const double row = row_height(sheet);
  Legend legend;
  double widest = 0.0;
  for (const Series& series : plot.series) {
    const double height = (static_cast<double>(legend.entries.size()) + 1.0) * row;
    if (series.name.empty() || height + 2.0 * padding(style) > most_height) continue;
    std::string name =
        elided(sheet.canvas, series.name, label_style(style), std::max(0.0, most_width - beside));
    if (name.empty()) continue;
    widest = std::max(widest, sheet.canvas.text_size(name, label_style(style)).width);
    legend.entries.push_back(&series);
    legend.names.push_back(std::move(name));
  }
  if (legend.entries.empty()) return {};
  legend.size = {widest + beside,
                 static_cast<double>(legend.entries.size()) * row + 2.0 * padding(style)};
  return legend;
}

LegendPlace least_covering(const Sheet& sheet, const Legend& legend, const Rect& plot,
                           const std::vector<Point>& marks) {
  const double inset = gap(sheet.style);
  const double right = plot.right() - legend.size.width - inset;
  const double bottom = plot.bottom() - legend.size.height - inset;
  const double left = plot.x + inset, top = plot.y + inset;
  const double middle_x = 0.5 * (left + right), middle_y = 0.5 * (top + bottom);
  const std::array<Point, 8> corners{
      Point{right, top},      Point{left, top},     Point{right, bottom},  Point{left, bottom},
      Point{right, middle_y}, Point{middle_x, top}, Point{left, middle_y}, Point{middle_x, bottom}};
  LegendPlace best{corners[0], -1.0};
  for (const Point& corner : corners) {
    const Rect box{corner.x - inset, corner.y - inset, legend.size.width + 2.0 * inset,
                   legend.size.height + 2.0 * inset};
    const auto covered = static_cast<double>(
        std::count_if(marks.begin(), marks.end(), [&](const Point& p) { return box.contains(p); }));
    if (best.covered < 0.0 || covered < best.covered) best = {corner, covered};
  }
  return best;
}

void draw_sample(Sheet& sheet, const Series& series, Point from, Point to) {
  const bool hidden = sheet.view.hidden.contains(series.name);
  const Color color = hidden ? sheet.style.muted : series_color(sheet.style, series.color);
  if (series.style == LineStyle::points) {
    draw_dot(sheet.canvas, {0.5 * (from.x + to.x), from.y}, dot_radius(sheet.style), color);
  } else {
    draw_segment(sheet.canvas, from, to, curve_stroke(sheet.style, series.style, color));
  }
}

void draw_legend(Sheet& sheet, const Legend& legend, Point corner, bool over_data) {
  const FigureStyle& style = sheet.style;
  const double pad = padding(style), row = row_height(sheet);
  const Rect box{corner.x, corner.y, legend.size.width, legend.size.height};
  if (over_data) sheet.canvas.rect(box, with_alpha(style.plot_background, 0.86));
  for (std::size_t i = 0; i < legend.entries.size(); ++i) {
    const Series& series = *legend.entries[i];
    const double middle = box.y + pad + (static_cast<double>(i) + 0.5) * row;
    const double end = box.x + pad + sample_length(style);
    draw_sample(sheet, series, {box.x + pad, middle}, {end, middle});
    TextStyle text = label_style(style);
    text.vertical = VerticalAlign::middle;
    if (sheet.view.hidden.contains(series.name)) text.color = with_alpha(style.muted, 0.6);
    sheet.canvas.text({end + pad, middle}, legend.names[i], text);
    sheet.frame.legend.push_back({{box.x, middle - 0.5 * row, box.width, row}, series.name});
  }
}

}  // namespace orrery
