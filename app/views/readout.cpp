#include "app/views/readout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery {
namespace {

// Curves sampled elsewhere than at the snapped x are read where they have a sample this near.
constexpr double kSamePixels = 2.0;

/// Index of the sample whose x lies nearest to the canvas coordinate; empty for a series without
/// any. Curves are mostly sampled from left to right: then it is searched, not scanned.
std::optional<std::size_t> nearest_sample(const Series& series, const AxisMap& x, double at) {
  const std::size_t count = std::min(series.x.size(), series.y.size());
  const auto begin = series.x.begin(), end = begin + static_cast<std::ptrdiff_t>(count);
  std::size_t first = 0, last = count;
  if (std::is_sorted(begin, end)) {
    const auto after =
        static_cast<std::size_t>(std::lower_bound(begin, end, x.to_data(at)) - begin);
    first = after == 0 ? 0 : after - 1;
    last = std::min(count, after + 1);
  }
  std::optional<std::size_t> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = first; i < last; ++i) {
    const double distance = std::abs(x.to_canvas(series.x[i]) - at);
    if (!(distance < least)) continue;
    least = distance;
    best = i;
  }
  return best;
}

bool shows(double at, double from, double to) { return at >= from - 0.5 && at <= to + 0.5; }

std::string label_at(const std::vector<std::string>& labels, std::size_t index) {
  return index < labels.size() ? labels[index] : std::string();
}

}  // namespace

std::optional<LineReadout> read_lines(const LinePlot& plot, const FigureFrame& frame,
                                      const FigureView& view, Point cursor) {
  if (!frame.plot.contains(cursor)) return std::nullopt;
  std::optional<double> snapped;
  double least = std::numeric_limits<double>::infinity();
  for (const Series& series : plot.series) {
    if (view.hidden.contains(series.name)) continue;
    const auto sample = nearest_sample(series, frame.x, cursor.x);
    if (!sample) continue;
    const double at = frame.x.to_canvas(series.x[*sample]);
    const bool nearer = std::abs(at - cursor.x) < least;
    if (!nearer || !shows(at, frame.plot.x, frame.plot.right())) continue;
    least = std::abs(at - cursor.x);
    snapped = series.x[*sample];
  }
  if (!snapped) return std::nullopt;
  LineReadout readout{.x = *snapped, .at_x = frame.x.to_canvas(*snapped)};
  for (const Series& series : plot.series) {
    if (view.hidden.contains(series.name)) continue;
    const auto sample = nearest_sample(series, frame.x, readout.at_x);
    if (!sample) continue;
    const double at = frame.x.to_canvas(series.x[*sample]);
    if (std::abs(at - readout.at_x) > kSamePixels) continue;
    const double y = series.y[*sample];
    readout.entries.push_back({series.name, series.color, y, {at, frame.y.to_canvas(y)}});
  }
  std::stable_sort(readout.entries.begin(), readout.entries.end(),
                   [](const auto& a, const auto& b) {
                     if (std::isnan(a.value) || std::isnan(b.value))
                       return !std::isnan(a.value) && std::isnan(b.value);
                     return a.value > b.value;
                   });
  return readout;
}

std::optional<CellReadout> read_cell(const Heatmap& map, const FigureFrame& frame, Point cursor) {
  const auto cell = cell_at(map, frame, cursor);
  if (!cell) return std::nullopt;
  const std::size_t index = cell->row * map.values->shape.at(1) + cell->column;
  CellReadout readout;
  readout.row = cell->row;
  readout.column = cell->column;
  readout.row_label = label_at(map.row_labels, cell->row);
  readout.column_label = label_at(map.column_labels, cell->column);
  readout.value = (*map.values)[index];
  readout.masked = map.masked && (*map.masked)[index] != 0.0;
  readout.cell = cell_rect(map, frame, *cell);
  return readout;
}

std::string readout_number(double value, int digits) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  std::string text = fmt::format("{:.{}g}", value, digits);
  if (text.front() == '-') text = "−" + text.substr(1);
  return text;
}

std::string axis_name(const Axis& axis) {
  if (axis.label.empty()) return axis.symbol;
  return axis.symbol.empty() ? axis.label : fmt::format("{} {}", axis.label, axis.symbol);
}

}  // namespace orrery
