#include "experiments/figure/legend.h"

#include <algorithm>

#include <cmath>

#include "experiments/figure/curves.h"

namespace orrery {
namespace {

double sample_length(const FigureStyle& style) { return 1.9 * style.text_size; }
double padding(const FigureStyle& style) { return 0.45 * style.text_size; }
double row_height(const Sheet& sheet) {
  return 1.12 * line_height(sheet.canvas, label_style(sheet.style));
}

constexpr double least_name = 3.5;  ///< ems: a shorter beginning of a name says nothing

/// Keeps as many entries as there are rows; the last row counts the others.
void limit_rows(Legend& legend, std::size_t rows) {
  if (legend.entries.size() <= rows) return;
  legend.missing = legend.entries.size() - (rows - 1);
  legend.entries.resize(rows - 1);
  legend.names.resize(rows - 1);
  legend.names.push_back("… " + std::to_string(legend.missing) + " more");
}

/// Corners first, then along the right and left edge, then the middle: the first of equals wins.
std::vector<Point> places(const Legend& legend, const Rect& within) {
  constexpr int steps = 8;
  const double spare_x = within.width - legend.size.width;
  const double spare_y = within.height - legend.size.height;
  std::vector<Point> found;
  for (const int y : {0, steps, 1, 2, 3, 4, 5, 6, 7}) {
    for (const double x : {1.0, 0.0}) {
      found.push_back({within.x + x * spare_x, within.y + y * spare_y / steps});
    }
  }
  for (int y = 0; y <= steps; ++y) {
    found.push_back({within.x + 0.5 * spare_x, within.y + y * spare_y / steps});
  }
  return found;
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
  const TextStyle text = label_style(style);
  const double beside = sample_length(style) + 3.0 * padding(style);
  const double room = most_width - beside;
  const auto rows = static_cast<long>((most_height - 2.0 * padding(style)) / row_height(sheet));
  if (room < least_name * text.size || rows < 2) return {};
  Legend legend;
  for (const Series& series : plot.series) {
    if (series.name.empty()) continue;
    legend.entries.push_back(&series);
    legend.names.push_back(elided_middle(sheet.canvas, series.name, text, room));
  }
  limit_rows(legend, static_cast<std::size_t>(rows));
  if (legend.entries.empty()) return {};
  double widest = 0.0;
  for (const std::string& name : legend.names) {
    widest = std::max(widest, sheet.canvas.text_size(name, text).width);
  }
  legend.size = {widest + beside, static_cast<double>(legend.names.size()) * row_height(sheet) +
                                      2.0 * padding(style)};
  return legend;
}

LegendPlace least_covering(const Sheet& sheet, const Legend& legend, const Rect& plot,
                           const std::vector<Point>& marks) {
  const double inset = gap(sheet.style);
  LegendPlace best{{}, -1.0};
  for (const Point& corner : places(legend, shrunk(plot, inset, inset, inset, inset))) {
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
  const double end = box.x + pad + sample_length(style);
  double middle = box.y + pad + 0.5 * row;
  for (std::size_t i = 0; i < legend.names.size(); ++i, middle += row) {
    TextStyle text = label_style(style);
    text.vertical = VerticalAlign::middle;
    if (i < legend.entries.size()) {
      const Series& series = *legend.entries[i];
      draw_sample(sheet, series, {box.x + pad, middle}, {end, middle});
      if (sheet.view.hidden.contains(series.name)) text.color = with_alpha(style.muted, 0.6);
      sheet.frame.legend.push_back({{box.x, middle - 0.5 * row, box.width, row}, series.name});
    } else {
      text.color = style.muted;
    }
    sheet.canvas.text({end + pad, middle}, legend.names[i], text);
  }
}

}  // namespace orrery
