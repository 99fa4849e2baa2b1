#include "experiments/figure/plot/legend.h"

#include <algorithm>

#include <cmath>

#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/curves.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {

double sample_length(const FigureStyle& style) { return 1.9 * style.text_size; }
double padding(const FigureStyle& style) { return 0.45 * style.text_size; }
double row_height(const PlotContext& context) {
  return 1.12 * line_height(context.canvas, label_style(context.style));
}

constexpr double min_name_ems = 3.5;  ///< shorter names cannot be recognised

/// Limits the legend to `rows` rows; the last one counts the entries that are left out.
void limit_rows(Legend& legend, std::size_t rows) {
  if (legend.entries.size() <= rows) return;
  legend.missing = legend.entries.size() - (rows - 1);
  legend.entries.resize(rows - 1);
  legend.names.resize(rows - 1);
  legend.names.push_back("… " + std::to_string(legend.missing) + " more");
}

/// The name and what is noted on it, which is shortened first.
std::string named_within(const PlotContext& context, const std::string& name,
                         const std::string& note, double room) {
  const TextStyle text = label_style(context.style);
  const double left = room - rich_size(context.canvas, name, text).width;
  if (note.empty() || left < min_name_ems * text.size)
    return elided_middle(context.canvas, name, text, room);
  return name + elided_middle(context.canvas, note, text, left);
}

/// Candidate positions by preference, as the first of equals wins: the corners, then the right and
/// left edge, then the middle.
std::vector<Point> candidate_corners(const Legend& legend, const Rect& within) {
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

std::vector<const Series*> legend_curves(const LinePlot& plot) {
  std::vector<const Series*> curves;
  for (const Series& series : plot.series)
    if (!series.is_ghost() && !series.is_part() && !series.name.empty()) curves.push_back(&series);
  return curves;
}

Legend make_legend(const PlotContext& context, const std::vector<const Series*>& curves,
                   double max_width, double max_height) {
  const FigureStyle& style = context.style;
  const TextStyle text = label_style(style);
  const double beside = sample_length(style) + 3.0 * padding(style);
  const double room = max_width - beside;
  const auto rows = static_cast<long>((max_height - 2.0 * padding(style)) / row_height(context));
  if (room < min_name_ems * text.size || rows < 2) return {};
  Legend legend;
  for (const Series* series : curves) {
    legend.entries.push_back(series);
    // A ghost stands for all of its result.
    const std::string name = series->is_ghost() ? as_marked(series->ghost) : shown_name(*series);
    legend.names.push_back(named_within(context, name, context.twins.note_on(*series), room));
  }
  limit_rows(legend, static_cast<std::size_t>(rows));
  if (legend.entries.empty()) return {};
  double widest = 0.0;
  for (const std::string& name : legend.names) {
    widest = std::max(widest, rich_size(context.canvas, name, text).width);
  }
  legend.size = {widest + beside, static_cast<double>(legend.names.size()) * row_height(context) +
                                      2.0 * padding(style)};
  return legend;
}

LegendPlace least_covering(const PlotContext& context, const Legend& legend, const Rect& plot,
                           const std::vector<Point>& marks) {
  const double inset = gap(context.style);
  LegendPlace best{{}, -1.0};
  for (const Point& corner : candidate_corners(legend, shrunk(plot, inset, inset, inset, inset))) {
    const Rect box{corner.x - inset, corner.y - inset, legend.size.width + 2.0 * inset,
                   legend.size.height + 2.0 * inset};
    const auto covered = static_cast<double>(
        std::count_if(marks.begin(), marks.end(), [&](const Point& p) { return box.contains(p); }));
    if (best.covered < 0.0 || covered < best.covered) best = {corner, covered};
  }
  return best;
}

void draw_legend(PlotContext& context, const Legend& legend, Point corner, bool over_data) {
  const FigureStyle& style = context.style;
  const double pad = padding(style), row = row_height(context);
  const Rect box{corner.x, corner.y, legend.size.width, legend.size.height};
  if (over_data) context.canvas.rect(box, with_alpha(style.plot_background, 0.86));
  const double end = box.x + pad + sample_length(style);
  double middle = box.y + pad + 0.5 * row;
  for (std::size_t i = 0; i < legend.names.size(); ++i, middle += row) {
    TextStyle text = label_style(style);
    text.vertical = VerticalAlign::middle;
    if (i < legend.entries.size()) {
      const Series& series = *legend.entries[i];
      draw_sample(context, series, {box.x + pad, middle}, {end, middle});
      if (context.view.hidden.contains(series.name)) text.color = with_alpha(style.muted, 0.6);
      auto& places = series.is_ghost() ? context.layout.ghost_names : context.layout.legend;
      places.push_back({{box.x, middle - 0.5 * row, box.width, row}, series.name});
    } else {
      text.color = style.muted;
    }
    draw_rich(context.canvas, {end + pad, middle}, legend.names[i], text);
  }
}

}  // namespace orrery
