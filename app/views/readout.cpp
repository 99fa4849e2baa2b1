#include "app/views/readout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/figure/plot/decimate.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

// The ends of a band are read beside the value, not for their own sake.
constexpr int band_digits = 3;

/// As the layout noted it; a frame that was not laid out has no notes.
CurveOrder order_in(const FigureLayout& frame, const Series& series, std::size_t place) {
  return place < frame.curves.size() ? frame.curves[place] : order_of(series.x);
}

/// Index of the sample whose x lies nearest to the canvas coordinate; empty for a series without
/// any. Curves are mostly sampled from left to right: then it is searched, not scanned.
std::optional<std::size_t> nearest_sample(const Series& series, const CurveOrder& order,
                                          const AxisMap& x, double at) {
  const std::size_t count = std::min(series.x.size(), series.y.size());
  const auto begin = series.x.begin(), end = begin + static_cast<std::ptrdiff_t>(count);
  std::size_t first = 0, last = count;
  if (order.sorted) {
    const auto after =
        static_cast<std::size_t>(std::lower_bound(begin, end, x.to_data(at)) - begin);
    first = after == 0 ? 0 : after - 1;
    last = std::min(count, after + 1);
  }
  return nearest_of(first, last, std::numeric_limits<double>::infinity(),
                    [&](std::size_t i) { return std::abs(x.to_canvas(series.x[i]) - at); });
}

bool is_within(double at, double from, double to) { return at >= from - 0.5 && at <= to + 0.5; }

/// Whether the curve runs past x, so that its nearest sample speaks for it there.
bool spans(const Series& series, const CurveOrder& order, const AxisMap& axis, double at,
           std::size_t nearest) {
  const double nearest_at = axis.to_canvas(series.x[nearest]);
  if (is_within(at, nearest_at, nearest_at)) return true;
  return is_within(at, axis.to_canvas(order.x.min), axis.to_canvas(order.x.max));
}

template <typename Shows>
std::optional<double> snapped_x(const LinePlot& plot, const FigureLayout& frame,
                                const FigureView& view, double to, Shows shows) {
  std::optional<double> snapped;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    if (view.hidden.contains(series.name) || series.is_part()) continue;
    const auto sample = nearest_sample(series, order_in(frame, series, i), frame.x, to);
    if (!sample) continue;
    const double at = frame.x.to_canvas(series.x[*sample]);
    if (!(std::abs(at - to) < least) || !shows(at)) continue;
    least = std::abs(at - to);
    snapped = series.x[*sample];
  }
  return snapped;
}

LineReadout::Entry entry_of(const Series& series, std::size_t sample, const FigureLayout& frame) {
  const double x = series.x[sample], y = series.y[sample];
  LineReadout::Entry entry{.name = shown_name(series),
                           .color = series.is_ghost() ? ghost_slot : series.color,
                           .shade = series.shade,
                           .value = y,
                           .at = {frame.x.to_canvas(x), frame.y.to_canvas(y)},
                           .x = x};
  if (sample < series.band_low.size() && sample < series.band_high.size())
    entry.band = Range{series.band_low[sample], series.band_high[sample]};
  return entry;
}

/// Numbers from the highest down, then the gaps.
bool comes_before(const LineReadout::Entry& a, const LineReadout::Entry& b) {
  if (std::isnan(a.value) || std::isnan(b.value))
    return !std::isnan(a.value) && std::isnan(b.value);
  return a.value > b.value;
}

LineReadout values_at(const LinePlot& plot, const FigureLayout& frame, const FigureView& view,
                      double x) {
  LineReadout readout{.x = x, .at_x = frame.x.to_canvas(x)};
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    if (view.hidden.contains(series.name) || series.is_part()) continue;
    const CurveOrder order = order_in(frame, series, i);
    const auto sample = nearest_sample(series, order, frame.x, readout.at_x);
    if (sample && spans(series, order, frame.x, readout.at_x, *sample))
      readout.entries.push_back(entry_of(series, *sample, frame));
  }
  std::stable_sort(readout.entries.begin(), readout.entries.end(), comes_before);
  return readout;
}

std::string label_at(const std::vector<std::string>& labels, std::size_t index) {
  return index < labels.size() ? labels[index] : std::string();
}

/// "content to position" of a term, "logits" of the logits.
std::string name_of(const FigureRole& role) {
  return spaced(role.term.empty() ? role.kind : role.term);
}

}  // namespace

std::optional<LineReadout> read_lines(const LinePlot& plot, const FigureLayout& frame,
                                      const FigureView& view, Point cursor) {
  if (!frame.plot.contains(cursor)) return std::nullopt;
  const auto x = snapped_x(plot, frame, view, cursor.x, [&](double at) {
    return is_within(at, frame.plot.x, frame.plot.right());
  });
  return x ? std::optional(values_at(plot, frame, view, *x)) : std::nullopt;
}

std::optional<LineReadout> read_lines_at(const LinePlot& plot, const FigureLayout& frame,
                                         const FigureView& view, double x) {
  const double at = frame.x.to_canvas(x);
  const auto snapped = snapped_x(plot, frame, view, at, [](double) { return true; });
  return snapped ? std::optional(values_at(plot, frame, view, *snapped)) : std::nullopt;
}

std::optional<CellReadout> read_cell(const Heatmap& map, const FigureLayout& frame, Point cursor) {
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

std::vector<std::pair<std::string, double>> read_terms(const Result& result, const FigureRole& role,
                                                       const Heatmap& map, Cell cell) {
  const std::string encoding = role.encoding();
  std::vector<std::pair<std::string, double>> terms;
  if (encoding.empty() || !map.values) return terms;
  std::vector<const Array*> alike;
  for (const std::shared_ptr<const Array>& array : result.arrays)
    if (array && array != map.values && array->shape == map.values->shape &&
        array->axes == map.values->axes && array->role.encoding() == encoding)
      alike.push_back(array.get());
  // A term that is the only one of its kind is the logit, and parts of another kind say more.
  const auto with_term = [&](const std::string& kind, bool same) {
    return std::count_if(alike.begin(), alike.end(), [&](const Array* array) {
      return !array->role.term.empty() && (array->role.kind == kind) == same;
    });
  };
  for (const Array* array : alike) {
    const FigureRole& of = array->role;
    if (!of.term.empty() && with_term(of.kind, true) == 1 && with_term(of.kind, false) > 1)
      continue;
    terms.emplace_back(name_of(of), (*array)[cell.row * array->shape.at(1) + cell.column]);
  }
  return terms;
}

std::optional<std::size_t> read_arrow(const VectorPlot& plot, const FigureLayout& frame,
                                      Point cursor, double reach) {
  if (!frame.plot.contains(cursor)) return std::nullopt;
  return nearest_of(0, plot.arrows.size(), reach, [&](std::size_t i) {
    return std::hypot(frame.x.to_canvas(plot.arrows[i].x1) - cursor.x,
                      frame.y.to_canvas(plot.arrows[i].y1) - cursor.y);
  });
}

std::string readout_number(double value, int digits) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  std::string text = fmt::format("{:.{}g}", value, digits);
  if (text.front() == '-') text = "−" + text.substr(1);
  return text;
}

std::string entry_text(const LineReadout::Entry& entry, double x) {
  // A NaN of a curve is a gap: past the end of a learned table there is no position.
  if (std::isnan(entry.value)) return "no value";
  std::string text = readout_number(entry.value);
  if (entry.band)
    text += fmt::format(" ({} … {})", readout_number(entry.band->min, band_digits),
                        readout_number(entry.band->max, band_digits));
  if (entry.x != x) text += " at " + readout_number(entry.x);
  return text;
}

std::string axis_name(const Axis& axis) {
  if (axis.label.empty()) return axis.symbol;
  return axis.symbol.empty() ? axis.label : fmt::format("{} {}", axis.label, axis.symbol);
}

}  // namespace orrery
